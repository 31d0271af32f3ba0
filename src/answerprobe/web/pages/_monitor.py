"""A monitor: its runs over time, its cases, why samples failed, its deploys."""

from collections.abc import Sequence
from dataclasses import dataclass

from answerprobe import durations
from answerprobe.case import Case, CaseState
from answerprobe.evidence import Fault, KeptSample, RunSummary, StoredDeploy
from answerprobe.monitor import AnswerStorage
from answerprobe.run import Decision, RunState
from answerprobe.shapes import JudgeView, MonitorView
from answerprobe.verdict import Outcome
from answerprobe.web.pages._case import state_of, status_of
from answerprobe.web.pages._cases import CASES_A_PAGE, Chosen, Wanted, said
from answerprobe.web.pages._chart import BarChart
from answerprobe.web.pages._deploy import DeployView, deploy_view
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._overview import Row, overview_row, run_bars
from answerprobe.web.pages._paging import Pager
from answerprobe.web.pages._sample import why
from answerprobe.web.pages._when import percent, plural


RUNS_CHARTED = 60
RUNS_LISTED = 15
DEPLOYS_LISTED = 5
# Of so many samples at most it is counted why they failed.
FAULT_SAMPLES = 20_000
TIMES = (1, 3, 5, 10, 20)
_CHART_SIZE = (720, 120)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """One case on a monitor's page; *why* is a reason that it does not pass."""

    id: str
    url: str
    asked: str
    state: str
    cause: str | None
    ratio: str
    lower_bound: str
    window_samples: int
    failed_runs: int
    why: str
    askable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run on a monitor's page."""

    run: RunSummary
    url: str
    ratio: str
    below: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """Why samples failed lately, and how many."""

    what: str
    samples: int
    cases: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPage:
    """What the page of a monitor shows."""

    row: Row
    protocol: str
    model: str | None
    every: str
    wanted: Wanted
    cases: tuple[CaseRow, ...]
    case_count: int
    drafts: int
    countable: bool
    deploy: DeployView | None
    states: tuple[tuple[str, int, str], ...]
    pager: Pager
    chart: BarChart | None
    runs: tuple[RunRow, ...]
    faults: tuple[FaultRow, ...]
    judge: JudgeView | None
    judge_url: str
    deploys: tuple[StoredDeploy, ...]
    waiting_urls: tuple[tuple[int, str], ...]
    times: tuple[int, ...]
    samples: int
    store_failed: bool
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What the store says of a monitor, for its page."""

    charted: tuple[RunSummary, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    faults: tuple[Fault, ...] = ()
    newest: tuple[KeptSample, ...] = ()
    deploys: tuple[StoredDeploy, ...] = ()


def runs_with_faults(runs: Sequence[RunSummary]) -> tuple[int, ...]:
    """Return the ids of those *runs* whose failed samples are looked at."""
    left, found = FAULT_SAMPLES, []
    for run in runs:
        bad = run.outcomes[Outcome.FAIL] + run.outcomes[Outcome.ERROR]
        left -= run.total
        if bad and run.state is RunState.COMPLETED:
            found.append(run.id)
        if left <= 0:
            break
    return tuple(found)


def monitor_page(
    view: MonitorView,
    wanted: Wanted,
    chosen: Chosen,
    past: Past | None,
    judge: JudgeView | None,
    links: Links,
) -> MonitorPage:
    """Return the page of a monitor; None of *past*: the store did not answer."""
    monitor, known = view.monitor, past or Past()
    newest = _by_case(known.newest)
    silent = monitor.answers is AnswerStorage.NONE
    target = monitor.target_pass_ratio
    return MonitorPage(
        row=overview_row(view, known.charted, links),
        protocol=monitor.target.protocol.value,
        model=monitor.target.model,
        every="manual"
        if monitor.every_seconds is None
        else durations.show(monitor.every_seconds),
        wanted=wanted,
        cases=tuple(
            _case_row(view, case, newest.get(case.id, ()), links)
            for case in chosen.cases
        ),
        case_count=len(monitor.known),
        drafts=len(monitor.drafts),
        countable=bool(monitor.cases),
        deploy=deploy_view(view.status.deploy, links),
        states=_states(view, links),
        pager=Pager(
            page=chosen.page,
            size=CASES_A_PAGE,
            total=chosen.found,
            path=links.monitor(monitor.name),
            parameters={"q": wanted.search, "state": wanted.state},
        ),
        chart=run_bars(known.charted, target, places=RUNS_CHARTED, size=_CHART_SIZE)
        if known.charted
        else None,
        runs=tuple(_run_row(run, target, links) for run in known.runs),
        faults=tuple(map(_fault_row, known.faults)),
        judge=judge,
        judge_url=links.judge(monitor.judge),
        deploys=known.deploys,
        waiting_urls=tuple((run_id, links.run(run_id)) for run_id in view.waiting),
        times=TIMES,
        samples=monitor.samples,
        store_failed=past is None,
        silent=silent,
    )


def _case_row(
    view: MonitorView, case: Case, newest: Sequence[KeptSample], links: Links
) -> CaseRow:
    """Return one case as a row."""
    status = status_of(view, case)
    interval = status.window_interval(case.confidence)
    failing = status.decision is not Decision.PASSING
    last = max((kept.run_id for kept in newest), default=0)
    bad = [
        kept.sample
        for kept in newest
        if kept.run_id == last
        and kept.sample.outcome is not Outcome.PASS
        and kept.sample.fingerprint == case.fingerprint
    ]
    silent = view.monitor.answers is AnswerStorage.NONE
    return CaseRow(
        id=case.id,
        url=links.case(view.monitor.name, case.id),
        asked=said(case).removeprefix(f"{case.id} "),
        state=state_of(case, status),
        cause=status.regressed.value if status.regressed else None,
        ratio=percent(status.window_ratio),
        lower_bound=percent(interval.low if interval else None),
        window_samples=len(status.window),
        failed_runs=status.consecutive_failed_runs,
        askable=case.state is not CaseState.RETIRED,
        why=why(bad[-1]) if bad and failing and not silent else "",
    )


def _by_case(newest: Sequence[KeptSample]) -> dict[str, list[KeptSample]]:
    """Return *newest* by their cases."""
    found: dict[str, list[KeptSample]] = {}
    for kept in newest:
        found.setdefault(kept.sample.case_id, []).append(kept)
    return found


def _run_row(run: RunSummary, target: float, links: Links) -> RunRow:
    """Return one run as a row."""
    ratio = run.pass_ratio
    return RunRow(
        run=run,
        url=links.run(run.id),
        ratio=percent(ratio),
        below=ratio is not None and ratio < target,
    )


def _fault_row(fault: Fault) -> FaultRow:
    """Return one reason as a row."""
    if fault.error is not None:
        what = f"no usable answer: {fault.error.value.replace('_', ' ')}"
    else:
        what = f"criterion {fault.criterion or 'unknown'}"
    return FaultRow(what=what, samples=fault.samples, cases=plural(fault.cases, "case"))


def _states(view: MonitorView, links: Links) -> tuple[tuple[str, int, str], ...]:
    """Return how many cases stand how, and where they alone are shown."""
    counted: dict[str, int] = {}
    for case in view.monitor.known:
        state = state_of(case, status_of(view, case))
        counted[state] = counted.get(state, 0) + 1
    path = links.monitor(view.monitor.name)
    order = (
        "regressed",
        "failing",
        "undecided",
        "never run",
        "passing",
        "draft",
        "retired",
    )
    return tuple(
        (state, counted[state], f"{path}?state={state.replace(' ', '+')}#cases")
        for state in order
        if state in counted
    )
