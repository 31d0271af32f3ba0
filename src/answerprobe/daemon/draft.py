"""A case drafted by the judge's model, from words."""

import asyncio

from collections.abc import Callable
from dataclasses import dataclass

from answerprobe.daemon._books import utc_now
from answerprobe.daemon._draft_wording import (
    Wish,
    first_messages,
    read_case,
    repair_messages,
    response_format,
)
from answerprobe.errors import LlmError, LlmFault, NoDraft
from answerprobe.llm import Completion, Llm, Message
from answerprobe.monitor import JudgeSettings
from answerprobe.sample import TokenUsage
from answerprobe.text import one_line


__all__ = ["Draft", "DraftOptions", "Refused", "Unusable", "Wish", "draft_case"]

_MOST_TOKENS = 2048
_TRIES = 2
_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
_CUT = frozenset({"length", "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOptions:
    """
    What is wanted, and of whom.

    *check* returns what is wrong with a case, in words, nothing where it may stay.
    """

    wish: Wish
    judge: JudgeSettings
    scrub: Callable[[str], str]
    check: Callable[[dict[str, object]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case that may stay, who drafted it and what that cost."""

    case: dict[str, object]
    model: str
    usage: TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The model was reached and drafted nothing that may stay: *problems*, in words."""

    problems: str
    usage: TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """The model could not be used, for this *reason*."""

    reason: str
    usage: TokenUsage


async def draft_case(options: DraftOptions) -> Draft | Refused | Unusable:
    """Return a case as *options* want it; what is wrong with one may be mended once."""
    judge = options.judge
    llm = Llm(judge.connection, judge.model, scrub=options.scrub, now=utc_now)
    desk = _Desk(llm, options)
    try:
        return await desk.draft()
    finally:
        await llm.close()


class _Desk:
    """Asks one model for one case."""

    def __init__(self, llm: Llm, options: DraftOptions) -> None:
        self._llm = llm
        self._options = options
        self._spent = TokenUsage()

    async def draft(self) -> Draft | Refused | Unusable:
        """Ask, and once more with what was wrong."""
        messages: list[Message] = [
            {
                "role": message["role"],
                "content": self._options.scrub(message["content"]),
            }
            for message in first_messages(self._options.wish)
        ]
        problems = ""
        for _ in range(_TRIES):
            try:
                completion = await self._ask(messages)
            except LlmError as exc:
                return Unusable(reason=str(exc), usage=self._spent)
            try:
                case = self._read(completion)
            except NoDraft as exc:
                problems = self._options.scrub(str(exc))
            else:
                model = completion.model or self._options.judge.model
                told = self._options.scrub(one_line(model, 100))
                return Draft(case=case, model=told, usage=self._spent)
            reply = self._options.scrub(completion.text)
            messages = [*messages, *repair_messages(reply, problems)]
        return Refused(problems=problems, usage=self._spent)

    def _read(self, completion: Completion) -> dict[str, object]:
        """Return the case in *completion*, or raise with what is wrong with it."""
        if completion.finish_reason in _CUT:
            raise NoDraft("the reply was cut: the case is too long")
        case = read_case(self._options.scrub(completion.text))
        if problems := self._options.check(case):
            raise NoDraft(problems)
        return case

    async def _ask(self, messages: list[Message]) -> Completion:
        """Return what the model says; what may pass is waited for and tried again."""
        judge = self._options.judge
        attempt = 0
        while True:
            attempt += 1
            try:
                completion = await self._llm.complete(
                    messages,
                    max_tokens=max(judge.max_tokens, _MOST_TOKENS),
                    temperature=0.0,
                    response_format=response_format(self._options.wish),
                    timeout_seconds=judge.timeout_seconds,
                )
            except LlmError as exc:
                self._spent += _cost(exc)
                wait = exc.retry_after_seconds or _PAUSE_SECONDS
                lost = exc.permanent or attempt >= judge.attempts
                if lost or wait > _LONGEST_PAUSE_SECONDS:
                    raise
                await asyncio.sleep(wait)
                continue
            self._spent += completion.usage
            if completion.refusal is not None:
                raise LlmError(LlmFault.REFUSED, "the model refused to draft a case")
            return completion


def _cost(exc: LlmError) -> TokenUsage:
    """Return what a request that failed has cost."""
    return TokenUsage(
        input_tokens=exc.input_tokens,
        output_tokens=exc.output_tokens,
        estimated=exc.estimated,
    )
