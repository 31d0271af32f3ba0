"""One sample as a page shows it: asked, answered, and why it ended as it did."""

import json

from dataclasses import dataclass, replace
from datetime import datetime

from answerprobe.case import BUILT_IN_RUBRICS, Case
from answerprobe.evidence import KeptSample, redacted
from answerprobe.monitor import AnswerStorage
from answerprobe.run import SampleResult
from answerprobe.sample import Speaker, ToolCall, ToolSource, Turn
from answerprobe.verdict import Outcome, Verdict
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._when import count, duration


_SOURCES = {
    ToolSource.MOCKED: "mocked",
    ToolSource.LIVE: "live",
    ToolSource.AGENT: "by the agent",
}
_SPEAKERS = {Speaker.USER: "User", Speaker.AGENT: "Agent"}
_JUDGED = frozenset({"judge", *BUILT_IN_RUBRICS})
_OF_TOOLS = frozenset(
    {
        "does_not_invoke_tool",
        "expected_actions",
        "invokes_tool",
        "tool_parameters_contain",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A tool call: what was sent, what came back, and who answered."""

    name: str
    sent: str
    returned: str
    failed: bool
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One message of the transcript."""

    who: str
    by_agent: bool
    text: str
    took: str | None
    calls: tuple[CallView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionView:
    """What one criterion said; *judged* by a model, by its *rubric*, else by code."""

    label: str
    outcome: Outcome
    reason: str
    judged: bool
    rubric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleView:
    """
    One sample.

    *whys* are the reasons it did not pass, a judge's first, what tools have to do with
    it last. *answer* is None where none came or is kept; *words* tells why not.
    """

    number: int
    run_id: int
    run_url: str
    case_id: str
    case_url: str
    outcome: Outcome
    error: str | None
    question: str | None
    answer: str | None
    words: str
    whys: tuple[CriterionView, ...]
    turns: tuple[TurnView, ...]
    user_turns: int
    tools: tuple[str, ...]
    never_called: tuple[str, ...]
    not_expected: tuple[str, ...]
    criteria: tuple[CriterionView, ...]
    judge: str | None
    prompt_version: str | None
    simulated_user: str | None
    tokens: tuple[str, ...]
    took: str
    first_token: str | None
    at: datetime
    trace_id: str
    termination: str | None
    second_look: bool


def wordless(kept: KeptSample) -> KeptSample:
    """Return *kept* as `answers: none` would have kept it."""
    sample = redacted(kept.sample, scrub=str, answers=AnswerStorage.NONE)
    return replace(kept, sample=sample)


def sample_view(
    kept: KeptSample, *, monitor: str, case: Case | None, links: Links, silent: bool
) -> SampleView:
    """Return *kept*, of *case* if that is known; *silent*: no texts are kept."""
    sample = kept.sample
    criteria = _criteria(sample, case)
    judge, user = sample.judge, sample.simulated_user
    tools = [call.name for turn in sample.turns for call in turn.tool_calls]
    return SampleView(
        number=kept.number,
        run_id=kept.run_id,
        run_url=links.run(kept.run_id),
        case_id=sample.case_id,
        case_url=links.case(monitor, sample.case_id),
        outcome=sample.outcome,
        error=error_words(sample),
        question=question(sample, case),
        answer=sample.answer or None,
        words=_words(sample, silent=silent),
        whys=_whys(criteria),
        turns=tuple(map(_turn, sample.turns)),
        user_turns=sample.user_turns,
        tools=tuple(dict.fromkeys(tools)),
        never_called=sample.tools_missing,
        not_expected=sample.tools_unexpected,
        criteria=criteria,
        judge=judge.model if judge else None,
        prompt_version=judge.prompt_version if judge else None,
        simulated_user=user.model if user else None,
        tokens=_tokens(sample),
        took=duration(sample.duration_seconds),
        first_token=None
        if sample.first_token_seconds is None
        else duration(sample.first_token_seconds),
        at=sample.started_at,
        trace_id=sample.trace_id,
        termination=sample.termination.value.replace("_", " ")
        if sample.termination
        else None,
        second_look=sample.second_look,
    )


def why(sample: SampleResult) -> str:
    """Return why *sample* did not pass, in one line."""
    for verdict in sample.verdicts:
        if verdict.outcome is not Outcome.PASS:
            return f"{verdict.criterion}: {verdict.reason}".removesuffix(": ")
    return error_words(sample) or ""


def error_words(sample: SampleResult) -> str | None:
    """Return why no usable answer came; None where one did."""
    if sample.failure is None:
        return None
    reason = sample.failure.reason.value
    return f"{reason}: {sample.failure.detail}" if sample.failure.detail else reason


def question(sample: SampleResult, case: Case | None) -> str | None:
    """Return what was asked first; None where that is not kept."""
    said = (turn.text for turn in sample.turns if turn.speaker is Speaker.USER)
    return next(said, case.ask if case else None)


def _words(sample: SampleResult, *, silent: bool) -> str:
    """Return what stands in an answer's place where there is none."""
    if silent:
        return "Answers of this monitor are not kept (answers: none)."
    if sample.outcome is Outcome.ERROR:
        return "No usable answer came."
    if not sample.turns:
        return "The text is no longer kept (retention)."
    return "No text came."


def _criteria(sample: SampleResult, case: Case | None) -> tuple[CriterionView, ...]:
    """Return every verdict of *sample*, in the case's order."""
    rubrics = {label: rubric.text for label, rubric in case.rubrics} if case else {}
    return tuple(
        CriterionView(
            label=verdict.criterion,
            outcome=verdict.outcome,
            reason=verdict.reason,
            judged=verdict.criterion in rubrics or _sounds_judged(verdict),
            rubric=rubrics.get(verdict.criterion, ""),
        )
        for verdict in sample.verdicts
    )


def _sounds_judged(verdict: Verdict) -> bool:
    """Whether the criterion's name alone says that a judge grades it."""
    return verdict.criterion.partition("#")[0] in _JUDGED


def _whys(criteria: tuple[CriterionView, ...]) -> tuple[CriterionView, ...]:
    """Return what did not pass: a judge's reason first, those about tools last."""
    bad = [c for c in criteria if c.outcome is not Outcome.PASS]

    def place(criterion: CriterionView) -> int:
        if criterion.judged:
            return 0
        return 2 if criterion.label.partition("#")[0] in _OF_TOOLS else 1

    return tuple(sorted(bad, key=place))


def _turn(turn: Turn) -> TurnView:
    """Return one message."""
    return TurnView(
        who=_SPEAKERS[turn.speaker],
        by_agent=turn.speaker is Speaker.AGENT,
        text=turn.text,
        took=None if turn.duration_seconds is None else duration(turn.duration_seconds),
        calls=tuple(map(_call, turn.tool_calls)),
    )


def _call(call: ToolCall) -> CallView:
    """Return one tool call."""
    return CallView(
        name=call.name,
        sent=as_json(call.arguments),
        returned=call.error if call.error is not None else as_json(call.result),
        failed=call.error is not None,
        source=_SOURCES[call.source],
    )


def as_json(value: object) -> str:
    """Return a JSON value as a person reads it; a text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def _tokens(sample: SampleResult) -> tuple[str, ...]:
    """Return what each role spent."""
    return tuple(
        f"{role.value.replace('_', ' ')}: {count(usage.input_tokens)} in, "
        f"{count(usage.output_tokens)} out{' (estimated)' if usage.estimated else ''}"
        for role, usage in sample.tokens.items()
    )
