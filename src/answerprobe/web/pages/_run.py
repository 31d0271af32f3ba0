"""A run: what went wrong in it first, then every sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe.case import Case
from answerprobe.evidence import FailingCase, KeptSample, RunSummary, SamplePage
from answerprobe.monitor import AnswerStorage
from answerprobe.run import RunState, Trigger
from answerprobe.shapes import MonitorView, SecondLookView
from answerprobe.status import Cause
from answerprobe.verdict import Outcome
from answerprobe.web.pages._difference import Difference, difference
from answerprobe.web.pages._links import Links
from answerprobe.web.pages._paging import Pager
from answerprobe.web.pages._sample import SampleView, sample_view, wordless
from answerprobe.web.pages._when import duration, percent, plural


SAMPLES_A_PAGE = 50
FAILING_SHOWN = 5
_TRIGGERS = {
    Trigger.SCHEDULE: "on schedule",
    Trigger.MANUAL: "by hand",
    Trigger.DEPLOY: "after a deploy",
    Trigger.DRY_RUN: "as a dry run",
    Trigger.EXPERIMENT: "in an experiment",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run has come that is not over; *look*: it confirms bad news."""

    state: RunState
    done: int
    total: int
    look: SecondLookView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """How many samples ended so, and where they alone are shown."""

    outcome: Outcome
    samples: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """
    A failed sample beside the last good answer to the same.

    *failed* of *samples* failed in the run. *good* is None where none is kept;
    *newer*: it is of a later run. *difference* is None without two answers.
    """

    sample: SampleView
    failed: int
    samples: int
    good: SampleView | None
    newer: bool
    difference: Difference | None
    regressed: Cause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """What the page of a run shows."""

    id: int
    monitor: str
    monitor_url: str | None
    trigger: str
    version: str | None
    state: RunState
    exploratory_reason: str | None
    progress: Progress | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    took: str | None
    ratio: str
    target: str | None
    verdict: str
    outcomes: tuple[OutcomeCount, ...]
    failing: tuple[Comparison, ...]
    samples: tuple[SampleView, ...]
    outcome: Outcome | None
    pager: Pager
    csv_url: str
    api_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """What is known of a run: all that its page is made of."""

    run: RunSummary
    samples: SamplePage
    failing: tuple[FailingCase, ...]
    good: tuple[KeptSample, ...]
    view: MonitorView | None
    done: int | None
    look: SecondLookView | None


def run_page(
    found: RunEvidence, *, outcome: Outcome | None, page: int, links: Links
) -> RunPage:
    """Return the page of a run, with those samples that ended in *outcome*."""
    run, view = found.run, found.view
    shower = _Shower(found, links)
    return RunPage(
        id=run.id,
        monitor=run.request.monitor,
        monitor_url=links.monitor(run.request.monitor) if view else None,
        trigger=_TRIGGERS[run.request.trigger],
        version=run.request.version,
        state=run.state,
        exploratory_reason=run.request.exploratory_reason,
        progress=_progress(found),
        queued_at=run.queued_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        took=_took(run),
        ratio=percent(run.pass_ratio),
        target=percent(view.monitor.target_pass_ratio) if view else None,
        verdict=_verdict(run),
        outcomes=_outcomes(run, outcome, links),
        failing=tuple(map(shower.comparison, found.failing)),
        samples=tuple(map(shower.sample, found.samples.samples)),
        outcome=outcome,
        pager=Pager(
            page=page,
            size=SAMPLES_A_PAGE,
            total=found.samples.total,
            path=links.run(run.id),
            parameters={"outcome": outcome},
        ),
        csv_url=links.url(f"/v1/runs/{run.id}.csv"),
        api_url=links.url(f"/v1/runs/{run.id}"),
    )


