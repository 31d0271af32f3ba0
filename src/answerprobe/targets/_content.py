"""What a reply says, apart from how long it took, and the Reply that it becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from answerprobe import text
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Reply,
    TokenUsage,
    ToolCall,
    estimate_tokens,
)


# A report is not believed when it is both: larger than any reply that we can hold, and
# far from what the texts say (a counter that sums up all users, for example).
_INCREDIBLE_TIMES = 10
_INCREDIBLE_TOKENS = 10_000


class Claim(NamedTuple):
    """The usage that an API reports, of whatever types it is."""

    input: object = None
    output: object = None


NO_CLAIM = Claim()


class Timing(NamedTuple):
    """How long a reply took, from the start of connecting."""

    duration_seconds: float
    first_token_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    A reply as its protocol has it.

    *text* may still hold reasoning, or *reasoning_field* has it; *cut* says how we know
    that the answer is not whole; *blank* what to say if nothing is in it. *given* are
    the tool calls as the API takes them back, in the order of *tool_calls*.
    """

    text: str = ""
    failure: Failure | None = None
    reasoning: str = ""
    reasoning_field: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    given: tuple[Mapping[str, object], ...] = ()
    citations: tuple[str, ...] = ()
    refusal: str | None = None
    filtered: bool = False
    cut: str | None = None
    blank: str = "the answer is blank"
    claim: Claim = NO_CLAIM
    model: str | None = None
    document: object = field(default=None, repr=False)
    source: str = field(default="", compare=False)


def failed(reason: ErrorReason, detail: str, *, claim: Claim = NO_CLAIM) -> Content:
    """Return the content of a reply without an answer."""
    return Content(failure=Failure(reason=reason, detail=detail), claim=claim)


def reply(content: Content, timing: Timing, sent: Sequence[str]) -> Reply:
    """Return *content* as a Reply; *sent* are the texts that the model had to read."""
    answer, thought = text.split_reasoning(content.text)
    if content.refusal and text.is_blank(answer):
        answer = content.refusal
    failure = content.failure or _failure(content, answer)
    is_blank = failure is not None and failure.reason is ErrorReason.EMPTY_ANSWER
    return Reply(
        answer="" if is_blank else answer,
        failure=failure,
        reasoning="\n".join(part for part in (content.reasoning, thought) if part),
        usage=_usage(content, sent),
        model=content.model,
        tool_calls=content.tool_calls,
        citations=content.citations,
        refusal=content.refusal,
        filtered=content.filtered,
        document=content.document,
        duration_seconds=timing.duration_seconds,
        first_token_seconds=timing.first_token_seconds,
    )


def _failure(content: Content, answer: str) -> Failure | None:
    """Return what makes *answer* unusable, although the reply is well-formed."""
    if content.filtered:
        return None
    if content.cut:
        return Failure(reason=ErrorReason.TRUNCATED, detail=content.cut)
    if content.tool_calls or not text.is_blank(answer):
        return None
    only_thought = not text.is_blank(content.text)
    detail = "nothing is left without the reasoning" if only_thought else content.blank
    return Failure(reason=ErrorReason.EMPTY_ANSWER, detail=detail)


def _usage(content: Content, sent: Sequence[str]) -> TokenUsage:
    """Return the tokens that the API claims, or our estimate where it can't be."""
    calls = [f"{call.name}{call.arguments}" for call in content.tool_calls]
    came = estimate_tokens(content.text, content.reasoning, *calls)
    estimate = TokenUsage(
        input_tokens=estimate_tokens(*sent), output_tokens=came, estimated=True
    )
    claimed_input = _count(content.claim.input, at_least=1 if estimate.total else 0)
    claimed_output = _count(content.claim.output, at_least=1 if came else 0)
    usage = TokenUsage(
        input_tokens=_else(claimed_input, estimate.input_tokens),
        output_tokens=_else(claimed_output, estimate.output_tokens),
        estimated=claimed_input is None or claimed_output is None,
    )
    credible = max(_INCREDIBLE_TOKENS, _INCREDIBLE_TIMES * estimate.total)
    return usage if usage.total <= credible else estimate


def _count(value: object, *, at_least: int) -> int | None:
    """Return *value* if it is a number of tokens that may be true."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= at_least else None


def _else(claimed: int | None, estimated: int) -> int:
    """Return what is *claimed*, else what is *estimated*."""
    return estimated if claimed is None else claimed
