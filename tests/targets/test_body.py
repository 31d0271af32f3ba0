"""Bodies: bounded, unpacked, decoded."""

import asyncio
import gzip
import json
import zlib

import pytest

from answerprobe.sample import ErrorReason, Failure
from targets import raw


_GOOD = json.dumps({"answer": raw.ANSWER}).encode()


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def _packed(data: bytes, coding: str = "gzip") -> bytes:
    return raw.http(data, f"Content-Encoding: {coding}")


class TestCodings:
    """What Content-Encoding promises is undone and checked."""

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(_packed(gzip.compress(_GOOD)), id="gzip"),
            pytest.param(_packed(gzip.compress(_GOOD), "X-GZIP"), id="x-gzip"),
            pytest.param(_packed(zlib.compress(_GOOD), "deflate"), id="deflate"),
            pytest.param(_packed(_raw_deflate(_GOOD), "deflate"), id="bare deflate"),
            pytest.param(_packed(_GOOD, "identity"), id="identity"),
        ],
    )
    async def test_a_packed_answer_is_unpacked(self, data: bytes) -> None:
        """In every coding that we ask for."""
        assert await raw.failure_of(data) is None

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            pytest.param(_packed(_GOOD), "the body is no gzip", id="not gzip"),
            pytest.param(
                _packed(gzip.compress(_GOOD)[:-12]), "cut in the middle", id="cut"
            ),
            pytest.param(_packed(_GOOD, "br"), "'br'", id="not asked for"),
        ],
    )
    async def test_a_broken_one_is_decode(self, data: bytes, says: str) -> None:
        """The detail names the coding."""
        failure = await raw.failure_of(data)

        assert failure is not None
        assert failure.reason is ErrorReason.DECODE
        assert says in failure.detail


class TestSize:
    """At most 1 MiB, whatever was promised or packed."""

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(raw.http(b'"' + b"x" * (1 << 20) + b'"'), id="plain"),
            pytest.param(_packed(gzip.compress(bytes(1 << 26))), id="64 MiB as gzip"),
        ],
    )
    async def test_more_is_body_too_large(self, data: bytes) -> None:
        """A small packed body counts by what it unpacks to."""
        failure = await raw.failure_of(data)

        detail = "the body has more than 1,048,576 bytes"
        assert failure == Failure(reason=ErrorReason.BODY_TOO_LARGE, detail=detail)

    async def test_the_rest_of_a_large_body_is_not_read(self) -> None:
        """The connection is closed long before its 50 MB."""
        sent = 0

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            nonlocal sent
            writer.write(raw.http(b'"', length=50_000_000))
            while sent < 50_000_000:
                writer.write(b"x" * 100_000)
                await writer.drain()
                sent += 100_000

        async with raw.serving(handler) as server:
            reply = await raw.ask(raw.chat(server.url))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.BODY_TOO_LARGE
        assert sent < 20_000_000

    async def test_a_large_answer_within_the_limit_is_whole(self) -> None:
        """Half a megabyte of text arrives unharmed."""
        text = "long answer. " * 40_000
        async with raw.serving(raw.sending(raw.answer(text))) as server:
            reply = await raw.ask(raw.chat(server.url))

        assert reply.failure is None
        assert reply.answer == text.strip()


class TestText:
    """Bytes become the text that was meant."""

    @pytest.mark.parametrize(
        ("encoding", "content_type"),
        [
            pytest.param("utf-8-sig", "application/json", id="byte order mark"),
            pytest.param("utf-16", "application/json", id="UTF-16 with mark"),
            pytest.param("utf-16-le", "application/json", id="UTF-16 by zeros"),
            pytest.param("latin-1", "application/json; charset=latin1", id="declared"),
            pytest.param("utf-8", "text/html; charset=utf8,utf8", id="unknown charset"),
            pytest.param("utf-8", "text/html", id="JSON as HTML"),
        ],
    )
    async def test_an_answer_is_decoded(self, encoding: str, content_type: str) -> None:
        """By mark, declaration, or zero bytes; JSON counts whatever it is called."""
        body = '{"answer": "à la carte"}'.encode(encoding)
        async with raw.serving(
            raw.sending(raw.http(body, content_type=content_type))
        ) as server:
            reply = await raw.ask(raw.chat(server.url))

        assert reply.answer == "à la carte"

    async def test_bytes_that_are_no_text_are_decode(self) -> None:
        """The detail names the encoding and the place."""
        failure = await raw.failure_of(raw.http(b'{"answer": "\xff"}'))

        detail = "the body is no utf-8 text: byte 12 of 15 does not fit"
        assert failure == Failure(reason=ErrorReason.DECODE, detail=detail)

    async def test_lone_surrogates_and_nul_are_scrubbed(self) -> None:
        """No store and no scrape takes them."""
        data = raw.http(b'{"answer": "a\\u0000b \\udc00."}')
        async with raw.serving(raw.sending(data)) as server:
            reply = await raw.ask(raw.chat(server.url))

        assert reply.answer == "ab \ufffd."


class TestNoJson:
    """Bodies that are something else."""

    @pytest.mark.parametrize(
        ("data", "detail"),
        [
            pytest.param(
                raw.http(
                    b"<html><title>Wait a\nmoment</title>", content_type="text/html"
                ),
                "text/html: not JSON: Expecting value, character 0 of 34; "
                "a page titled 'Wait a moment'",
                id="page",
            ),
            pytest.param(
                raw.http(b"<title>A < B</title><p>", content_type="text/html"),
                "text/html: not JSON: Expecting value, character 0 of 23; "
                "a page titled 'A < B'",
                id="page with a sign in its title",
            ),
            pytest.param(
                raw.http(b'{"answer": "a", "answer": "b"}'),
                'application/json: not JSON: duplicate key "answer"',
                id="duplicate key",
            ),
            pytest.param(
                raw.http(b"[" * 200_000),
                "application/json: not JSON: nested deeper than 100 levels",
                id="nesting",
            ),
            pytest.param(
                raw.http(b"data: hi\n\n", content_type="text/event-stream"),
                "text/event-stream: not JSON: Expecting value, character 0 of 10; "
                "a stream came where none was asked for; stream: true reads it",
                id="stream",
            ),
        ],
    )
    async def test_the_detail_says_what_came(self, data: bytes, detail: str) -> None:
        """Content type, what is wrong, and a page's title."""
        failure = await raw.failure_of(data)

        assert failure == Failure(reason=ErrorReason.NOT_JSON, detail=detail)
