"""The journal: writing goes on while the store does not work."""

import asyncio
import contextlib

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

import structlog

from answerprobe.calibration import Calibration
from answerprobe.errors import StoreDamaged, StoreError, StoreUnavailable
from answerprobe.evidence import _paging
from answerprobe.evidence._backlog import Backlog, BacklogLimits
from answerprobe.evidence._operations import (
    AddLedger,
    Begin,
    ChangeVersion,
    Operation,
    RecordDeploy,
    SaveCalibration,
    SaveMonitors,
    SavePause,
    Start,
)
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


_log = structlog.get_logger()
_RETRY_SECONDS = 1.0
_CHUNK = 200
# Ids promised while the store is down keep this far away from those that another
# process, such as a command, may take meanwhile.
_PROMISED_ID_GAP = 1000
_DOWN = (StoreUnavailable, StoreDamaged)


class StorageObserver(Protocol):
    """Who wants to know whether the store works."""

    def storage_up(self, *, up: bool) -> None:
        """The store works from now on, or no longer."""
        ...

    def storage_failed(self) -> None:
        """A use of the store failed."""
        ...


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
        self._may_keep = may_keep
        self._observer = observer
        self._last_run_id = last_run_id
        self._retry_seconds = retry_seconds
        self._backlog = Backlog(limits or BacklogLimits())
        self._writing: set[asyncio.Future[bool]] = set()
        self._recovery: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._ends: set[asyncio.Task[bool]] = set()
        # Set while there is something to be tried: the store works, or all ends.
        self._worth_trying = asyncio.Event()
        self._worth_trying.set()
        self._up = True
        self._errors_total = 0
        observer.storage_up(up=True)

    @property
    def up(self) -> bool:
        """Whether the store works and nothing waits for it."""
        return self._up

    @property
    def errors_total(self) -> int:
        """How many uses of the store have failed."""
        return self._errors_total

    @property
    def waiting(self) -> int:
        """How many changes wait to be written."""
        return len(self._backlog)

    @property
    def dropped_runs(self) -> int:
        """How many runs had to be dropped, their status and spending apart."""
        return self._backlog.dropped_runs

    async def close(self) -> None:
        """Try once more to write what waits; the store itself stays open."""
        if self._writing:
            await asyncio.wait(self._writing)
        self._closing.set()
        if self._recovery:
            await self._recovery
        self._worth_trying.set()
        if self._ends:
            await asyncio.wait(self._ends)
        if self._backlog:
            _log.error("store.changes_lost", changes=len(self._backlog))

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
        return await self._begin(
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
        return await self._begin(
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
        await self._write(Start(run_id=run_id, started_at=started_at, claim=claim))

    async def change_version(
        self, run_id: int, version: str | None, not_before: datetime | None = None
    ) -> None:
        """Write that the queued run *run_id* is for another version, and when."""
        await self._write(
            ChangeVersion(run_id=run_id, version=version, not_before=not_before)
        )

    async def finish(self, finished: FinishedRun) -> bool:
        """
        Write the end of a run and all that follows from it; False: its claim is lost.

        Where nothing may be kept, what completed under a claim waits for the store.
        """
        if finished.claim is None or finished.run.state is not RunState.COMPLETED:
            return await self._write(finished)
        ending = asyncio.create_task(self._end(finished))
        self._ends.add(ending)
        ending.add_done_callback(self._ends.discard)
        return await asyncio.shield(ending)

    async def _end(self, finished: FinishedRun) -> bool:
        """Write *finished*, whose claim may be lost, once that is known."""
        while True:
            if self._up:
                try:
                    return await self._store.finish(finished)
                except _DOWN as exc:
                    self.failed(exc)
            if self._may_keep():
                self._backlog.add(finished)
                return True
            if self._closing.is_set():
                return False
            await self._worth_trying.wait()

    async def save_monitors(self, monitors: Mapping[str, StoredMonitor]) -> None:
        """Write monitors, by name; status and pause of known ones stay."""
        await self._write(SaveMonitors(monitors=monitors))

    async def save_pause(self, name: str, *, paused: bool) -> None:
        """
        Write whether monitor *name* is paused by hand.

        Raises:
            StoreUnavailable: it cannot be written, and nothing may be kept.
        """
        await self._order(SavePause(monitor=name, paused=paused))

    async def add_ledger(self, entries: tuple[Increment, ...]) -> None:
        """Add spent tokens to the ledger."""
        await self._write(AddLedger(entries=entries))

    async def record_deploy(self, name: str, version: str, at: datetime) -> None:
        """
        Write that a new version of monitor *name*'s agent was deployed.

        Raises:
            StoreUnavailable: it cannot be written, and nothing may be kept.
        """
        await self._order(RecordDeploy(monitor=name, version=version, at=at))

    async def save_calibration(self, calibration: Calibration) -> None:
        """Write how a judge fared on its canaries, in place of its earlier one."""
        await self._write(SaveCalibration(calibration=calibration))

    def unwritten(self, run_id: int) -> Run | None:
        """Return run *run_id* if it waits to be written; None where it does not."""
        return self._backlog.run(run_id)

    async def run(self, run_id: int) -> Run | None:
        """Return run *run_id*, also one that waits to be written."""
        return self._backlog.run(run_id) or await self._store.run(run_id)

    async def runs(self, query: RunQuery) -> RunPage:
        """
        Return the page of runs that *query* asks for, also of those that wait.

        A store that cannot be read now is where the page after the last one is.
        """
        if not self._backlog:
            return await self._store.runs(query)
        # There may be many: not in the event loop's time.
        operations = self._backlog.operations
        waiting = await asyncio.to_thread(_paging.waiting_runs, operations, query)
        try:
            stored = await self._store.runs(query)
        except _DOWN:
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

    async def _begin(self, begin: Begin) -> int:
        """Write a new run, or keep it under an id that will be its own."""
        if self._up:
            known = self._last_run_id
            try:
                run_id = await self._store.write(begin)
            except _DOWN as exc:
                self.failed(exc)
                begin = replace(begin, twin_after=known)
            else:
                if run_id is not None:
                    self._last_run_id = max(self._last_run_id, run_id)
                    return run_id
        self._refuse_orders()
        self._last_run_id += 1
        self._backlog.add(replace(begin, run_id=self._last_run_id))
        return self._last_run_id

    async def _order(self, operation: Operation) -> None:
        """Write *operation*, on which others wait; see `_write`."""
        if not self._up:
            self._refuse_orders()
        await self._write(operation)

    def _refuse_orders(self) -> None:
        """Raise StoreUnavailable where nothing may be kept for later."""
        if not self._may_keep():
            raise StoreUnavailable("other replicas could not know of it")

    async def _write(self, operation: Operation) -> bool:
        """
        Write *operation*, or keep it, even if the caller is cancelled meanwhile.

        Returns False where the store refused it: the end of a run whose claim is lost.
        """
        writing = asyncio.ensure_future(self._write_or_keep(operation))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return await asyncio.shield(writing)

    async def _write_or_keep(self, operation: Operation) -> bool:
        """Write *operation*; keep it where the store is down."""
        if self._up:
            try:
                written = await self._store.write(operation)
            except _DOWN as exc:
                self.failed(exc)
            else:
                return written is not None or not isinstance(operation, FinishedRun)
        self._backlog.add(operation)
        return True

    def failed(self, exc: StoreError) -> None:
        """Count a failed use of the store; the first one starts the way back."""
        self._errors_total += 1
        self._observer.storage_failed()
        if not self._up:
            return
        self._up = False
        self._worth_trying.clear()
        self._last_run_id += _PROMISED_ID_GAP
        self._observer.storage_up(up=False)
        _log.error("store.became_unavailable", reason=str(exc))
        self._recovery = asyncio.create_task(self._recover())

    async def _recover(self) -> None:
        """Try until everything that waits is written; once more at the end."""
        while not self._up:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._retry_seconds):
                    await self._closing.wait()
            try:
                await self._flush()
            except _DOWN as exc:
                self.failed(exc)
                if self._closing.is_set():
                    return
            else:
                self._up = True
                self._worth_trying.set()
                self._observer.storage_up(up=True)
                _log.info("store.recovered", runs_dropped=self.dropped_runs)

    async def _flush(self) -> None:
        """Write what waits; raise where the store is still down."""
        if not self._backlog:
            await self._store.last_run_id()
        while chunk := self._backlog.take(_CHUNK):
            written = [self._store.submit(operation) for operation in chunk]
            left, failure = [], None
            for operation, commit in zip(chunk, written, strict=True):
                try:
                    self._tell_spent(operation, await commit)
                except _DOWN as exc:
                    left.append(operation)
                    failure = exc
                except StoreError as exc:
                    # One that can never be written must not hold up all others.
                    self._errors_total += 1
                    self._observer.storage_failed()
                    _log.error("store.change_refused", reason=str(exc))
            if failure:
                self._backlog.put_back(left)
                raise failure

    def _tell_spent(self, operation: Operation, written: int | None) -> None:
        """Keep what a run spent that no longer counted."""
        if isinstance(operation, FinishedRun) and written is None and operation.ledger:
            self._backlog.add(AddLedger(entries=operation.ledger))
