"""(previous status, finished run) -> status."""

import math

from collections.abc import Mapping
from dataclasses import replace

from answerprobe.monitor import Monitor
from answerprobe.run import CaseResult, Decision, Run, pass_ratio
from answerprobe.status import _deploy
from answerprobe.status._look import (
    case_results,
    is_down,
    same_definition,
    unanswered,
)
from answerprobe.status._status import CaseStatus, Cause, MonitorStatus
from answerprobe.verdict import Outcome


# So many of a case's decided runs are remembered as its baseline.
BASELINE_MAX_RUNS = 20
WINDOW_MIN_SAMPLES = 20
SLOW_ABOVE_RATIO = 0.8
SLOWNESS_PERCENTILE = 0.9


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
    down, silent = is_down(run), unanswered(run.samples)
    outcomes = run.outcomes
    cases = {
        result.case_id: _advance_case(
            same_definition(previous, result),
            result,
            run,
            cause=(causes or {}).get(result.case_id, Cause.AGENT),
            unanswered=silent,
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
    recent, deploy = _deploy.after(previous.recent, previous.deploy, monitor, run)
    return MonitorStatus(
        up=up,
        pass_ratio=pass_ratio(outcomes),
        runs_below_target=previous.runs_below_target
        if silent
        else _below_target(previous.runs_below_target, monitor, outcomes),
        runs_down=runs_down,
        runs_slow=_slow(previous.runs_slow, slowness),
        slowness_ratio=slowness,
        last_run_id=run.id,
        last_run_finished_at=run.finished_at,
        last_run_duration_seconds=run.duration_seconds,
        cases=cases,
        recent=recent,
        deploy=deploy,
    )


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
