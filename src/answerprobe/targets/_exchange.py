"""One POST and its reply: measured, bounded, never repeated, never redirected."""

import asyncio
import contextlib

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import aiohttp

from aiohttp.abc import AbstractStreamWriter

from answerprobe.errors import ReplyError
from answerprobe.targets import _failures
from answerprobe.targets._address import Endpoint
from answerprobe.targets._content import Timing
from answerprobe.targets._reading import STREAM_LIMIT_BYTES, Reading, too_large
from answerprobe.targets._unpack import Unpacker, unpacker


_GOOD = range(200, 300)
_REDIRECTS = range(300, 400)
_ERROR_LIMIT_BYTES = 1 << 16
# Taken in at once before others have their turn: a few hundred events.
_SLICE_BYTES = 1 << 14
# The deadline of an exchange is the only limit: aiohttp's own would hide behind it.
NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
# Everything that aiohttp and the socket raise about the other side.
_TRANSPORT_ERRORS = (aiohttp.ClientError, OSError)


class Head(NamedTuple):
    """A reply without its answer; *body* is only filled where the status is bad."""

    status: int
    content_type: str
    location: str
    retry_after: str
    body: bytes

    @property
    def is_good(self) -> bool:
        """Whether there may be an answer: the status is 2xx."""
        return self.status in _GOOD


class _Taker(Protocol):
    """What bytes are fed to."""

    def feed(self, data: bytes) -> bool:
        """Take *data*; return whether it is enough."""
        ...


class Exchange:
    """
    One POST, its stopwatch, and how far it came.

    *reading* takes in what a 2xx brings; *sent* tells whether the other side can have
    read the question.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        reading: Reading,
        clock: Callable[[], float],
    ) -> None:
        self.reading = reading
        self.sent = False
        self._session = session
        self._endpoint = endpoint
        self._clock = clock
        self._began = clock()
        self._ended: float | None = None
        self._first_token: float | None = None
        self._status: int | None = None
        self._received_bytes = 0

    @property
    def timing(self) -> Timing:
        """How long it took up to the last byte, or has taken so far."""
        ended = self._clock() if self._ended is None else self._ended
        first = self._first_token
        return Timing(
            ended - self._began, None if first is None else first - self._began
        )

    @property
    def progress(self) -> str:
        """How far it came, for the words of a timeout."""
        if self._status is not None:
            came = f"{self._received_bytes:,} bytes of the body"
            return f"HTTP {self._status} and {came} came"
        return "the question was sent" if self.sent else "not connected"

    async def post(
        self, body: bytes, *, accept: str, always: Mapping[str, str]
    ) -> Head:
        """
        Send *body*, feed the reading, and return what else came.

        Headers *always* win over the user's.

        Raises:
            ReplyError: connect, dns, tls, disconnected, incomplete_body, bad_http,
                body_too_large, decode, or what the reading finds wrong.
            SecretError: a secret of the headers cannot be had.
        """
        self._began = self._clock()
        try:
            response = await self._send(body, accept, always)
            try:
                return await self._receive(response)
            finally:
                self._ended = self._clock()
                response.close()
        finally:
            if self._ended is None:
                self._ended = self._clock()

    async def _send(
        self, body: bytes, accept: str, always: Mapping[str, str]
    ) -> aiohttp.ClientResponse:
        """Connect, send, and return the reply when its headers are there."""
        address = self._endpoint.address(accept=accept, always=always)
        try:
            return await self._session.post(
                address.url,
                data=_Question(body, self),
                headers=address.headers,
                ssl=address.ssl,
                proxy=address.proxy,
                proxy_headers=address.proxy_headers,
                allow_redirects=False,
            )
        except _TRANSPORT_ERRORS as exc:
            raise _failures.before_headers(exc) from exc

    async def _receive(self, response: aiohttp.ClientResponse) -> Head:
        """Read the rest of the reply, as much as its status is worth."""
        headers = response.headers
        status = self._status = response.status
        content_type = headers.get("Content-Type", "")
        body = b""
        if status in _GOOD:
            self.reading.begin(content_type)
            await self._take(response, self.reading)
        elif status not in _REDIRECTS:
            body = await self._error_body(response)
        location = headers.get("Location", "")
        return Head(
            status, content_type, location, headers.get("Retry-After", ""), body
        )

    async def _take(self, response: aiohttp.ClientResponse, taker: _Taker) -> None:
        """Feed *taker* with the body until it has enough."""
        _watch(response)
        unpack = unpacker(response.headers.get("Content-Encoding", ""))
        while data := await self._more(response):
            for start in range(0, len(data), _SLICE_BYTES):
                if start:
                    await asyncio.sleep(0)
                enough = _fed(taker, unpack, data[start : start + _SLICE_BYTES])
                # Also where the whole stream comes at once, with its end.
                if self._first_token is None and self.reading.begun:
                    self._first_token = self._clock()
                if enough:
                    return
        if unpack is not None:
            unpack.finish()

    async def _more(self, response: aiohttp.ClientResponse) -> bytes:
        """Return what came of the body, nothing at its end."""
        try:
            data = await response.content.readany()
        except _TRANSPORT_ERRORS as exc:
            raise _failures.in_body(exc, self._received_bytes) from exc
        self._received_bytes += len(data)
        if self._received_bytes > STREAM_LIMIT_BYTES:
            raise too_large(STREAM_LIMIT_BYTES)
        return data

    async def _error_body(self, response: aiohttp.ClientResponse) -> bytes:
        """Return the start of a bad reply's body: faults in it matter no more."""
        kept = _Kept()
        with contextlib.suppress(ReplyError):
            await self._take(response, kept)
        return bytes(kept.data)


def _watch(response: aiohttp.ClientResponse) -> None:
    """
    See to it that the reader of the body learns of a malformed chunk.

    aiohttp closes the connection then and tells nobody who already reads the body
    (3.14.5, client_proto.py, data_received): it would wait for the deadline.
    """
    content, connection = response.content, response.connection
    protocol = None if connection is None else connection.protocol
    if protocol is None or content.is_eof():
        return

    def tell(closed: asyncio.Future[None] | None) -> None:
        if closed is not None and not closed.cancelled():
            closed.exception()  # or the loop complains that nobody looked at it
        if not content.is_eof() and content.exception() is None:
            lost = aiohttp.ClientPayloadError("the connection was closed")
            cause = protocol.exception() or lost
            content.set_exception(lost, cause)

    closed = protocol.closed
    if closed is None:
        tell(None)
    else:
        closed.add_done_callback(tell)


def _fed(taker: _Taker, unpack: Unpacker | None, data: bytes) -> bool:
    """Feed *taker* with *data*, unpacked; return whether it has enough."""
    if unpack is None:
        return taker.feed(data)
    return any(taker.feed(piece) for piece in unpack.feed(data))


class _Kept:
    """Keeps the first 64 KiB."""

    def __init__(self) -> None:
        self.data = bytearray()

    def feed(self, data: bytes) -> bool:
        """Keep *data*; return whether it is enough."""
        self.data += data[: _ERROR_LIMIT_BYTES - len(self.data)]
        return len(self.data) >= _ERROR_LIMIT_BYTES


class _Question(aiohttp.BytesPayload):
    """A request's body that tells its exchange when it goes out."""

    def __init__(self, body: bytes, exchange: Exchange) -> None:
        super().__init__(body)
        self._exchange = exchange

    async def write_with_length(
        self, writer: AbstractStreamWriter, content_length: int | None
    ) -> None:
        """Write the body: the connection stands."""
        self._exchange.sent = True
        await super().write_with_length(writer, content_length)
