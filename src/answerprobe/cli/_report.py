"""A finished run, and what it decides of each case that was asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from answerprobe.case import Case
from answerprobe.cli._common import ExitStatus
from answerprobe.monitor import Monitor
from answerprobe.run import (
    CaseResult,
    Decision,
    Run,
    RunRequest,
    RunState,
    SampleResult,
    case_result,
    scaled,
)
from answerprobe.verdict import Outcome


NOT_ASKED = "not asked: a token budget is used up"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """One case: its samples, how many were never asked, and what they decide."""

    samples: tuple[SampleResult, ...]
    unasked: int
    result: CaseResult

    @property
    def why(self) -> str:
        """Why it does not pass; empty where it does."""
        if self.result.decision is Decision.PASSING:
            return ""
        missed = (s for s in self.samples if s.outcome is not Outcome.PASS)
        first = next(missed, None)
        return reason(first) if first else NOT_ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run and the cases that it was to ask, in the monitor's order."""

    run: Run
    cases: tuple[CaseReport, ...]

    @classmethod
    def of(cls, monitor: Monitor, run: Run) -> "Report":
        """Return the report of *run*, which was one of *monitor*."""
        by_case: dict[str, list[SampleResult]] = {}
        for sample in run.samples:
            by_case.setdefault(sample.case_id, []).append(sample)
        cases = tuple(
            _case_report(case, tuple(by_case.get(case.id, ())), run.request)
            for case in run.request.cases_of(monitor)
        )
        return cls(run=run, cases=cases)

    @property
    def cut_short(self) -> str | None:
        """What kept the run from its end, in a sentence; None where nothing did."""
        if self.run.state is RunState.COMPLETED:
            return None
        done, total = len(self.run.samples), self.run.total
        return (
            f"the run of {self.run.request.monitor!r} was cut short after {done} of "
            f"{total} samples: a token budget is used up"
        )


def _case_report(
    case: Case, samples: tuple[SampleResult, ...], request: RunRequest
) -> CaseReport:
    """Return what *samples* say of *case*; those that were not asked might pass."""
    planned = request.samples or case.samples
    unasked = max(0, planned - len(samples))
    bar = scaled(case.bar, planned)
    result = case_result(case, samples, bar, unasked=unasked)
    return CaseReport(samples=samples, unasked=unasked, result=result)


def exit_status(reports: Sequence[Report]) -> ExitStatus:
    """Return how the program ends: a fail outweighs what could not be judged."""
    decisions = {case.result.decision for report in reports for case in report.cases}
    if Decision.FAILING in decisions:
        return ExitStatus.FAILED
    if Decision.UNDECIDED in decisions or any(report.cut_short for report in reports):
        return ExitStatus.NOT_JUDGED
    return ExitStatus.OK


def reason(sample: SampleResult) -> str:
    """Return which criteria kept *sample* from passing, and why."""
    if sample.failure:
        detail = sample.failure.detail
        return f"{sample.failure.reason.value}{f': {detail}' if detail else ''}"
    return "; ".join(
        f"{verdict.criterion}: {verdict.reason}"
        for verdict in sample.verdicts
        if verdict.outcome is not Outcome.PASS
    )
