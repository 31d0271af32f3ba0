"""
Samples as rows: facts, which stay, and texts, which retention takes after a while.

The texts of one sample are one JSON column: written once, read together, gone together.
"""

import json

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from answerprobe.evidence._instants import from_epoch
from answerprobe.run import GradedBy, Run, SampleResult
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Speaker,
    Termination,
    TokenRole,
    TokenUsage,
    ToolCall,
    ToolSource,
    Turn,
)
from answerprobe.text import scrub
from answerprobe.verdict import Outcome, Verdict


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def rows_of(run: Run) -> list[dict[str, object]]:
    """Return a row of the table `samples` for each sample of *run*."""
    counted = not run.request.exploratory
    return [
        {
            "run_id": run.id,
            "monitor": run.request.monitor,
            "case_id": sample.case_id,
            "fingerprint": sample.fingerprint,
            "counted": counted,
            "outcome": sample.outcome.value,
            "started_at": sample.started_at.timestamp(),
            "whole": sample.whole,
            "facts": scrub(_encode(_facts(sample))),
            "texts": scrub(_encode(_texts(sample))),
        }
        for sample in (*run.samples, *run.second_look)
    ]


def sample_of(row: sa.RowMapping) -> SampleResult:
    """Return the sample that *row* of the table `samples` stands for."""
    facts: dict[str, Any] = json.loads(row["facts"])
    texts: dict[str, Any] = json.loads(row["texts"]) if row["texts"] else {}
    answer = texts.get("answer")
    termination = facts.get("termination")
    reason = facts.get("failure")
    return SampleResult(
        case_id=row["case_id"],
        fingerprint=row["fingerprint"],
        outcome=Outcome(row["outcome"]),
        started_at=from_epoch(row["started_at"]),
        duration_seconds=facts["duration"],
        trace_id=facts["trace"],
        failure=Failure(reason=ErrorReason(reason), detail=texts.get("detail", ""))
        if reason
        else None,
        answer=answer,
        turns=tuple(_turn(turn, answer) for turn in texts.get("turns", ())),
        verdicts=_verdicts(facts.get("verdicts", ()), texts.get("reasons", ())),
        judge=_graded_by(facts.get("judge")),
        simulated_user=_graded_by(facts.get("user")),
        termination=Termination(termination) if termination else None,
        tokens={
            TokenRole(role): TokenUsage(
                input_tokens=spent[0], output_tokens=spent[1], estimated=spent[2]
            )
            for role, spent in facts.get("tokens", {}).items()
        },
        first_token_seconds=facts.get("first_token"),
        whole=row["whole"] and row["texts"] is not None,
        second_look=facts.get("second_look", False),
        tools_missing=tuple(facts.get("missing", ())),
        tools_unexpected=tuple(texts.get("unexpected", ())),
    )


def of_second_look(facts: str) -> bool:
    """Whether the sample with these *facts* was asked to confirm others."""
    return bool(json.loads(facts).get("second_look", False))


def why(facts: str) -> tuple[ErrorReason | None, str | None]:
    """Return the error, or else the first criterion, that a sample failed by."""
    found: dict[str, Any] = json.loads(facts)
    if reason := found.get("failure"):
        return ErrorReason(reason), None
    for criterion, outcome in found.get("verdicts", ()):
        if outcome == Outcome.FAIL.value:
            return None, criterion
    return None, None


def without_texts(sample: SampleResult) -> SampleResult:
    """Return *sample* as it reads once its texts are gone."""
    return replace(
        sample,
        failure=replace(sample.failure, detail="") if sample.failure else None,
        answer=None,
        turns=(),
        tools_unexpected=(),
        verdicts=tuple(replace(verdict, reason="") for verdict in sample.verdicts),
        whole=False,
    )


def _graded_by(kept: Sequence[str] | None) -> GradedBy | None:
    """Return the model and prompt version that *kept* stands for."""
    return GradedBy(model=kept[0], prompt_version=kept[1]) if kept else None


def _facts(sample: SampleResult) -> dict[str, object]:
    """Return what of *sample* quotes nobody."""
    facts: dict[str, object] = {
        "duration": sample.duration_seconds,
        "trace": sample.trace_id,
        "verdicts": [(v.criterion, v.outcome.value) for v in sample.verdicts],
        "tokens": {
            role.value: (usage.input_tokens, usage.output_tokens, usage.estimated)
            for role, usage in sample.tokens.items()
        },
    }
    if sample.second_look:
        facts["second_look"] = True
    if sample.failure:
        facts["failure"] = sample.failure.reason.value
    if sample.judge:
        facts["judge"] = (sample.judge.model, sample.judge.prompt_version)
    if sample.simulated_user:
        user = sample.simulated_user
        facts["user"] = (user.model, user.prompt_version)
    if sample.termination:
        facts["termination"] = sample.termination.value
    # Names out of the configuration; what the agent called is text of its own.
    if sample.tools_missing:
        facts["missing"] = sample.tools_missing
    if sample.first_token_seconds is not None:
        facts["first_token"] = sample.first_token_seconds
    return facts


def _texts(sample: SampleResult) -> dict[str, object]:
    """Return what of *sample* may quote somebody."""
    texts: dict[str, object] = {
        "turns": [_encode_turn(turn, sample.answer) for turn in sample.turns],
        "reasons": [verdict.reason for verdict in sample.verdicts],
    }
    if sample.tools_unexpected:
        texts["unexpected"] = sample.tools_unexpected
    if sample.answer is not None:
        texts["answer"] = sample.answer
    if sample.failure:
        texts["detail"] = sample.failure.detail
    return texts


def _encode_turn(turn: Turn, answer: str | None) -> dict[str, object]:
    """Return *turn*; without its text where that is the *answer*, kept already."""
    encoded: dict[str, object] = {"by": turn.speaker.value}
    if turn.text != answer or turn.speaker is not Speaker.AGENT:
        encoded["text"] = turn.text
    if turn.duration_seconds is not None:
        encoded["seconds"] = turn.duration_seconds
    if turn.tool_calls:
        encoded["tools"] = [
            {
                "name": call.name,
                "arguments": call.arguments,
                "result": call.result,
                "error": call.error,
                "source": call.source.value,
            }
            for call in turn.tool_calls
        ]
    return encoded


def _turn(found: dict[str, Any], answer: str | None) -> Turn:
    """Return the turn that *found* stands for."""
    return Turn(
        speaker=Speaker(found["by"]),
        text=found.get("text", answer or ""),
        tool_calls=tuple(
            ToolCall(
                name=call["name"],
                arguments=call["arguments"],
                result=call["result"],
                error=call["error"],
                source=ToolSource(call["source"]),
            )
            for call in found.get("tools", ())
        ),
        duration_seconds=found.get("seconds"),
    )


def _verdicts(facts: list[list[str]], reasons: list[str]) -> tuple[Verdict, ...]:
    """Return the verdicts, their reasons empty where the texts are gone."""
    kept = [*reasons, *[""] * (len(facts) - len(reasons))]
    return tuple(
        Verdict(criterion=criterion, outcome=Outcome(outcome), reason=reason)
        for (criterion, outcome), reason in zip(facts, kept, strict=False)
    )
