"""Pages of runs: those in the store and those that wait for it, as one list."""

from collections.abc import Iterable

from answerprobe.evidence._backlog import runs_of
from answerprobe.evidence._operations import Operation
from answerprobe.evidence._records import RunPage, RunQuery, RunSummary, summary


def waiting_runs(operations: Iterable[Operation], query: RunQuery) -> list[RunSummary]:
    """Return the runs of *operations* that match *query*, newest first."""
    found = [run for run in runs_of(operations).values() if query.matches(run)]
    found.sort(key=lambda run: run.id, reverse=True)
    return [summary(run) for run in found[: query.limit + 1]]


def merged(waiting: list[RunSummary], stored: RunPage, query: RunQuery) -> RunPage:
    """
    Return the page that both together make, newest first.

    Of a run that is in both, the one that waits is newer. Where *stored* goes on beyond
    its page, so does this one.
    """
    by_id = {run.id: run for run in (*stored.runs, *waiting)}
    if stored.next is not None:
        # What comes after this page in the store is not known here.
        by_id = {i: run for i, run in by_id.items() if i >= stored.next}
    ordered = [by_id[run_id] for run_id in sorted(by_id, reverse=True)]
    page = tuple(ordered[: query.limit])
    more = len(ordered) > query.limit or stored.next is not None
    return RunPage(runs=page, next=page[-1].id if page and more else None)


def without_store(waiting: list[RunSummary], query: RunQuery) -> RunPage:
    """Return the page of what waits; what the store has may follow on it."""
    page = tuple(waiting[: query.limit])
    return RunPage(runs=page, next=page[-1].id)
