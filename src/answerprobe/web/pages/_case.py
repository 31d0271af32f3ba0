"""A case: its newest answer beside the last good one, its history, its definition."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe.case import Case, CaseState, Threshold
from answerprobe.evidence import HistoryPoint, KeptSample
from answerprobe.passrate import wilson, z_of
from answerprobe.run import Decision
from answerprobe.shapes import MonitorView
from answerprobe.status import WINDOW_MIN_SAMPLES, CaseStatus, Cause
from answerprobe.verdict import Outcome
from answerprobe.web.pages._chart import LineChart, Value, line
from answerprobe.web.pages._definition import CaseDefinition, definition
from answerprobe.web.pages._difference import Difference
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._run import cases_of, compared, is_silent, shown_sample
from answerprobe.web.pages._sample import SampleView
from answerprobe.web.pages._when import absolute, percent


HISTORY_SAMPLES = 600
RUNS_LISTED = 20
_CHART_SIZE = (640, 140)
_CHART_RUNS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOfCase:
    """What one run said of the case; *lower* is the window's bound after it."""

    run_id: int
    url: str
    at: datetime
    outcomes: tuple[Outcome, ...]
    ratio: float | None
    lower: float | None
    window_samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    """
    What the page of a case shows.

    *bad* is the newest sample that did not pass, if the last run has one; *good* the
    newest that passed.
    """

    id: str
    monitor: str
    monitor_url: str
    state: str
    status: CaseStatus
    regressed: Cause | None
    ratio: str
    lower_bound: str
    bound: str
    window_samples: int
    bad: SampleView | None
    good: SampleView | None
    difference: Difference | None
    runs: tuple[RunOfCase, ...]
    chart: LineChart | None
    definition: CaseDefinition
    store_failed: bool
    life: CaseState
    reason: str | None
    replaced_by: str | None
    replacement_url: str | None


def case_page(
    view: MonitorView,
    case: Case,
    *,
    newest: Sequence[KeptSample] | None,
    history: Sequence[HistoryPoint],
    links: Links,
) -> CasePage:
    """Return the page of *case*; None of *newest*: the store did not answer."""
    status = status_of(view, case)
    same = [k for k in newest or () if k.sample.fingerprint == case.fingerprint]
    bad, good = _pair(view, same, links)
    runs = runs_of(history, case, links)
    interval = status.window_interval(case.confidence)
    return CasePage(
        id=case.id,
        monitor=view.monitor.name,
        monitor_url=links.monitor(view.monitor.name),
        state=state_of(case, status),
        status=status,
        regressed=status.regressed,
        ratio=percent(status.window_ratio),
        lower_bound=percent(interval.low if interval else None),
        window_samples=len(status.window),
        bad=bad,
        good=good,
        difference=compared(bad, good) if bad else None,
        runs=tuple(reversed(runs))[:RUNS_LISTED],
        chart=_chart(runs[-_CHART_RUNS:], case),
        bound=_bound(case),
        definition=definition(view.monitor, case),
        store_failed=newest is None,
        life=case.state,
        reason=case.reason,
        replaced_by=case.replaced_by,
        replacement_url=links.case(view.monitor.name, case.replaced_by)
        if case.replaced_by
        else None,
    )


def status_of(view: MonitorView, case: Case) -> CaseStatus:
    """Return what the runs of *case*, as it is defined now, say."""
    status = view.status.cases.get(case.id)
    if status is None or status.fingerprint != case.fingerprint:
        return CaseStatus(fingerprint=case.fingerprint)
    return status


def state_of(case: Case, status: CaseStatus) -> str:
    """Return how *case* stands, in one word: by its runs where they count."""
    if case.state is not CaseState.ACCEPTED:
        return case.state.value
    if status.decision is None:
        return "never run"
    if status.regressed and status.decision is Decision.FAILING:
        return "regressed"
    return status.decision.value


def _pair(
    view: MonitorView, newest: Sequence[KeptSample], links: Links
) -> tuple[SampleView | None, SampleView | None]:
    """Return the last run's sample that did not pass, and the newest that passed."""
    last_run = max((kept.run_id for kept in newest), default=0)
    bad = [
        kept
        for kept in newest
        if kept.run_id == last_run and kept.sample.outcome is not Outcome.PASS
    ]
    bad.sort(key=lambda kept: _BAD_FIRST.index(kept.sample.outcome))
    good = [kept for kept in newest if kept.sample.outcome is Outcome.PASS]

    def shown(kept: Sequence[KeptSample]) -> SampleView | None:
        if not kept:
            return None
        return shown_sample(
            kept[0],
            monitor=view.monitor.name,
            cases=cases_of(view),
            links=links,
            silent=is_silent(view),
        )

    return shown(bad), shown(good)


_BAD_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED)


def runs_of(
    history: Sequence[HistoryPoint], case: Case, links: Links
) -> list[RunOfCase]:
    """
    Return what each run of *history* said of *case*, oldest first.

    The window grows as status grows it: runs with a sample that was not judged are left
    out, and samples of another definition are none.
    """
    by_run: dict[int, list[HistoryPoint]] = {}
    for point in history:
        if point.fingerprint == case.fingerprint:
            by_run.setdefault(point.run_id, []).append(point)
    window: list[bool] = []
    found = []
    for run_id, points in by_run.items():
        outcomes = tuple(point.outcome for point in points)
        if Outcome.NOT_JUDGED not in outcomes:
            size = max(WINDOW_MIN_SAMPLES, len(outcomes))
            window = [*window, *(o is Outcome.PASS for o in outcomes)][-size:]
        judged = [o for o in outcomes if o is not Outcome.NOT_JUDGED]
        found.append(
            RunOfCase(
                run_id=run_id,
                url=links.run(run_id),
                at=points[-1].at,
                outcomes=outcomes,
                ratio=judged.count(Outcome.PASS) / len(judged) if judged else None,
                lower=wilson(sum(window), len(window), z_of(case.confidence)).low
                if window
                else None,
                window_samples=len(window),
            )
        )
    return found


def _bound(case: Case) -> str:
    """Return how sure the lower bound is, and what it must clear."""
    sure = f"{percent(case.confidence)} confidence"
    if isinstance(case.bar, Threshold):
        return f"{sure}; in a run, each criterion's must be above {case.bar.above:.0%}"
    return sure


def _chart(runs: Sequence[RunOfCase], case: Case) -> LineChart | None:
    """Return the lower bound over time; None where two points make no line."""
    if len(runs) < 2:
        return None
    values = [
        Value(
            ratio=run.lower,
            kind="good" if set(run.outcomes) == {Outcome.PASS} else "bad",
            title=(
                f"Run {run.run_id}, {absolute(run.at)}: lower bound "
                f"{percent(run.lower)} (n = {run.window_samples})"
            ),
            note=f"n={run.window_samples}",
        )
        for run in runs
    ]
    last = runs[-1]
    label = (
        f"Lower bound of the pass rate over the last {len(runs)} runs, now "
        f"{percent(last.lower)} with n = {last.window_samples}"
    )
    above = case.bar.above if isinstance(case.bar, Threshold) else None
    return line(values, size=_CHART_SIZE, label=label, target=above)
