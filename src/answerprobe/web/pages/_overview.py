"""The overview: every monitor with how it stands, the worst first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from multidict import MultiMapping

from answerprobe.evidence import RunSummary
from answerprobe.passrate import wilson
from answerprobe.run import Decision
from answerprobe.shapes import BudgetView, GoingView, MonitorView
from answerprobe.status import Cause, Health, Pause
from answerprobe.web.pages import _paging, _query
from answerprobe.web.pages._chart import BarChart, Value, bars
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._paging import Pager
from answerprobe.web.pages._when import absolute, percent, plural


MONITORS_A_PAGE = 50
SPARKLINE_RUNS = 24
# Beyond so many different labels a list of them helps nobody; one can still search.
_MOST_LABELS = 200
_SPARKLINE_SIZE = (120, 24)
_WORST_FIRST = (
    Health.DOWN,
    Health.DEGRADED,
    Health.PAUSED,
    Health.UNKNOWN,
    Health.UP,
)


class RunFilter(StrEnum):
    """Which monitors to show, by their runs."""

    COMPLETED = "completed"
    IN_PROGRESS = "in progress"
    NEVER_RUN = "never run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the overview is to show. *label* is `name=value`, or empty."""

    search: str = ""
    status: Health | None = None
    label: str = ""
    runs: RunFilter | None = None
    page: int = 1

    @classmethod
    def of(cls, query: MultiMapping[str]) -> "Wanted":
        """
        Return what *query* asks for.

        Raises:
            RequestError: a value of it is wrong (400).
        """
        return cls(
            search=_query.text(query, "q"),
            status=_query.member(Health, query, "status"),
            label=_query.text(query, "label"),
            runs=_query.member(RunFilter, query, "runs"),
            page=_query.page(query),
        )

    @property
    def parameters(self) -> dict[str, str | int | None]:
        """The same as parameters of a query, the page apart."""
        return {
            "q": self.search,
            "status": self.status,
            "label": self.label,
            "runs": self.runs,
        }

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.search or self.status or self.label or self.runs)

    def takes(self, view: MonitorView) -> bool:
        """Whether *view* is to be shown."""
        name = view.monitor.name.casefold()
        return (
            self.search.casefold() in name
            and self.status in (None, view.health)
            and (not self.label or self.label in _labels(view))
            and (self.runs is None or self.runs is _runs(view))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One monitor on the overview. *news* tells what is wrong in a few words."""

    name: str
    url: str
    probe_url: str
    health: Health
    news: str
    labels: tuple[str, ...]
    ratio: str
    target: str
    lower_bound: str
    window_samples: int
    chart: BarChart | None
    last_run_url: str | None
    last_run_at: datetime | None
    next_run_at: datetime | None
    manual: bool
    budget: BudgetView | None
    going: GoingView | None
    going_url: str | None
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many monitors have a status, and where they alone are shown."""

    health: Health
    monitors: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the overview shows."""

    wanted: Wanted
    total: int
    counts: tuple[Count, ...]
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    pager: Pager
    store_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The monitors of one page of the overview, of so many that were *found*."""

    views: tuple[MonitorView, ...]
    page: int
    found: int


def choose(views: Sequence[MonitorView], wanted: Wanted) -> Chosen:
    """Return those of *views* that are on the page that is *wanted*, worst first."""
    found = [view for view in views if wanted.takes(view)]
    found.sort(key=lambda view: _WORST_FIRST.index(view.health))
    page, cut = _paging.cut(found, page=wanted.page, size=MONITORS_A_PAGE)
    return Chosen(views=tuple(cut), page=page, found=len(found))


def overview(
    views: Sequence[MonitorView],
    wanted: Wanted,
    chosen: Chosen,
    runs: Mapping[str, Sequence[RunSummary]] | None,
    links: Links,
) -> Overview:
    """Return the overview; *runs* are those of the chosen, None: not to be had."""
    health = Counter(view.health for view in views)
    counts = tuple(
        Count(
            health=one,
            monitors=health[one],
            url=f"{links.url('/')}?status={one.value}",
        )
        for one in _WORST_FIRST
        if health[one]
    )
    return Overview(
        wanted=wanted,
        total=len(views),
        counts=counts,
        labels=_all_labels(views),
        rows=tuple(
            overview_row(view, (runs or {}).get(view.monitor.name, ()), links)
            for view in chosen.views
        ),
        pager=Pager(
            page=chosen.page,
            size=MONITORS_A_PAGE,
            total=chosen.found,
            path=links.url("/"),
            parameters=wanted.parameters,
        ),
        store_failed=runs is None,
    )


def overview_row(view: MonitorView, runs: Sequence[RunSummary], links: Links) -> Row:
    """Return *view* as a row."""
    monitor, status = view.monitor, view.status
    cases = status.cases.values()
    size = sum(len(case.window) for case in cases)
    passed = sum(sum(case.window) for case in cases)
    going = view.going
    return Row(
        name=monitor.name,
        url=links.monitor(monitor.name),
        probe_url=links.probe(monitor.name),
        health=view.health,
        news=news(view),
        labels=_labels(view),
        ratio=percent(status.pass_ratio),
        target=percent(monitor.target_pass_ratio),
        lower_bound=percent(wilson(passed, size).low if size else None),
        window_samples=size,
        chart=run_bars(runs, monitor.target_pass_ratio) if runs else None,
        last_run_url=links.run(view.last_run.id) if view.last_run else None,
        last_run_at=view.last_run.finished_at if view.last_run else None,
        next_run_at=view.next_run_at,
        manual=monitor.every_seconds is None,
        budget=view.budget,
        going=going,
        going_url=links.run(going.run_id) if going and going.run_id else None,
        waiting=len(view.waiting),
    )


def news(view: MonitorView) -> str:
    """Return what is wrong with a monitor, in a few words; empty: nothing."""
    status = view.status
    said = []
    if view.pause:
        said.append(
            f"paused {'by hand' if view.pause is Pause.MANUAL else 'by its budget'}"
        )
    if status.up is False:
        said.append(f"nothing answered in {plural(status.runs_down, 'run')}")
    regressed = [c for c in status.cases.values() if c.regressed is Cause.AGENT]
    if regressed:
        said.append(f"{plural(len(regressed), 'case')} regressed")
    failing = sum(c.decision is Decision.FAILING for c in status.cases.values())
    if failing and failing != len(regressed):
        said.append(f"{plural(failing, 'case')} failing")
    if status.runs_below_target:
        said.append(f"{plural(status.runs_below_target, 'run')} below target")
    return ", ".join(said)


def run_bars(
    runs: Iterable[RunSummary],
    target: float,
    *,
    places: int = SPARKLINE_RUNS,
    size: tuple[int, int] = _SPARKLINE_SIZE,
) -> BarChart:
    """Return *runs*, oldest first, as bars of their pass ratios."""
    shown = list(runs)[-places:]
    below = sum(1 for run in shown if _kind(run, target) != "good")
    label = f"Pass ratio of the last {plural(len(shown), 'run')}: {below} below target"
    values = [
        Value(ratio=run.pass_ratio, kind=_kind(run, target), title=_title(run))
        for run in shown
    ]
    return bars(values, places=places, size=size, label=label, target=target)


def _kind(run: RunSummary, target: float) -> str:
    """Return the class of a run's bar."""
    if run.pass_ratio is None:
        return "unjudged"
    return "good" if run.pass_ratio >= target else "bad"


def _title(run: RunSummary) -> str:
    """Return what a run's bar means."""
    at = absolute(run.finished_at) if run.finished_at else ""
    ratio = "not judged" if run.pass_ratio is None else percent(run.pass_ratio)
    return f"Run {run.id}, {at}: {ratio}"


def _labels(view: MonitorView) -> tuple[str, ...]:
    """Return a monitor's labels as `name=value`."""
    return tuple(f"{key}={value}" for key, value in view.monitor.labels.items())


def _all_labels(views: Iterable[MonitorView]) -> tuple[str, ...]:
    """Return the labels there are, each once."""
    return tuple(sorted({one for view in views for one in _labels(view)}))[
        :_MOST_LABELS
    ]


def _runs(view: MonitorView) -> RunFilter:
    """Return what the runs of a monitor are at."""
    if view.going or view.waiting:
        return RunFilter.IN_PROGRESS
    return RunFilter.COMPLETED if view.last_run else RunFilter.NEVER_RUN
