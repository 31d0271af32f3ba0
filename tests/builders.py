"""Small domain objects for tests, with everything that doesn't matter filled in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from answerprobe.case import Case, Criterion, Quorum, Rubric
from answerprobe.connection import Connection
from answerprobe.monitor import Monitor, Retention, TargetProtocol, TargetSettings
from answerprobe.rules import RULES
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.secret import Secret
from answerprobe.verdict import Outcome


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def criterion(name: str, value: object) -> Criterion:
    """Return the rule *name* with *value*, or a rubric where it is `judge`."""
    if name == "judge":
        return Criterion(label=name, check=Rubric(criterion=name, text=str(value)))
    return Criterion(label=name, check=RULES[name].parse(value))


def case(
    case_id: str = "refund",
    *,
    expect: Mapping[str, object] | None = None,
    samples: int = 3,
    pass_at_least: int = 2,
    fingerprint: str = "f1",
    within_seconds: float = 20.0,
) -> Case:
    """Return a case that asks for *case_id* and expects "30 days"."""
    return Case(
        id=case_id,
        ask=f"What about {case_id}?",
        criteria=tuple(
            criterion(name, value)
            for name, value in (expect or {"contains": "30 days"}).items()
        ),
        within_seconds=within_seconds,
        bar=Quorum(samples=samples, pass_at_least=pass_at_least),
        fingerprint=fingerprint,
    )


def monitor(  # noqa: PLR0913  each test names only what it is about
    name: str = "shop",
    *,
    cases: Sequence[Case] | None = None,
    every_seconds: float | None = None,
    labels: Mapping[str, str] | None = None,
    target_pass_ratio: float = 0.9,
    token_budget: int | None = None,
    definition: str = "d1",
    confirm_seconds: float = 30.0,
) -> Monitor:
    """Return a monitor of a chat agent that nobody serves."""
    return Monitor(
        name=name,
        target=TargetSettings(
            protocol=TargetProtocol.CHAT,
            connection=Connection(url=Secret("http://127.0.0.1:9/chat")),
        ),
        cases=tuple(cases or (case(),)),
        labels=labels or {},
        every_seconds=every_seconds,
        target_pass_ratio=target_pass_ratio,
        judge="default",
        retention=Retention(passes_seconds=7 * 86400, failures_seconds=90 * 86400),
        definition=definition,
        token_budget=token_budget,
        confirm_seconds=confirm_seconds,
    )


def sample_result(
    outcome: Outcome,
    *,
    case_id: str = "refund",
    fingerprint: str = "f1",
    answer: str | None = "Within 30 days.",
    duration_seconds: float = 1.0,
) -> SampleResult:
    """Return what is kept of a sample that ended in *outcome*."""
    return SampleResult(
        case_id=case_id,
        fingerprint=fingerprint,
        outcome=outcome,
        started_at=NOW,
        duration_seconds=duration_seconds,
        trace_id="0" * 32,
        answer=answer,
    )


def run(
    samples: Sequence[SampleResult],
    *,
    run_id: int = 1,
    monitor_name: str = "shop",
    trigger: Trigger = Trigger.MANUAL,
    second_look: Sequence[SampleResult] = (),
) -> Run:
    """Return a completed run of *samples*, confirmed by a *second_look* or not."""
    return Run(
        id=run_id,
        request=RunRequest(monitor=monitor_name, trigger=trigger),
        state=RunState.COMPLETED,
        queued_at=NOW,
        started_at=NOW,
        finished_at=NOW,
        total=len(samples),
        done=len(samples),
        samples=tuple(samples),
        second_look=tuple(replace(s, second_look=True) for s in second_look),
    )
