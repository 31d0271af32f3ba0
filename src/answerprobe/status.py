"""
What the counted runs of a monitor say: (previous status, finished run) -> status.

Pure: no clock, no I/O. A run that does not count never comes here.
"""

import math

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from answerprobe.monitor import Monitor
from answerprobe.passrate import Interval, wilson, z_of
from answerprobe.run import (
    CaseResult,
    Decision,
    Run,
    SampleResult,
    Trigger,
    case_result,
    pass_ratio,
    scaled,
)
from answerprobe.verdict import Outcome


# A case regresses only against a baseline of at least so many decided runs ...
BASELINE_MIN_RUNS = 3
# ... of which so many are remembered.
BASELINE_MAX_RUNS = 20
WINDOW_MIN_SAMPLES = 20
RUNS_UNTIL_DEGRADED = 2
SLOW_ABOVE_RATIO = 0.8
SLOWNESS_PERCENTILE = 0.9


class Cause(StrEnum):
    """Whose change made a case regress. A closed set: a metric's label."""

    AGENT = "agent"
    JUDGE = "judge"


class Health(StrEnum):
    """A monitor's status in one word."""

    UNKNOWN = "unknown"
    UP = "up"
    DEGRADED = "degraded"
    DOWN = "down"
    PAUSED = "paused"


