"""A run and its second look: is the news bad, and does it count?"""

from collections.abc import Iterable
from dataclasses import replace

from answerprobe.monitor import Monitor
from answerprobe.run import (
    CaseResult,
    Decision,
    Run,
    SampleResult,
    Trigger,
    case_result,
    scaled,
)
from answerprobe.status._status import CaseStatus, MonitorStatus
from answerprobe.verdict import Outcome


def is_down(run: Run) -> bool:
    """Whether *run* has samples, and all are errors, those of a second look too."""
    return unanswered(run.samples) and (
        not run.second_look or unanswered(run.second_look)
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
    if unanswered(run.samples):
        return ()
    found = []
    for result in case_results(monitor, run):
        before = same_definition(previous, result)
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


def unanswered(samples: Iterable[SampleResult]) -> bool:
    """Whether there are *samples*, and every one of them is an error."""
    return {sample.outcome for sample in samples} == {Outcome.ERROR}


def same_definition(previous: MonitorStatus, result: CaseResult) -> CaseStatus:
    """Return the case's status so far; a new one where its definition changed."""
    before = previous.cases.get(result.case_id)
    if before is None or before.fingerprint != result.fingerprint:
        return CaseStatus(fingerprint=result.fingerprint)
    return before
