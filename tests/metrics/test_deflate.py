"""Pieces of a gzip body."""

import gzip
import random

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.metrics.deflate import (
    NOTHING,
    Deflater,
    gzip_body,
    inflated,
    joined,
)


TEXTS = st.lists(st.binary(max_size=300) | st.just(b"name 1\n" * 2000), max_size=12)


class TestGzipBody:
    """A gzip file put together from pieces."""

    @given(texts=TEXTS)
    def test_unpacks_to_the_texts_in_order(self, texts: list[bytes]) -> None:
        """Any program that reads gzip, and checks its CRC, gets the texts back."""
        deflater = Deflater()

        body = gzip_body(*(deflater.piece(text) for text in texts))

        assert gzip.decompress(body) == b"".join(texts)

    @given(texts=TEXTS, split=st.integers(0, 12))
    def test_joined_pieces_are_a_piece(self, texts: list[bytes], split: int) -> None:
        """It makes no difference what was joined before."""
        pieces = [Deflater().piece(text) for text in texts]

        body = gzip_body(joined(pieces[:split]), joined(pieces[split:]))

        assert gzip.decompress(body) == b"".join(texts)

    def test_pieces_may_stand_in_any_order(self) -> None:
        """A piece refers to nothing in front of it, whatever its compressor did."""
        deflater = Deflater()
        first, second = (
            deflater.piece(b"same words " * 9),
            deflater.piece(b"same words "),
        )

        body = gzip_body(second, first, second)

        assert gzip.decompress(body) == b"same words " * 11

    @pytest.mark.parametrize(
        "size",
        [
            pytest.param(4095, id="just-below-a-page"),
            pytest.param(4096, id="a-page"),
            pytest.param(4097, id="just-above-a-page"),
            pytest.param(3_000_001, id="many-pages"),
        ],
    )
    def test_any_length_has_the_right_checksum(self, size: int) -> None:
        """Lengths around the inner page size are no exception."""
        text = random.Random(size).randbytes(size)  # noqa: S311  no secret
        deflater = Deflater()

        body = gzip_body(deflater.piece(b"before"), deflater.piece(text))

        assert gzip.decompress(body) == b"before" + text

    def test_of_nothing_is_an_empty_file(self) -> None:
        """No pieces make a valid file too."""
        assert gzip.decompress(gzip_body()) == b""
        assert gzip.decompress(gzip_body(NOTHING, NOTHING)) == b""


class TestInflated:
    """The text of a piece."""

    @given(texts=TEXTS)
    def test_is_what_was_deflated(self, texts: list[bytes]) -> None:
        """Joined pieces give their texts back."""
        pieces = [Deflater().piece(text) for text in texts]

        assert inflated(joined(pieces)) == b"".join(texts)
