"""An experiment: two setups of an agent beside each other, criterion by criterion."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe.comparison import (
    Comparison,
    CriterionComparison,
    Experiment,
    Setup,
)
from answerprobe.passrate import Change, Counted
from answerprobe.run import RunState
from answerprobe.web.pages import _paging
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._paging import Pager
from answerprobe.web.pages._when import count, duration, plural


CRITERIA_A_PAGE = 100
# What people look for comes first.
_ORDER = (Change.REGRESSED, Change.IMPROVED, Change.NO_DETECTABLE_DIFFERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """One experiment in the list of them."""

    id: int
    url: str
    monitor: str
    reason: str
    state: RunState
    started_at: datetime
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    """One criterion of one case under both setups."""

    case_id: str
    case_url: str
    criterion: str
    current: str
    changed: str
    difference: str
    interval: str
    result: str
    runs_to_separate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRow:
    """What one setup is, and what it took."""

    name: str
    run_id: int
    run_url: str
    samples: str
    tokens: str
    dollars: str
    median: str
    p95: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentPage:
    """What the page of an experiment shows."""

    id: int
    monitor: str
    monitor_url: str
    reason: str
    settings: tuple[tuple[str, str], ...]
    state: RunState
    done: int
    total: int
    started_at: datetime
    finished_at: datetime | None
    verdict: str
    by_chance: str
    rows: tuple[CriterionRow, ...]
    pager: Pager
    setups: tuple[SetupRow, ...]
    api_url: str


def rows(experiments: Sequence[Experiment], links: Links) -> tuple[ExperimentRow, ...]:
    """Return *experiments* as rows of a list."""
    return tuple(
        ExperimentRow(
            id=experiment.id,
            url=links.experiment(experiment.id),
            monitor=experiment.plan.monitor,
            reason=experiment.plan.reason,
            state=experiment.state,
            started_at=experiment.started_at,
            summary=_verdict(experiment.comparison),
        )
        for experiment in experiments
    )


def experiment_page(experiment: Experiment, page: int, links: Links) -> ExperimentPage:
    """Return the page of *experiment*, what changed first."""
    plan, found = experiment.plan, experiment.comparison
    ordered = sorted(found.criteria, key=lambda one: _ORDER.index(one.result))
    page, cut = _paging.cut(ordered, page=page, size=CRITERIA_A_PAGE)
    return ExperimentPage(
        id=experiment.id,
        monitor=plan.monitor,
        monitor_url=links.monitor(plan.monitor),
        reason=plan.reason,
        settings=tuple(plan.settings.items()),
        state=experiment.state,
        done=experiment.done,
        total=plan.total,
        started_at=experiment.started_at,
        finished_at=experiment.finished_at,
        verdict=_verdict(found),
        by_chance=(
            "Each criterion is looked at by itself, at 95%: if nothing differed, about "
            f"{found.expected_by_chance:.2g} of them would still be called improved or "
            "regressed."
        ),
        rows=tuple(_row(one, plan.monitor, links) for one in cut),
        pager=Pager(
            page=page,
            size=CRITERIA_A_PAGE,
            total=len(ordered),
            path=links.experiment(experiment.id),
            parameters={},
        ),
        setups=tuple(_setup(experiment, setup, links) for setup in Setup),
        api_url=links.url(f"/v1/experiments/{experiment.id}"),
    )


def _verdict(found: Comparison) -> str:
    """Return how many criteria changed which way, in a sentence."""
    if not found.criteria:
        return "Nothing is compared yet."
    ends = [
        f"{number:,} {change.value.replace('_', ' ')}"
        for change in _ORDER
        if (number := found.found(change))
    ]
    total = "criterion" if len(found.criteria) == 1 else "criteria"
    return f"Of {len(found.criteria):,} {total}: {', '.join(ends)}."


def _row(found: CriterionComparison, monitor: str, links: Links) -> CriterionRow:
    """Return one criterion as a row."""
    difference, more = found.difference, found.runs_to_separate
    return CriterionRow(
        case_id=found.case_id,
        case_url=links.case(monitor, found.case_id),
        criterion=found.criterion,
        current=_counted(found.current),
        changed=_counted(found.changed),
        difference=f"{difference.difference:+.0%}" if difference else "\u2013",
        interval=f"{difference.low:+.0%} to {difference.high:+.0%}"
        if difference
        else "not judged",
        result=found.result.value,
        runs_to_separate=count(more) if more is not None else "\u2013",
    )


def _counted(found: Counted) -> str:
    """Return how many passed of how many."""
    return f"{found.passed:,} of {found.judged:,}"


def _setup(experiment: Experiment, setup: Setup, links: Links) -> SetupRow:
    """Return what *setup* took."""
    spend, run_id = experiment.comparison.spend[setup], experiment.run_ids[setup]
    tokens = sum(usage.total for usage in spend.tokens.values())
    about = any(usage.estimated for usage in spend.tokens.values())
    unpriced = ", ".join(role.value.replace("_", " ") for role in spend.unpriced)
    return SetupRow(
        name=setup.value,
        run_id=run_id,
        run_url=links.run(run_id),
        samples=plural(spend.samples, "sample"),
        tokens=f"{'about ' if about else ''}{count(tokens)}",
        dollars=_dollars(spend.dollars, unpriced),
        median=duration(spend.median_seconds),
        p95=duration(spend.p95_seconds),
    )


def _dollars(dollars: float | None, unpriced: str) -> str:
    """Return what a setup cost, without the roles that have no price."""
    if dollars is None:
        return "no price is set"
    return f"${dollars:,.4f} without {unpriced}" if unpriced else f"${dollars:,.4f}"