class Pause(StrEnum):
    """Why a monitor is paused. A closed set: a metric's label."""

    BUDGET = "budget"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStatus:
    """
    What the runs of one definition of a case say.

    *baseline*: its last decided runs, oldest first, True for passing. *window*: its
    last samples, oldest first, True for passed. *failing_since_run*: the id of the run
    it has failed from, until it passes.
    """

    fingerprint: str
    decision: Decision | None = None
    baseline: tuple[bool, ...] = ()
    window: tuple[bool, ...] = ()
    consecutive_failed_runs: int = 0
    regressed: Cause | None = None
    failing_since_run: int | None = None

    @property
    def always_passed(self) -> bool:
        """Whether it has a long enough baseline, all of it passing."""
        return len(self.baseline) >= BASELINE_MIN_RUNS and all(self.baseline)

    @property
    def window_ratio(self) -> float | None:
        """Passed among the samples of the window; None without any."""
        return sum(self.window) / len(self.window) if self.window else None

    def window_interval(self, confidence: float) -> Interval | None:
        """Return the Wilson interval of the window's pass rate; None without any."""
        if not self.window:
            return None
        return wilson(sum(self.window), len(self.window), z_of(confidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorStatus:
    """What a monitor's counted runs say. *up* is None before the first one."""

    up: bool | None = None
    pass_ratio: float | None = None
    runs_below_target: int = 0
    runs_down: int = 0
    runs_slow: int = 0
    slowness_ratio: float | None = None
    last_run_id: int | None = None
    last_run_finished_at: datetime | None = None
    last_run_duration_seconds: float | None = None
    cases: Mapping[str, CaseStatus] = field(default_factory=dict)

    def of(self, monitor: Monitor) -> "MonitorStatus":
        """Return what it says of the cases that *monitor* has, as they are defined."""
        defined = {case.id: case.fingerprint for case in monitor.cases}
        cases = {
            case_id: case
            for case_id, case in self.cases.items()
            if defined.get(case_id) == case.fingerprint
        }
        return replace(self, cases=cases)

    @property
    def health(self) -> Health:
        """The status in one word; whether it is paused is known elsewhere."""
        if self.up is None:
            return Health.UNKNOWN
        if not self.up:
            return Health.DOWN
        regressed = any(c.regressed is Cause.AGENT for c in self.cases.values())
        if regressed or self.runs_below_target >= RUNS_UNTIL_DEGRADED:
            return Health.DEGRADED
        return Health.UP


def is_down(run: Run) -> bool:
    """Whether *run* has samples, and all are errors, those of a second look too."""
    return _unanswered(run.samples) and (
        not run.second_look or _unanswered(run.second_look)
    )


def to_confirm(previous: MonitorStatus, monitor: Monitor, run: Run) -> tuple[str, ...]:
    """
    Return the ids of the cases to be asked once more before *run* counts.

    Those of a scheduled run that would newly make *monitor* down, or a case regressed.
    None where *monitor* has its runs count at once.
    """
    scheduled = run.request.trigger is Trigger.SCHEDULE and not run.request.exploratory
    if not scheduled or monitor.second_look_after_seconds <= 0:
        return ()
    return confirmed(previous, monitor, run)


def confirmed(previous: MonitorStatus, monitor: Monitor, run: Run) -> tuple[str, ...]:
    """
    Return the ids of the cases that *run*, with its second look, has bad news of.

    All of them where it newly makes *monitor* down, else those that newly regressed.
    """
    if not is_down(run):
        return newly_regressed(previous, monitor, run)
    if previous.runs_down:
        return ()
    return tuple(result.case_id for result in case_results(monitor, run))


def newly_regressed(
    previous: MonitorStatus, monitor: Monitor, run: Run
) -> tuple[str, ...]:
    """
    Return the ids of the cases that always passed and fail in *run*.

    Where there was a second look at a case, it failed in that too.
    """
    if _unanswered(run.samples):
        return ()
    found = []
    for result in case_results(monitor, run):
        before = _same_definition(previous, result)
        if (
            result.decision is Decision.FAILING
            and before.always_passed
            and before.regressed is None
        ):
            found.append(result.case_id)
    return tuple(found)


def case_results(monitor: Monitor, run: Run) -> tuple[CaseResult, ...]:
    """
    Return what *run* says of each of *monitor*'s cases that it has samples of.

    The second look decides the cases that were asked again; it is in no count.
    """
    decided = {
        result.case_id: result.decision
        for result in _results(monitor, run, run.second_look)
    }
    return tuple(
        replace(result, decision=decided.get(result.case_id, result.decision))
        for result in _results(monitor, run, run.samples)
    )


def _results(
    monitor: Monitor, run: Run, samples: Iterable[SampleResult]
) -> tuple[CaseResult, ...]:
    """Return what *samples*, one look of *run*, say of each of *monitor*'s cases."""
    by_case: dict[str, list[SampleResult]] = {}
    for sample in samples:
        by_case.setdefault(sample.case_id, []).append(sample)
    return tuple(
        case_result(
            case,
            by_case[case.id],
            scaled(case.bar, run.request.samples or case.samples),
        )
        for case in monitor.cases
        if case.id in by_case
    )


def _unanswered(samples: Iterable[SampleResult]) -> bool:
    """Whether there are *samples*, and every one of them is an error."""
    return {sample.outcome for sample in samples} == {Outcome.ERROR}


def advance(
    previous: MonitorStatus,
    monitor: Monitor,
    run: Run,
    causes: Mapping[str, Cause] | None = None,
) -> MonitorStatus:
    """
    Return the status after *run*, a completed full run of *monitor*.

    *causes* tells for newly regressed cases whose change it was; the agent's where it
    says nothing. *previous* stays as it is. A run without samples says nothing. One in
    which nothing was answered at first says nothing of answers, also where the second
    look found the agent up again.
    """
    if not run.samples:
        return previous
    down, unanswered = is_down(run), _unanswered(run.samples)
    outcomes = run.outcomes
    cases = {
        result.case_id: _advance_case(
            _same_definition(previous, result),
            result,
            run,
            cause=(causes or {}).get(result.case_id, Cause.AGENT),
            unanswered=unanswered,
        )
        for result in case_results(monitor, run)
    }
    slowness = _slowness(monitor, run)
    # Where nobody was asked, by a fault that is not the agent's, nothing is known anew.
    answered = any(sample.answered for sample in (*run.samples, *run.second_look))
    unheard = previous.up, previous.runs_down
    up, runs_down = (True, 0) if answered else unheard
    if down:
        up, runs_down = False, previous.runs_down + 1
    return MonitorStatus(
        up=up,
        pass_ratio=pass_ratio(outcomes),
        runs_below_target=previous.runs_below_target
        if unanswered
        else _below_target(previous.runs_below_target, monitor, outcomes),
        runs_down=runs_down,
        runs_slow=_slow(previous.runs_slow, slowness),
        slowness_ratio=slowness,
        last_run_id=run.id,
        last_run_finished_at=run.finished_at,
        last_run_duration_seconds=run.duration_seconds,
        cases=cases,
    )


def _same_definition(previous: MonitorStatus, result: CaseResult) -> CaseStatus:
    """Return the case's status so far; a new one where its definition changed."""
    before = previous.cases.get(result.case_id)
    if before is None or before.fingerprint != result.fingerprint:
        return CaseStatus(fingerprint=result.fingerprint)
    return before


def _below_target(count: int, monitor: Monitor, outcomes: Mapping[Outcome, int]) -> int:
    """
    Return the runs in a row below target after one that ended in *outcomes*.

    Samples that were not judged count as passed when it would be held against the
    agent, and as failed when it would clear it: between the two the count stays.
    """
    total = sum(outcomes.values())
    passed = outcomes[Outcome.PASS]
    if (passed + outcomes[Outcome.NOT_JUDGED]) / total < monitor.target_pass_ratio:
        return count + 1
    if passed / total >= monitor.target_pass_ratio:
        return 0
    return count


def _slow(count: int, slowness: float | None) -> int:
    """Return the slow runs in a row; a run without answers tells nothing."""
    if slowness is None:
        return count
    return count + 1 if slowness > SLOW_ABOVE_RATIO else 0


def _slowness(monitor: Monitor, run: Run) -> float | None:
    """Return the 90th percentile (nearest rank) of duration / deadline of answers."""
    within = {case.id: case.within_seconds for case in monitor.cases}
    ratios = sorted(
        sample.duration_seconds / within[sample.case_id]
        for sample in run.samples
        if sample.answered and sample.case_id in within
    )
    if not ratios:
        return None
    return ratios[math.ceil(SLOWNESS_PERCENTILE * len(ratios)) - 1]


def _advance_case(
    before: CaseStatus, result: CaseResult, run: Run, *, cause: Cause, unanswered: bool
) -> CaseStatus:
    """Return a case's status after *run*; a fail does not count if *unanswered*."""
    after = replace(
        before,
        decision=result.decision,
        window=_window(before, result, run),
        failing_since_run=_failing_since(before, result, run),
    )
    if result.decision is Decision.UNDECIDED:
        return after
    if result.decision is Decision.PASSING:
        return replace(
            after,
            baseline=(*before.baseline, True)[-BASELINE_MAX_RUNS:],
            consecutive_failed_runs=0,
            regressed=None,
        )
    if unanswered:
        return after
    regressed = before.regressed
    baseline = (*before.baseline, False)[-BASELINE_MAX_RUNS:]
    if regressed is None and before.always_passed:
        regressed = cause
        if cause is Cause.JUDGE:
            # What another judge said is no measure for this one.
            baseline = ()
    return replace(
        after,
        baseline=baseline,
        consecutive_failed_runs=before.consecutive_failed_runs + 1,
        regressed=regressed,
    )


def _failing_since(before: CaseStatus, result: CaseResult, run: Run) -> int | None:
    """Return the run a case fails from; one that decides nothing does not change it."""
    match result.decision:
        case Decision.PASSING:
            return None
        case Decision.UNDECIDED:
            return before.failing_since_run
        case Decision.FAILING if before.failing_since_run is None:
            return run.id
        case Decision.FAILING:
            return before.failing_since_run


def _window(before: CaseStatus, result: CaseResult, run: Run) -> tuple[bool, ...]:
    """Return the window after *run*; a run with a sample not judged is left out."""
    if result.not_judged:
        return before.window
    passed = tuple(
        sample.outcome is Outcome.PASS
        for sample in run.samples
        if sample.case_id == result.case_id
    )
    size = max(WINDOW_MIN_SAMPLES, result.samples)
    return (*before.window, *passed)[-size:]
