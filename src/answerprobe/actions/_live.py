"""
Tools that are really called: once, bounded, by a connection of their own.

What comes back is for the agent, and then for the evidence: secrets are taken out of it
before anybody sees it, since a server may echo the credentials it was sent.
"""

import asyncio
import contextlib
import json
import time

from collections.abc import Callable, Iterator, Mapping

import aiohttp

from yarl import URL

from answerprobe import durations, text
from answerprobe.connection import Connection
from answerprobe.errors import AnswerprobeError, ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _decode, _detail, _failures, _json, _status
from answerprobe.targets._address import Address, Endpoint
from answerprobe.targets._exchange import Head
from answerprobe.targets._oauth2 import Grants
from answerprobe.targets._resolver import ThreadResolver
from answerprobe.targets._unpack import unpacker
from answerprobe.tool import Live, LiveMethod


REPLY_LIMIT_BYTES = 1 << 16
DEADLINE_SECONDS = 10.0
# What a tool says that did its work and has nothing to tell.
SUCCESS: Mapping[str, object] = {"status": "success"}
_ACCEPT = "application/json, text/*;q=0.9, */*;q=0.1"
_CONTENT_TYPE = "Content-Type"
_UNAUTHORIZED = 401
_GOOD = range(200, 300)
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
_TRANSPORT_ERRORS = (aiohttp.ClientError, OSError)


class LiveError(AnswerprobeError):
    """A real tool gave nothing usable; the words are for the agent."""


class LiveCaller:
    """
    Calls real tools.

    Access tokens are shared by all calls, nothing else is: each has a connection of its
    own. *scrub* takes secrets out of all that comes back.
    """

    def __init__(
        self,
        *,
        version: str,
        scrub: Callable[[str], str] = str,
        clock: Callable[[], float] = time.perf_counter,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        self._agent = f"answerprobe/{version}"
        self._scrub = scrub
        self._clock = clock
        self._deadline_seconds = deadline_seconds
        self._grants = Grants()

    async def call(self, live: Live, arguments: Mapping[str, object]) -> object:
        """
        Return what the server of *live* answers to *arguments*, a JSON value.

        Raises:
            LiveError: it answers nothing usable.
            SecretError: a secret that the request needs cannot be had: our fault.
        """
        try:
            async with (
                asyncio.timeout(self._deadline_seconds),
                aiohttp.TCPConnector(
                    force_close=True, use_dns_cache=False, resolver=ThreadResolver()
                ) as connector,
            ):
                return await self._call(live, arguments, connector)
        except TimeoutError as exc:
            within = durations.show(self._deadline_seconds)
            raise LiveError(f"no answer within {within}") from exc
        except ReplyError as exc:
            raise self._error(exc.detail) from exc

    async def _call(
        self,
        live: Live,
        arguments: Mapping[str, object],
        connector: aiohttp.BaseConnector,
    ) -> object:
        """Ask, and once more where an access token turns out to be good no longer."""
        connection = live.connection
        grant = self._grants.of(connection, agent=self._agent, clock=self._clock)
        if grant is None:
            return self._read(await self._ask(live, arguments, connector))
        token = await grant.token(connector)
        head = await self._ask(live, arguments, connector, token)
        if head.status == _UNAUTHORIZED:
            grant.refused(token)
            token = await grant.token(connector)
            head = await self._ask(live, arguments, connector, token)
        return self._read(head)

    async def _ask(
        self,
        live: Live,
        arguments: Mapping[str, object],
        connector: aiohttp.BaseConnector,
        token: str | None = None,
    ) -> Head:
        """Send one request and return what came."""
        address = self._address(live.connection, token)
        url, body = address.url, None
        match live.method:
            case LiveMethod.POST:
                body = json.dumps(arguments).encode()
            case LiveMethod.GET:
                url = with_query(url, arguments)
                address.headers.pop(_CONTENT_TYPE, None)
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector,
                    connector_owner=False,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=_NO_TIMEOUT,
                    auto_decompress=False,
                ) as session,
                session.request(
                    live.method.value,
                    url,
                    data=body,
                    headers=address.headers,
                    ssl=address.ssl,
                    proxy=address.proxy,
                    proxy_headers=address.proxy_headers,
                    allow_redirects=False,
                ) as response,
            ):
                return await _received(response)
        except _TRANSPORT_ERRORS as exc:
            raise _failures.before_headers(exc) from exc

    def _address(self, connection: Connection, token: str | None) -> Address:
        """Return where the request goes, and how it gets in."""
        always = {} if token is None else {"Authorization": f"Bearer {token}"}
        endpoint = Endpoint(connection, agent=self._agent)
        return endpoint.address(accept=_ACCEPT, always=always)

    def _read(self, head: Head) -> object:
        """Return what *head* says: JSON where it is an object or an array."""
        if not head.is_good:
            failure = _status.refused(head).failure
            raise self._error(failure.detail if failure else f"HTTP {head.status}")
        written = _decode.decode(head.body, _decode.charset_of(head.content_type))
        words = text.scrub(self._scrub(written))
        if not words.strip():
            return SUCCESS
        if words.lstrip()[0] not in "{[":
            return words
        try:
            return _json.parse(words)
        except ReplyError:
            return words

    def _error(self, detail: str) -> LiveError:
        """Return the error with the words *detail*, which may quote the server."""
        return LiveError(_detail.one_line(self._scrub(detail)))


def with_query(url: URL, arguments: Mapping[str, object]) -> URL:
    """Return *url* with *arguments*; what it has already is not the agent's to say."""
    pairs = [
        (name, words)
        for name, value in arguments.items()
        if name not in url.query
        for words in _texts(value)
    ]
    return url.extend_query(pairs)


def _texts(value: object) -> Iterator[str]:
    """Yield how *value* is written in a query: an array once for each element."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield text.scrub(item)
        else:
            yield json.dumps(item)


async def _received(response: aiohttp.ClientResponse) -> Head:
    """Return the reply; where its status is bad faults in its body matter no more."""
    body = bytearray()
    if response.status in _GOOD:
        await _read_into(body, response)
    else:
        with contextlib.suppress(ReplyError):
            await _read_into(body, response)
    headers = response.headers
    return Head(
        response.status,
        headers.get(_CONTENT_TYPE, ""),
        headers.get("Location", ""),
        headers.get("Retry-After", ""),
        bytes(body),
    )


async def _read_into(body: bytearray, response: aiohttp.ClientResponse) -> None:
    """Read the body of *response*, unpacked, if it is not too long."""
    unpack = unpacker(response.headers.get("Content-Encoding", ""))
    received_bytes = 0
    try:
        async for data in response.content.iter_any():
            received_bytes += len(data)
            for piece in [data] if unpack is None else unpack.feed(data):
                body += piece
                _check_size(len(body))
            _check_size(received_bytes)
    except _TRANSPORT_ERRORS as exc:
        raise _failures.in_body(exc, received_bytes) from exc
    if unpack is not None:
        unpack.finish()


def _check_size(size_bytes: int) -> None:
    """Raise a ReplyError where so much is too much."""
    if size_bytes > REPLY_LIMIT_BYTES:
        message = f"the reply is longer than {REPLY_LIMIT_BYTES // 1024} KB"
        raise ReplyError(ErrorReason.BODY_TOO_LARGE, message)
