"""A target that is asked over HTTP, whatever its dialect."""

import asyncio

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, Protocol, Self

import aiohttp

from answerprobe import durations
from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage
from answerprobe.targets import _content, _detail, _reading, _status
from answerprobe.targets._address import Endpoint
from answerprobe.targets._content import Content
from answerprobe.targets._exchange import Exchange, Head
from answerprobe.targets._pace import Pace
from answerprobe.targets._reading import Reading
from answerprobe.targets._resolver import ThreadResolver


# Long enough for the samples of one run, short enough to follow a failover.
_DNS_SECONDS = 5
# The deadline of an exchange is the only limit: aiohttp's own would hide behind it.
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=None)
# Looked through in a thread from here on: less takes well below 10 ms.
_LARGE_CHARACTERS = 1 << 16
_JSON = "application/json"
_EVENTS = "text/event-stream, application/json;q=0.9"


class Dialect(Protocol):
    """How one protocol words a question and its answer."""

    path: str
    stream: bool

    def body(self, message: str) -> bytes:
        """
        Return the request's body that asks *message*.

        Raises:
            SecretError: a secret in it cannot be had.
        """
        ...

    def texts(self, message: str) -> tuple[str, ...]:
        """Return all that the model reads when asked *message*."""
        ...

    def reading(self, message: str) -> Reading:
        """Return what takes in the reply to *message*."""
        ...

    def asks_again(self, body: bytes, head: Head) -> bool:
        """Return whether *head* refuses only how *body* asked, and learn from it."""
        ...


class HttpTarget:
    """An agent behind HTTP. Connections are not kept: each sample is a new visitor."""

    def __init__(
        self,
        dialect: Dialect,
        endpoint: Endpoint,
        *,
        clock: Callable[[], float],
        pace: Pace,
        scrub: Callable[[str], str],
    ) -> None:
        self.dialect = dialect
        self.endpoint = endpoint
        self.clock = clock
        self.pace = pace
        self.scrub = scrub
        self._connector: aiohttp.TCPConnector | None = None

    @property
    def host(self) -> str:
        """`scheme://host:port`: what a limit per host counts by."""
        return self.endpoint.host

    def dialogue(self, traceparent: str) -> "HttpDialogue":
        """Return a new sample's dialogue."""
        return HttpDialogue(self, traceparent)

    def connector(self) -> aiohttp.TCPConnector:
        """Return the maker of connections; limits are elsewhere, nothing waits here."""
        if self._connector is None:
            self._connector = aiohttp.TCPConnector(
                limit=0,
                force_close=True,
                ttl_dns_cache=_DNS_SECONDS,
                resolver=ThreadResolver(),
            )
        return self._connector

    async def close(self) -> None:
        """Drop every connection."""
        if self._connector is not None:
            await self._connector.close()


class HttpDialogue:
    """One sample's talk with a target over HTTP."""

    def __init__(self, target: HttpTarget, traceparent: str) -> None:
        self._target = target
        self._traceparent = traceparent
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=self._target.connector(),
            connector_owner=False,
            # Agents behind bare addresses set cookies too.
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=_NO_TIMEOUT,
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def say(self, message: str, *, within_seconds: float) -> Reply:
        """Send *message* once and return what came, within *within_seconds*."""
        target = self._target
        body = target.dialect.body(message)
        exchange = self._exchange(message)
        await target.pace.turn()
        deadline = _Deadline.after(within_seconds)
        outcome = await self._put(exchange, body, deadline)
        if isinstance(outcome, Head) and target.dialect.asks_again(body, outcome):
            exchange = self._exchange(message)
            body = target.dialect.body(message)
            outcome = await self._put(exchange, body, deadline)
        await target.pace.turn()
        if isinstance(outcome, Failure):
            return self._failed(exchange, message, outcome)
        return await self._answered(exchange, message, outcome)

    def _exchange(self, message: str) -> Exchange:
        """Return an exchange to come."""
        if self._session is None:
            problem = "a dialogue is entered before anything is said"
            raise RuntimeError(problem)
        target = self._target
        reading = target.dialect.reading(message)
        return Exchange(self._session, target.endpoint, reading, target.clock)

    async def _put(
        self, exchange: Exchange, body: bytes, deadline: "_Deadline"
    ) -> Head | Failure:
        """Carry out *exchange*, at the longest until *deadline*."""
        accept = _EVENTS if self._target.dialect.stream else _JSON
        try:
            async with asyncio.timeout_at(deadline.at):
                return await exchange.post(
                    body, accept=accept, traceparent=self._traceparent
                )
        except TimeoutError:
            within = durations.show(deadline.within_seconds)
            detail = f"no answer within {within}: {exchange.progress}"
            return Failure(reason=ErrorReason.TIMEOUT, detail=detail)
        except ReplyError as exc:
            return _reading.failure_of(exc)

    async def _answered(self, exchange: Exchange, message: str, head: Head) -> Reply:
        """Return the reply to an exchange that went through."""
        if not head.is_good:
            reply = self._reply(exchange, message, _status.refused(head))
            # Turned away at the door: nobody has read the question.
            spent = head.status >= 500
            return reply if spent else replace(reply, usage=TokenUsage())
        try:
            content = await exchange.reading.content(head.status)
        except ReplyError as exc:
            return self._failed(exchange, message, _reading.failure_of(exc))
        if len(content.text) > _LARGE_CHARACTERS:
            return await asyncio.to_thread(self._reply, exchange, message, content)
        return self._reply(exchange, message, content)

    def _failed(self, exchange: Exchange, message: str, failure: Failure) -> Reply:
        """Return the reply to an exchange that ended in *failure*."""
        content = replace(exchange.reading.partial(), failure=failure, filtered=False)
        reply = self._reply(exchange, message, content)
        return reply if exchange.sent else replace(reply, usage=TokenUsage())

    def _reply(self, exchange: Exchange, message: str, content: Content) -> Reply:
        """Return *content* as a Reply, no secrets in its failure."""
        if content.failure is not None:
            detail = _detail.one_line(self._target.scrub(content.failure.detail))
            content = replace(content, failure=replace(content.failure, detail=detail))
        texts = self._target.dialect.texts(message)
        return _content.reply(content, exchange.timing, texts)


class _Deadline(NamedTuple):
    """When a sample's whole exchange has to be over, by the loop's clock."""

    at: float
    within_seconds: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Return the deadline *seconds* from now."""
        return cls(asyncio.get_running_loop().time() + seconds, seconds)
