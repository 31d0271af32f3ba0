"""What is left out of a sample before anything is written."""

import json

from collections.abc import Callable
from dataclasses import replace

from answerprobe import pii, text
from answerprobe.monitor import AnswerStorage
from answerprobe.run import SampleResult
from answerprobe.sample import ErrorReason, Failure, ToolCall, Turn
from answerprobe.verdict import Verdict


TEXT_LIMIT_BYTES = 2048
# Only so much of a text is looked through for personal data ...
_LOOKED_AT_CHARACTERS = 3072
# ... and so much of the end of what comes out may be the half of an address.
_HALF_CHARACTERS = 512
_MOST_TOOL_CALLS = 50
# As long as the shortest phone number with its country.
_SHORTEST_NUMBER_DIGITS = 8
# Failures that come before a word of the target: their detail is all ours.
_BEFORE_ANY_WORD = frozenset(
    {
        ErrorReason.TIMEOUT,
        ErrorReason.CONNECT,
        ErrorReason.DNS,
        ErrorReason.TLS,
        ErrorReason.DISCONNECTED,
    }
)
_BY_STATUS = frozenset({ErrorReason.HTTP_STATUS, ErrorReason.RATE_LIMITED})


def redacted(
    result: SampleResult, *, scrub: Callable[[str], str], answers: AnswerStorage
) -> SampleResult:
    """
    Return *result* as it may be kept.

    Secrets (by *scrub*) and personal data are taken out of every text, and then it is
    cut to 2 KB. With *answers* none no word of target or judge is left. `whole` says
    whether the exchange with the target is as it was.
    """
    if answers is AnswerStorage.NONE:
        result = _without_words(result)
    clean = _Cleaner(scrub)
    answer = None if result.answer is None else clean(result.answer)
    turns = tuple(_clean_turn(turn, clean) for turn in result.turns)
    failure = result.failure
    return replace(
        result,
        answer=answer,
        turns=turns,
        verdicts=tuple(
            Verdict(
                criterion=verdict.criterion,
                outcome=verdict.outcome,
                reason=clean(verdict.reason),
            )
            for verdict in result.verdicts
        ),
        failure=replace(failure, detail=clean(failure.detail)) if failure else None,
        tools_unexpected=tuple(map(clean, result.tools_unexpected[:_MOST_TOOL_CALLS])),
        whole=result.whole and answer == result.answer and turns == result.turns,
    )


class _Cleaner:
    """Takes secrets and personal data out of texts, and cuts them; each text once."""

    def __init__(self, scrub: Callable[[str], str]) -> None:
        self._scrub = scrub
        self._known: dict[str, str] = {}

    def __call__(self, words: str) -> str:
        """Return *words* as they may be kept; what was asked before is known."""
        known = self._known.get(words)
        if known is None:
            known = self._known[words] = self._clean(words)
        return known

    def _clean(self, words: str) -> str:
        """Return *words* as they may be kept."""
        # All of it: a secret may be longer than what is kept.
        words = self._scrub(words)
        start = pii.redact(text.scrub(words[:_LOOKED_AT_CHARACTERS]))
        if len(words) > _LOOKED_AT_CHARACTERS:
            start = start[:-_HALF_CHARACTERS] + text.ELLIPSIS
        return text.cut(start, TEXT_LIMIT_BYTES)


def _clean_turn(turn: Turn, clean: _Cleaner) -> Turn:
    """Return *turn* as it may be kept."""
    return replace(
        turn,
        text=clean(turn.text),
        tool_calls=tuple(
            replace(
                call,
                name=clean(call.name),
                arguments=_clean_data(call.arguments, clean),
                result=_clean_data(call.result, clean),
                error=None if call.error is None else clean(call.error),
            )
            for call in turn.tool_calls[:_MOST_TOOL_CALLS]
        ),
    )


def _clean_data(value: object, clean: _Cleaner) -> object:
    """Return the JSON *value* as it may be kept; as cut text where it is too long."""
    if value is None:
        return None
    written = json.dumps(value, ensure_ascii=False)
    if len(written.encode("utf-8", "replace")) > TEXT_LIMIT_BYTES:
        return clean(written)
    return _clean_value(value, clean)


def _clean_value(value: object, clean: _Cleaner) -> object:
    """Return the JSON *value* with every text in it cleaned, names and numbers too."""
    match value:
        case str():
            return clean(value)
        case bool():
            return value
        case int():
            digits = str(value)
            cleaned = (
                clean(digits) if len(digits) >= _SHORTEST_NUMBER_DIGITS else digits
            )
            return value if cleaned == digits else cleaned
        case dict():
            return {
                clean(str(key)): _clean_value(item, clean)
                for key, item in value.items()
            }
        case list() | tuple():
            return [_clean_value(item, clean) for item in value]
        case _:
            return value


def _without_words(result: SampleResult) -> SampleResult:
    """Return *result* without a word of target or judge."""
    failure = result.failure
    silent = _silent_failure(failure) if failure else None
    return replace(
        result,
        answer=None,
        turns=tuple(
            replace(turn, text="", tool_calls=tuple(map(_silent_call, turn.tool_calls)))
            for turn in result.turns
        ),
        verdicts=tuple(
            replace(verdict, reason=_silent_reason(verdict, failure, silent))
            for verdict in result.verdicts
        ),
        failure=silent,
        whole=False,
    )


def _silent_call(call: ToolCall) -> ToolCall:
    """Return *call* with nothing but its name."""
    return replace(call, arguments=None, result=None, error=None)


def _silent_failure(failure: Failure) -> Failure:
    """Return *failure* without the words of a server that its detail may have."""
    if failure.reason in _BEFORE_ANY_WORD:
        return failure
    if failure.reason in _BY_STATUS:
        return replace(failure, detail=failure.detail.partition(":")[0])
    return replace(failure, detail="")


def _silent_reason(
    verdict: Verdict, failure: Failure | None, silent: Failure | None
) -> str:
    """Return the reason of *verdict* without words of target or judge."""
    if verdict.unquoted is not None:
        return verdict.unquoted
    if failure and silent and verdict.reason == failure.detail:
        return silent.detail or failure.reason.value
    return verdict.reason
