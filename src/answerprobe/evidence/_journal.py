"""The journal: writing goes on while the store does not work."""

import asyncio

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from answerprobe.calibration import Calibration
from answerprobe.errors import StoreError
from answerprobe.evidence import _paging
from answerprobe.evidence._backlog import BacklogLimits
from answerprobe.evidence._operations import (
    AddLedger,
    Begin,
    ChangeVersion,
    RecordDeploy,
    SaveCalibration,
    SaveMonitors,
    SavePause,
    Start,
)
from answerprobe.evidence._outbox import DOWN, Outbox, StorageObserver
from answerprobe.evidence._records import (
    CaseAnswers,
    Claim,
    FinishedRun,
    Increment,
    RunPage,
    RunQuery,
    StoredMonitor,
)
from answerprobe.evidence._store import Store
from answerprobe.run import Run, RunRequest, RunState, SampleResult
from answerprobe.verdict import Outcome


_RETRY_SECONDS = 1.0


class Journal:
    """
    Writes to a store, and keeps what cannot be written until it can.

    While the store works, a method returns once its change is committed. While it does
    not, changes are kept in memory, in order and bounded, and nothing raises
    StoreUnavailable or StoreDamaged; a task writes them once the store is back.

    A replica that *may_keep* nothing, as others go on meanwhile, takes no orders while
    the store is down, and knows how a claimed run ended only when it is written.
    """

    def __init__(
        self,
        store: Store,
        *,
        observer: StorageObserver,
        last_run_id: int,
        limits: BacklogLimits | None = None,
        retry_seconds: float = _RETRY_SECONDS,
        may_keep: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._outbox = Outbox(
            store,
            observer=observer,
            last_run_id=last_run_id,
            limits=limits or BacklogLimits(),
            retry_seconds=retry_seconds,
            may_keep=may_keep,
        )

    @property
    def up(self) -> bool:
        """Whether the store works and nothing waits for it."""
        return self._outbox.up

    @property
    def waiting(self) -> int:
        """How many changes wait to be written."""
        return len(self._outbox.backlog)

    @property
    def dropped_runs(self) -> int:
        """How many runs had to be dropped, their status and spending apart."""
        return self._outbox.backlog.dropped_runs

    def failed(self, exc: StoreError) -> None:
        """Know that a use of the store failed."""
        self._outbox.failed(exc)

    async def close(self) -> None:
        """Try once more to write what waits; the store itself stays open."""
        await self._outbox.close()

    async def enqueue(
        self,
        request: RunRequest,
        *,
        queued_at: datetime,
        total: int,
        not_before: datetime | None = None,
    ) -> int:
        """
        Write a run of *total* samples that waits; return its id, a promise.

        Raises:
            StoreUnavailable: it cannot be written, and nothing may be kept.
        """
        return await self._outbox.begin(
            Begin(
                request=request,
                queued_at=queued_at,
                total=total,
                not_before=not_before,
                merge=self._store.cluster is not None,
            )
        )

    async def begin(
        self,
        request: RunRequest,
        *,
        started_at: datetime,
        total: int,
        claim: Claim | None = None,
    ) -> int:
        """Write a run of *total* samples that starts now; return its id."""
        return await self._outbox.begin(
            Begin(
                request=request,
                queued_at=started_at,
                started_at=started_at,
                total=total,
                claim=claim,
            )
        )

    async def start(
        self, run_id: int, started_at: datetime, *, claim: Claim | None = None
    ) -> None:
        """Write that the queued run *run_id* starts."""
        await self._outbox.write(
            Start(run_id=run_id, started_at=started_at, claim=claim)
        )

    async def change_version(
        self, run_id: int, version: str | None, not_before: datetime | None = None
    ) -> None:
        """Write that the queued run *run_id* is for another version, and when."""
        await self._outbox.write(
            ChangeVersion(run_id=run_id, version=version, not_before=not_before)
        )

    async def finish(self, finished: FinishedRun) -> bool:
        """
        Write the end of a run and all that follows from it; False: its claim is lost.

        Where nothing may be kept, what completed under a claim waits for the store.
        """
        if finished.claim is None or finished.run.state is not RunState.COMPLETED:
            return await self._outbox.write(finished)
        return await self._outbox.finish(finished)

    async def save_monitors(self, monitors: Mapping[str, StoredMonitor]) -> None:
        """Write monitors, by name; status and pause of known ones stay."""
        await self._outbox.write(SaveMonitors(monitors=monitors))

    async def save_pause(self, name: str, *, paused: bool) -> None:
        """
        Write whether monitor *name* is paused by hand.

        Raises:
            StoreUnavailable: it cannot be written, and nothing may be kept.
        """
        await self._outbox.order(SavePause(monitor=name, paused=paused))

    async def add_ledger(self, entries: tuple[Increment, ...]) -> None:
        """Add spent tokens to the ledger."""
        await self._outbox.write(AddLedger(entries=entries))

    async def record_deploy(self, name: str, version: str, at: datetime) -> None:
        """
        Write that a new version of monitor *name*'s agent was deployed.

        Raises:
            StoreUnavailable: it cannot be written, and nothing may be kept.
        """
        await self._outbox.order(RecordDeploy(monitor=name, version=version, at=at))

    async def save_calibration(self, calibration: Calibration) -> None:
        """Write how a judge fared on its canaries, in place of its earlier one."""
        await self._outbox.write(SaveCalibration(calibration=calibration))

    def unwritten(self, run_id: int) -> Run | None:
        """Return run *run_id* if it waits to be written; None where it does not."""
        return self._outbox.backlog.run(run_id)

    async def run(self, run_id: int) -> Run | None:
        """Return run *run_id*, also one that waits to be written."""
        return self._outbox.backlog.run(run_id) or await self._store.run(run_id)

    async def runs(self, query: RunQuery) -> RunPage:
        """
        Return the page of runs that *query* asks for, also of those that wait.

        A store that cannot be read now is where the page after the last one is.
        """
        if not self._outbox.backlog:
            return await self._store.runs(query)
        # There may be many: not in the event loop's time.
        operations = self._outbox.backlog.operations
        waiting = await asyncio.to_thread(_paging.waiting_runs, operations, query)
        try:
            stored = await self._store.runs(query)
        except DOWN:
            if not waiting:
                raise
            return _paging.without_store(waiting, query)
        return _paging.merged(waiting, stored, query)

    async def newest(
        self,
        monitor: str,
        case_ids: Mapping[str, str],
        outcomes: Collection[Outcome] = tuple(Outcome),
    ) -> Mapping[str, SampleResult]:
        """Return each case's newest sample in the store; see `Store.newest`."""
        return await self._store.newest(monitor, case_ids, outcomes)

    async def last_good(
        self, monitor: str, case_ids: Mapping[str, str]
    ) -> Mapping[str, SampleResult]:
        """Return each case's last good sample in the store; see `Store.last_good`."""
        return await self._store.last_good(monitor, case_ids)

    async def answers(
        self, cases: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, Mapping[str, CaseAnswers]]:
        """Return what is in the store of many monitors' cases; see `Store.answers`."""
        return await self._store.answers(cases)
