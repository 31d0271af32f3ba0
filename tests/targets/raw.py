"""A server of raw bytes, and short ways to ask it."""

import asyncio
import json
import socket
import ssl
import struct

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from answerprobe.connection import Connection
from answerprobe.errors import ReplyError
from answerprobe.monitor import TargetProtocol, TargetSettings
from answerprobe.sample import ErrorReason, Failure, Reply
from answerprobe.secret import Secret
from answerprobe.targets import make_target


TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
QUESTION = "When do you open?"
ANSWER = "We open at nine."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request as it came."""

    line: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> object:
        """The body's JSON value."""
        value: object = json.loads(self.body)
        return value


@dataclass(slots=True)
class Server:
    """A listening server and what it was asked."""

    port: int
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}/ask"


Handler = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(
    handler: Handler, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """Serve *handler* on 127.0.0.1; each connection may ask more than once."""
    server = Server(0)

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        server.connections += 1
        try:
            while (asked := await _read(reader)) is not None:
                server.asked.append(asked)
                await handler(asked, writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls) as raw:
        server.port = raw.sockets[0].getsockname()[1]
        yield server


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    line, *rest = head.decode("latin-1").rstrip().split("\r\n")
    headers = {k.lower(): v for k, v in (header.split(": ", 1) for header in rest)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(line=line, headers=headers, body=body)


def sending(*pieces: bytes) -> Handler:
    """Return a handler that sends *pieces*, each in a packet, and hangs up."""

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.005 if len(pieces) > 1 else 0)
        writer.close()

    return handler


def in_turn(*replies: bytes) -> Handler:
    """Return a handler that sends one of *replies* after another, the last for ever."""
    left = list(replies)

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()
        writer.close()

    return handler


def hang_up(writer: asyncio.StreamWriter) -> None:
    """Break the connection off with a reset."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def http(
    body: bytes = b"",
    *headers: str,
    status: str = "200 OK",
    content_type: str = "application/json",
    length: int | None = None,
) -> bytes:
    """Return a reply with further *headers*."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body) if length is None else length}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answer(text: str = ANSWER) -> bytes:
    """Return a good chat reply."""
    return http(json.dumps({"answer": text}).encode())


def chunked_head(content_type: str = "application/json") -> bytes:
    """Return the headers of a reply in chunks."""
    return (
        "HTTP/1.1 200 OK\r\n"
        f"Content-Type: {content_type}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()


def chunk(data: bytes) -> bytes:
    """Return *data* as one chunk; nothing is the last one."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def events(*datas: str, end: bool = True) -> bytes:
    """Return a stream of events, with its last chunk if *end*."""
    body = "".join(f"data: {data}\n\n" for data in datas).encode()
    last = chunk(b"") if end else b""
    return chunked_head("text/event-stream") + chunk(body) + last


def chat(url: str) -> TargetSettings:
    """Return the settings of a chat target at *url*."""
    connection = Connection(url=Secret(url))
    return TargetSettings(protocol=TargetProtocol.CHAT, connection=connection)


def openai(url: str) -> TargetSettings:
    """Return the settings of an openai target at *url*."""
    return replace(chat(url), protocol=TargetProtocol.OPENAI, model="small")


async def ask(
    settings: TargetSettings, *, within_seconds: float = 5.0, question: str = QUESTION
) -> Reply:
    """Return the reply of a target with *settings* to *question*."""
    target = make_target(settings, version="1.2")
    try:
        async with target.dialogue(TRACEPARENT) as dialogue:
            return await dialogue.say(question, within_seconds=within_seconds)
    finally:
        await target.close()


def reason_of(read: Callable[[], object]) -> ErrorReason | None:
    """Return the reason of the ReplyError that *read* raises, None without one."""
    try:
        read()
    except ReplyError as exc:
        return ErrorReason(exc.reason)
    return None


async def failure_of(data: bytes, *more: bytes) -> Failure | None:
    """Return how a chat target fails whose reply is *data* and *more*."""
    async with serving(sending(data, *more)) as server:
        reply = await ask(chat(server.url))
    return reply.failure