class _Shower:
    """Shows samples of one run."""

    def __init__(self, found: RunEvidence, links: Links) -> None:
        self._run = found.run
        self._links = links
        self._view = found.view
        self._cases = cases_of(found.view)
        self._good = {kept.sample.case_id: kept for kept in found.good}
        self._silent = is_silent(found.view)

    def sample(self, kept: KeptSample) -> SampleView:
        """Return *kept* as it is shown."""
        return shown_sample(
            kept,
            monitor=self._run.request.monitor,
            cases=self._cases,
            links=self._links,
            silent=self._silent,
        )

    def comparison(self, failing: FailingCase) -> Comparison:
        """Return a failed sample beside the last good one."""
        bad = self.sample(KeptSample(run_id=self._run.id, sample=failing.sample))
        kept = self._good.get(failing.case_id)
        same = kept and kept.sample.fingerprint == failing.sample.fingerprint
        good = self.sample(kept) if kept and same else None
        return Comparison(
            sample=bad,
            failed=failing.failed,
            samples=failing.samples,
            good=good,
            newer=good is not None and good.run_id > self._run.id,
            difference=compared(bad, good),
            regressed=self._regressed(failing.case_id),
        )

    def _regressed(self, case_id: str) -> Cause | None:
        """Return whose change made a case regress, as it stands now."""
        status = self._view.status.cases.get(case_id) if self._view else None
        return status.regressed if status else None


def shown_sample(
    kept: KeptSample,
    *,
    monitor: str,
    cases: Mapping[str, Case],
    links: Links,
    silent: bool,
) -> SampleView:
    """Return *kept* as it is shown; of its case only where that is still the same."""
    case = cases.get(kept.sample.case_id)
    if case and case.fingerprint != kept.sample.fingerprint:
        case = None
    if silent:
        kept = wordless(kept)
    return sample_view(kept, monitor=monitor, case=case, links=links, silent=silent)


def compared(bad: SampleView, good: SampleView | None) -> Difference | None:
    """Return how two answers differ, where there are two."""
    if good is None or bad.answer is None or good.answer is None:
        return None
    return difference(bad.answer, good.answer)


def cases_of(view: MonitorView | None) -> Mapping[str, Case]:
    """Return the cases of a monitor, by id."""
    if view is None:
        return {}
    return {case.id: case for case in view.monitor.known}


def is_silent(view: MonitorView | None) -> bool:
    """Whether no text of a monitor may be shown, those kept before neither."""
    return view is not None and view.monitor.answers is AnswerStorage.NONE


def _progress(found: RunEvidence) -> Progress | None:
    """Return how far a run has come; None where it is over."""
    run = found.run
    if run.state not in (RunState.QUEUED, RunState.RUNNING):
        return None
    done = run.done if found.done is None else found.done
    return Progress(state=run.state, done=done, total=run.total, look=found.look)


def _took(run: RunSummary) -> str | None:
    """Return how long a run took."""
    if run.started_at is None or run.finished_at is None:
        return None
    return duration((run.finished_at - run.started_at).total_seconds())


def _verdict(run: RunSummary) -> str:
    """Return how a run ended, in one sentence."""
    match run.state:
        case RunState.QUEUED:
            return "This run waits for its turn."
        case RunState.RUNNING:
            return "This run goes on."
        case RunState.INTERRUPTED:
            return "This run was interrupted; it counts for nothing."
        case RunState.COMPLETED:
            return _ended(run.outcomes)


def _ended(outcomes: Mapping[Outcome, int]) -> str:
    """Return how the samples of a completed run ended."""
    total = sum(outcomes.values())
    if outcomes[Outcome.PASS] == total:
        return f"All {plural(total, 'sample')} passed." if total else "Nothing ran."
    if outcomes[Outcome.FAIL] == total:
        return f"All {plural(total, 'sample')} failed."
    if outcomes[Outcome.ERROR] == total:
        return f"The agent gave no usable answer to any of {plural(total, 'sample')}."
    said = [
        f"{outcomes[outcome]:,} {words}"
        for outcome, words in _ENDINGS
        if outcomes[outcome]
    ]
    return f"Of {plural(total, 'sample')} {_listed(said)}."


_ENDINGS: Sequence[tuple[Outcome, str]] = (
    (Outcome.FAIL, "failed"),
    (Outcome.ERROR, "got no usable answer"),
    (Outcome.NOT_JUDGED, "could not be judged"),
    (Outcome.PASS, "passed"),
)


def _listed(parts: Sequence[str]) -> str:
    """Return *parts* as one list in words."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _outcomes(
    run: RunSummary, current: Outcome | None, links: Links
) -> tuple[OutcomeCount, ...]:
    """Return how many samples ended how, the bad ones first."""
    return tuple(
        OutcomeCount(
            outcome=outcome,
            samples=run.outcomes[outcome],
            url=f"{links.run(run.id)}?outcome={outcome.value}#samples",
            current=outcome is current,
        )
        for outcome, _ in _ENDINGS
        if run.outcomes[outcome]
    )
