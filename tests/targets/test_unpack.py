"""Content codings undone in pieces."""

import gzip
import zlib

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.sample import ErrorReason
from answerprobe.targets._unpack import Unpacker, unpacker
from targets import raw


_CODINGS = st.sampled_from(["gzip", "deflate"])
_TEXT = b"when do you open? " * 9


def _unpacked(coding: str, *pieces: bytes) -> bytes:
    unpack = Unpacker(coding)
    data = b"".join(part for piece in pieces for part in unpack.feed(piece))
    unpack.finish()
    return data


class TestUnpacker:
    """What was packed comes out, or `decode` says why not."""

    @given(
        st.binary(max_size=500),
        st.integers(0, 40),
        _CODINGS,
    )
    def test_pieces_make_no_difference(self, data: bytes, at: int, coding: str) -> None:
        """Cut anywhere, the same data comes out."""
        pack = gzip.compress if coding == "gzip" else zlib.compress
        packed = pack(data)

        assert _unpacked(coding, packed[:at], packed[at:]) == data

    def test_bare_deflate_is_read_byte_by_byte(self) -> None:
        """Its missing header is noticed although only one byte is there."""
        packed = zlib.compress(_TEXT)[2:-4]
        pieces = [packed[i : i + 1] for i in range(len(packed))]

        assert _unpacked("deflate", *pieces) == _TEXT

    def test_a_second_member_is_read_and_padding_is_not(self) -> None:
        """As gzip files may have them."""
        packed = gzip.compress(b"a") + gzip.compress(b"b") + bytes(10)

        assert _unpacked("gzip", packed) == b"ab"

    def test_an_empty_body_is_empty(self) -> None:
        """A 204 may still carry the header."""
        assert _unpacked("gzip") == b""

    def test_a_bomb_comes_out_in_small_pieces(self) -> None:
        """So that the reader can stop long before its end."""
        pieces = Unpacker("gzip").feed(gzip.compress(bytes(1 << 24)))

        assert len(next(pieces)) <= 1 << 16

    @given(st.binary(max_size=60), _CODINGS)
    def test_no_bytes_do_harm(self, data: bytes, coding: str) -> None:
        """They are unpacked, or `decode`."""
        reason = raw.reason_of(lambda: _unpacked(coding, data))

        assert reason in {None, ErrorReason.DECODE}

    @pytest.mark.parametrize(
        "coding", [pytest.param("", id="none"), pytest.param("Identity", id="identity")]
    )
    def test_no_coding_needs_no_unpacker(self, coding: str) -> None:
        """The body is taken as it is."""
        assert unpacker(coding) is None
