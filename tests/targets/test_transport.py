"""Connections that fail, each with its own reason, and none asked twice."""

import asyncio
import socket

import pytest

from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage
from targets import raw


async def _reason_of(handler: raw.Handler, within_seconds: float = 5.0) -> Reply:
    async with raw.serving(handler) as server:
        reply = await raw.ask(raw.chat(server.url), within_seconds=within_seconds)
    assert len(server.asked) == 1
    assert reply.answer == ""
    return reply


class TestDeadline:
    """One wall-clock deadline for all of an exchange."""

    async def test_silence_is_a_timeout_that_names_the_deadline(self) -> None:
        """A server that reads and never answers is cut off at the deadline."""

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        reply = await _reason_of(handler, within_seconds=0.05)

        detail = "no answer within 50ms: the question was sent"
        assert reply.failure == Failure(reason=ErrorReason.TIMEOUT, detail=detail)
        assert reply.duration_seconds >= 0.05

    async def test_a_trickle_does_not_extend_it(self) -> None:
        """Bytes that keep coming don't keep the exchange alive."""

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(raw.http(b"{", length=1000))
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.005)

        reply = await _reason_of(handler, within_seconds=0.08)

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TIMEOUT
        assert reply.failure.detail.startswith("no answer within 80ms: HTTP 200 and ")

    async def test_a_connection_that_never_stands_spends_nothing(self) -> None:
        """Nobody has read the question: no tokens."""
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            address = full.getsockname()
            waiting = [socket.socket() for _ in range(3)]
            for each in waiting:
                each.settimeout(0)
                each.connect_ex(address)
            url = f"http://127.0.0.1:{address[1]}/"

            reply = await raw.ask(raw.chat(url), within_seconds=0.05)

            for each in waiting:
                each.close()
        detail = "no answer within 50ms: not connected"
        assert reply.failure == Failure(reason=ErrorReason.TIMEOUT, detail=detail)
        assert reply.usage == TokenUsage()


class TestConnecting:
    """Servers that cannot be reached."""

    async def test_a_closed_port_is_connect(self) -> None:
        """The detail names host, port and the system's reason."""
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = sock.getsockname()[1]

        reply = await raw.ask(raw.chat(f"http://127.0.0.1:{port}/"))

        detail = f"cannot connect to 127.0.0.1 port {port}: Connection refused"
        assert reply.failure == Failure(reason=ErrorReason.CONNECT, detail=detail)
        assert reply.usage == TokenUsage()

    @pytest.mark.parametrize(
        "host",
        [
            pytest.param("agent.invalid", id="unknown"),
            pytest.param("a" * 64 + ".example", id="label too long"),
        ],
    )
    async def test_a_name_that_does_not_resolve_is_dns(self, host: str) -> None:
        """The detail names the host."""
        reply = await raw.ask(raw.chat(f"http://{host}/"))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.DNS
        assert reply.failure.detail.startswith(f"cannot resolve {host}: ")

    async def test_a_name_is_resolved(self) -> None:
        """A host name leads to the server."""
        async with raw.serving(raw.sending(raw.answer())) as server:
            reply = await raw.ask(raw.chat(f"http://localhost:{server.port}/"))

        assert reply.answer == raw.ANSWER


class TestBrokenReplies:
    """Servers that break off, or don't speak HTTP."""

    async def test_a_close_without_a_byte_is_disconnected(self) -> None:
        """The request was read, nothing came."""
        reply = await _reason_of(raw.sending(b""))

        detail = "the connection was closed before a whole header came"
        assert reply.failure == Failure(reason=ErrorReason.DISCONNECTED, detail=detail)

    async def test_a_reset_in_the_headers_is_disconnected(self) -> None:
        """Half a header is no reply."""

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
            await writer.drain()
            await asyncio.sleep(0.01)
            raw.hang_up(writer)

        reply = await _reason_of(handler)

        detail = "the connection was reset before a whole header came"
        assert reply.failure == Failure(reason=ErrorReason.DISCONNECTED, detail=detail)

    @pytest.mark.parametrize(
        "pieces",
        [
            pytest.param([raw.http(b'{"a', length=99)], id="content length"),
            pytest.param([raw.http(b'{"a', length=99), b"b"], id="two packets"),
            pytest.param(
                [raw.chunked_head() + raw.chunk(b'{"answer": "all of it"}')],
                id="no last chunk",
            ),
            pytest.param([raw.chunked_head(), raw.chunk(b"{")[:-2]], id="half a chunk"),
        ],
    )
    async def test_a_body_that_ends_too_soon_is_incomplete(
        self, pieces: list[bytes]
    ) -> None:
        """Even where the JSON so far is complete."""
        reply = await _reason_of(raw.sending(*pieces))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.INCOMPLETE_BODY
        assert "bytes of the body" in reply.failure.detail

    async def test_a_reset_in_the_body_is_incomplete(self) -> None:
        """The connection breaks off in the middle."""

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(raw.http(b'{"answer"', length=99))
            await writer.drain()
            await asyncio.sleep(0.02)
            raw.hang_up(writer)

        reply = await _reason_of(handler)

        detail = "the connection was lost after 9 bytes of the body"
        assert reply.failure == Failure(
            reason=ErrorReason.INCOMPLETE_BODY, detail=detail
        )

    @pytest.mark.parametrize(
        "pieces",
        [
            pytest.param([b"220 mail.example ESMTP\r\n\r\n"], id="not HTTP"),
            pytest.param([b"HTTP/1.1 wonderful\r\n\r\n"], id="status"),
            pytest.param([b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"], id="header"),
            pytest.param(
                [b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000 + b"\r\n\r\n"],
                id="endless header",
            ),
            pytest.param([raw.chunked_head() + b"xyz\r\n{}\r\n"], id="chunk size"),
            pytest.param(
                [raw.chunked_head() + raw.chunk(b"{"), b"xyz\r\n{}\r\n"],
                id="later chunk size",
            ),
        ],
    )
    async def test_what_is_no_http_is_bad_http(self, pieces: list[bytes]) -> None:
        """The detail is one short line."""
        reply = await _reason_of(raw.sending(*pieces))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.BAD_HTTP
        assert len(reply.failure.detail) <= 200
        assert reply.failure.detail.isprintable()


class TestCancellation:
    """A sample that is called off."""

    async def test_a_cancelled_say_closes_its_connection(self) -> None:
        """The server sees the end of it at once, and the task is cancelled."""
        gone = asyncio.Event()
        came = asyncio.Event()

        async def connected(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            came.set()
            while await reader.read(100):
                pass
            gone.set()
            writer.close()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            task = asyncio.create_task(
                raw.ask(raw.chat(f"http://127.0.0.1:{port}/"), within_seconds=30)
            )
            await came.wait()
            task.cancel()

            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(gone.wait(), 5)
