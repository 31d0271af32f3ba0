"""One sample's talk with a target over HTTP."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import aiohttp
import structlog

from answerprobe import durations
from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage, ToolCall
from answerprobe.targets import _content, _detail, _reading, _status
from answerprobe.targets._address import Endpoint
from answerprobe.targets._content import Content
from answerprobe.targets._dialect import Dialect
from answerprobe.targets._exchange import NO_TIMEOUT, Exchange, Head
from answerprobe.targets._oauth2 import Grant
from answerprobe.targets._pace import Pace


_log = structlog.get_logger()
# Looked through in a thread from here on: less takes well below 10 ms.
_LARGE_CHARACTERS = 1 << 16
_UNAUTHORIZED = 401
_JSON = "application/json"
_EVENTS = "text/event-stream, application/json;q=0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What all dialogues with one target share; *grant* where tokens open it."""

    dialect: Dialect
    endpoint: Endpoint
    grant: Grant | None
    clock: Callable[[], float]
    pace: Pace
    scrub: Callable[[str], str]
    new_session: Callable[[], str]


class HttpDialogue:
    """One sample's talk: its transcript, its cookies, its trace."""

    def __init__(
        self,
        line: Line,
        connector: Callable[[], aiohttp.BaseConnector],
        traceparent: str,
    ) -> None:
        self._line = line
        self._connector = connector
        self._always = {"traceparent": traceparent}
        self._transcript = line.dialect.transcript(line.new_session)
        self._session: aiohttp.ClientSession | None = None
        self._token = ""

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=self._connector(),
            connector_owner=False,
            # Agents behind bare addresses set cookies too.
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            timeout=NO_TIMEOUT,
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def say(self, message: str, *, within_seconds: float) -> Reply:
        """Send *message* once and return what came, within *within_seconds*."""
        self._transcript.ask(message)
        return await self._go_on(within_seconds, "no answer within")

    async def resume(
        self, results: Sequence[ToolCall], *, within_seconds: float
    ) -> Reply:
        """Tell the agent what came of its calls and return what it says to that."""
        self._transcript.report(results)
        return await self._go_on(within_seconds, "after tool calls, no answer within")

    async def _go_on(self, within_seconds: float, else_words: str) -> Reply:
        """Send what the transcript has next; a miss of the deadline is *else_words*."""
        line = self._line
        body = self._transcript.body()
        exchange = self._exchange()
        await line.pace.turn()
        deadline = _Deadline.after(within_seconds, else_words)
        outcome = await self._put(exchange, body, deadline)
        for mends in (self._drops_token, line.dialect.asks_again):
            if isinstance(outcome, Failure) or outcome.is_good:
                break
            if mends(body, outcome):
                body = self._transcript.body()
                exchange = self._exchange()
                outcome = await self._put(exchange, body, deadline)
        await line.pace.turn()
        if isinstance(outcome, Failure):
            return self._failed(exchange, outcome)
        return await self._answered(exchange, outcome)

    def _exchange(self) -> Exchange:
        """Return an exchange to come."""
        if self._session is None:
            problem = "a dialogue is entered before anything is said"
            raise RuntimeError(problem)
        line = self._line
        reading = self._transcript.reading()
        return Exchange(self._session, line.endpoint, reading, line.clock)

    async def _put(
        self, exchange: Exchange, body: bytes, deadline: "_Deadline"
    ) -> Head | Failure:
        """Carry out *exchange*, at the longest until *deadline*."""
        accept = _EVENTS if self._line.dialect.stream else _JSON
        grant, always = self._line.grant, self._always
        waits_for_token = grant is not None
        try:
            async with asyncio.timeout_at(deadline.at):
                if grant is not None:
                    always = await self._with_token(grant)
                    waits_for_token = False
                return await exchange.post(body, accept=accept, always=always)
        except TimeoutError:
            progress = exchange.progress
            if waits_for_token:
                progress = "the token endpoint gave no token"
            detail = f"{deadline.missed}: {progress}"
            return Failure(reason=ErrorReason.TIMEOUT, detail=detail)
        except ReplyError as exc:
            return _reading.failure_of(exc)

    async def _with_token(self, grant: Grant) -> dict[str, str]:
        """Return the headers that are always ours, with a token of *grant*."""
        self._token = await grant.token(self._connector())
        return {**self._always, "Authorization": f"Bearer {self._token}"}

    def _drops_token(self, body: bytes, head: Head) -> bool:  # noqa: ARG002 - as asks_again
        """Return whether *head* refuses a token that a new one may replace."""
        grant = self._line.grant
        if grant is None or head.status != _UNAUTHORIZED:
            return False
        grant.refused(self._token)
        return True

    async def _answered(self, exchange: Exchange, head: Head) -> Reply:
        """Return the reply to an exchange that went through."""
        if not head.is_good:
            content = _status.refused(head)
            reply = self._reply(exchange, content)
            # Turned away at the door: nobody has read the question.
            spent = head.status >= 500
            reply = reply if spent else replace(reply, usage=TokenUsage())
            return self._heard(content, reply)
        try:
            content = await exchange.reading.content(head.status)
        except ReplyError as exc:
            return self._failed(exchange, _reading.failure_of(exc))
        if len(content.text) > _LARGE_CHARACTERS:
            reply = await asyncio.to_thread(self._reply, exchange, content)
        else:
            reply = self._reply(exchange, content)
        return self._heard(content, reply)

    def _heard(self, content: Content, reply: Reply) -> Reply:
        """Return *reply*, remembered if the talk can go on from it."""
        if content.source and reply.failure is None:
            # Never what it says: the log is no place for answers.
            _log.debug(
                "reply.read",
                host=self._line.endpoint.host,
                trace=self._always["traceparent"],
                source=content.source,
                characters=len(reply.answer),
            )
        if reply.failure is not None:
            return reply
        return self._transcript.hear(content, reply)

    def _failed(self, exchange: Exchange, failure: Failure) -> Reply:
        """Return the reply to an exchange that ended in *failure*."""
        content = replace(exchange.reading.partial(), failure=failure, filtered=False)
        reply = self._reply(exchange, content)
        return reply if exchange.sent else replace(reply, usage=TokenUsage())

    def _reply(self, exchange: Exchange, content: Content) -> Reply:
        """Return *content* as a Reply, no secrets in its failure."""
        if content.failure is not None:
            detail = _detail.one_line(self._line.scrub(content.failure.detail))
            content = replace(content, failure=replace(content.failure, detail=detail))
        return _content.reply(content, exchange.timing, self._transcript.texts())


class _Deadline(NamedTuple):
    """When an exchange has to be over, by the loop's clock, and else what to say."""

    at: float
    within_seconds: float
    words: str

    @classmethod
    def after(cls, seconds: float, words: str) -> Self:
        """Return the deadline *seconds* from now."""
        return cls(asyncio.get_running_loop().time() + seconds, seconds, words)

    @property
    def missed(self) -> str:
        """What to say when it is missed."""
        return f"{self.words} {durations.show(max(0.0, self.within_seconds))}"
