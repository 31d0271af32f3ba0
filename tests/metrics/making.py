"""Monitors, runs and what is exposed of them, for the tests of the metrics."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from prometheus_client.parser import text_string_to_metric_families

from answerprobe.calibration import Agreement, Calibration
from answerprobe.case import Case, Criterion, Quorum, Rubric
from answerprobe.connection import Connection
from answerprobe.metrics import MonitorMetrics, SeriesStore
from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.negotiation import Format
from answerprobe.metrics.rendition import header, take, text_of
from answerprobe.monitor import (
    AnswerStorage,
    Monitor,
    Retention,
    TargetProtocol,
    TargetSettings,
)
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.sample import ErrorReason, Failure
from answerprobe.secret import Secret
from answerprobe.status import MonitorStatus, advance
from answerprobe.verdict import Outcome, Verdict


LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
OPENMETRICS = "application/openmetrics-text;version=1.0.0"


def make_case(case_id: str = "hours", *labels: str, definition: str = "1") -> Case:
    """Return a case with the criteria *labels*."""
    rubric = Rubric(criterion="judge", text="Names the opening hours.")
    return Case(
        id=case_id,
        ask="When are you open?",
        criteria=tuple(Criterion(label=label, check=rubric) for label in labels),
        within_seconds=20.0,
        bar=Quorum(samples=1, pass_at_least=1),
        fingerprint=f"{case_id}-{definition}",
    )


def make_monitor(  # noqa: PLR0913  each is one thing that some test varies
    name: str = "shop",
    *,
    cases: tuple[Case, ...] = (),
    labels: dict[str, str] | None = None,
    every_seconds: float | None = 3600.0,
    stream: bool = False,
    token_budget: int | None = None,
    answers: AnswerStorage = AnswerStorage.REDACTED,
    alert_answers: bool = True,
    definition: str = "1",
) -> Monitor:
    """Return a monitor; of the same name and definition, it is the same one."""
    return Monitor(
        name=name,
        target=TargetSettings(
            protocol=TargetProtocol.CHAT,
            connection=Connection(url=Secret("http://127.0.0.1/chat")),
            stream=stream,
        ),
        cases=cases or (make_case(),),
        labels=labels or {},
        every_seconds=every_seconds,
        target_pass_ratio=0.9,
        judge="default",
        retention=Retention(passes_seconds=1.0, failures_seconds=1.0),
        definition=definition,
        answers=answers,
        alert_answers=alert_answers,
        token_budget=token_budget,
    )


def make_sample(
    outcome: Outcome = Outcome.PASS,
    *,
    case_id: str = "hours",
    seconds: float = 0.2,
    reason: ErrorReason | None = None,
    failed: tuple[str, ...] = (),
    first_token_seconds: float | None = None,
) -> SampleResult:
    """Return a sample that ended in *outcome*; *failed* are criteria that it failed."""
    return SampleResult(
        case_id=case_id,
        fingerprint=f"{case_id}-1",
        outcome=outcome,
        started_at=NOW,
        duration_seconds=seconds,
        trace_id="0" * 32,
        failure=None if reason is None else Failure(reason=reason, detail=""),
        verdicts=tuple(
            Verdict(criterion=label, outcome=Outcome.FAIL, reason="")
            for label in failed
        ),
        first_token_seconds=first_token_seconds,
    )


def make_run(
    *samples: SampleResult,
    run_id: int = 7,
    monitor: str = "shop",
    trigger: Trigger = Trigger.SCHEDULE,
) -> Run:
    """Return a completed run of *samples*."""
    return Run(
        id=run_id,
        request=RunRequest(monitor=monitor, trigger=trigger),
        state=RunState.COMPLETED,
        queued_at=NOW,
        total=len(samples),
        done=len(samples),
        started_at=NOW,
        finished_at=NOW + timedelta(seconds=3),
        samples=samples,
    )


@dataclass(slots=True, kw_only=True)
class Shown:
    """Monitors' metrics and what they come to."""

    store: SeriesStore = field(default_factory=SeriesStore)
    metrics: MonitorMetrics = field(init=False)

    def __post_init__(self) -> None:
        self.metrics = MonitorMetrics(self.store)

    def declare(self, monitor: Monitor) -> Monitor:
        """Declare *monitor* and return it."""
        self.metrics.declare(monitor, first_seen=LONG_AGO)
        return monitor

    def finish(
        self, monitor: Monitor, run: Run, before: MonitorStatus | None = None
    ) -> MonitorStatus:
        """Count *run* and return the status after it."""
        status = advance(before or MonitorStatus(), monitor, run)
        self.metrics.run_finished(run, status)
        return status

    def text(self, text_format: Format = Format.TEXT) -> str:
        """Return all series as they are exposed."""
        cells = sorted(
            self.store.watch(), key=lambda cell: (cell.family.position, cell.block)
        )
        parts = []
        for family in MonitorFamily:
            parts.append(header(family.family, text_format))
            parts += [
                text_of(take(cell), text_format)
                for cell in cells
                if cell.family is family
            ]
        return b"".join(parts).decode()

    def all(self, name: str, **labels: str) -> dict[tuple[str, ...], float]:
        """Return the series of *name* that have *labels*: other labels -> value."""
        return {
            tuple(
                value
                for key, value in found.labels.items()
                if key != "monitor" and key not in labels
            ): found.value
            for family in text_string_to_metric_families(self.text())
            for found in family.samples
            if found.name == f"answerprobe_{name}"
            and labels.items() <= found.labels.items()
        }

    def value(self, name: str, **labels: str) -> float | None:
        """Return the one series of *name* with *labels*, None where there is none."""
        found = list(self.all(name, **labels).values())
        assert len(found) <= 1, f"{name} {labels} is ambiguous"
        return found[0] if found else None


def calibration(passes: tuple[int, int], fails: tuple[int, int]) -> Calibration:
    """Return a calibration of `default` with so many (agreed, judged)."""
    return Calibration(
        judge="default",
        definition="d1",
        models=("m",),
        prompt_version="a1",
        at=NOW,
        passes=Agreement(agreed=passes[0], judged=passes[1]),
        fails=Agreement(agreed=fails[0], judged=fails[1]),
    )
