"""What pages show of the past, also of runs that wait to be written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from answerprobe.evidence import _history_reads as reads
from answerprobe.evidence._reads import summaries
from answerprobe.evidence._records import (
    FailingCase,
    Fault,
    HistoryPoint,
    KeptSample,
    RunSummary,
    SamplePage,
    SampleQuery,
    StoredDeploy,
    summary,
)
from answerprobe.evidence._store import Store
from answerprobe.run import Run
from answerprobe.verdict import Outcome


class History:
    """
    Bounded pieces of what a store keeps; *unwritten* has runs it does not have yet.

    Every method may raise StoreError.
    """

    def __init__(self, store: Store, unwritten: Callable[[int], Run | None]) -> None:
        self._store = store
        self._unwritten = unwritten

    async def recent_runs(
        self, monitors: Collection[str], each: int
    ) -> Mapping[str, tuple[RunSummary, ...]]:
        """Return the last *each* completed, counted runs of *monitors*."""
        work = partial(reads.recent_runs, monitors=monitors, each=each)
        return await self._store.read(work)

    async def run_summary(self, run_id: int) -> RunSummary | None:
        """Return run *run_id* without its samples; None where there is none."""
        if run := self._unwritten(run_id):
            return summary(run)
        found = await self._store.read(partial(summaries, run_ids=(run_id,)))
        return found.get(run_id)

    async def run_samples(self, query: SampleQuery) -> SamplePage:
        """Return the page of a run's samples that *query* asks for, worst first."""
        if run := self._unwritten(query.run_id):
            return reads.page_of(run, query)
        return await self._store.read(partial(reads.run_samples, query=query))

    async def failing_cases(self, run_id: int, limit: int) -> tuple[FailingCase, ...]:
        """Return the cases of a run with failed samples, the worst *limit* of them."""
        if run := self._unwritten(run_id):
            return reads.failing_cases_of(run, limit)
        work = partial(reads.failing_cases, run_id=run_id, limit=limit)
        return await self._store.read(work)

    async def newest_kept(
        self, monitor: str, case_ids: Collection[str], outcomes: Collection[Outcome]
    ) -> tuple[KeptSample, ...]:
        """Return the newest counted sample of each case and outcome, oldest first."""
        work = partial(
            reads.newest_kept, monitor=monitor, case_ids=case_ids, outcomes=outcomes
        )
        return await self._store.read(work)

    async def case_history(
        self, monitor: str, case_id: str, limit: int
    ) -> tuple[HistoryPoint, ...]:
        """Return the last *limit* counted samples of a case, oldest first."""
        work = partial(
            reads.case_history, monitor=monitor, case_id=case_id, limit=limit
        )
        return await self._store.read(work)

    async def faults(self, run_ids: Sequence[int]) -> tuple[Fault, ...]:
        """Return why samples of *run_ids* failed, the most frequent reason first."""
        return await self._store.read(partial(reads.faults, run_ids=run_ids))

    async def deploys(self, monitor: str, limit: int) -> tuple[StoredDeploy, ...]:
        """Return the last *limit* deploys of *monitor*'s agent, newest first."""
        work = partial(reads.recent_deploys, monitor=monitor, limit=limit)
        return await self._store.read(work)
