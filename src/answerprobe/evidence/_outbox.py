"""The outbox: what cannot be written now waits, in order and bounded."""

import asyncio
import contextlib

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import structlog

from answerprobe.errors import StoreDamaged, StoreError, StoreUnavailable
from answerprobe.evidence._backlog import Backlog, BacklogLimits
from answerprobe.evidence._operations import AddLedger, Begin, Operation
from answerprobe.evidence._records import FinishedRun
from answerprobe.evidence._store import Store


_log = structlog.get_logger()
_CHUNK = 200
# Ids promised while the store is down keep this far away from those that another
# process, such as a command, may take meanwhile.
_PROMISED_ID_GAP = 1000
DOWN = (StoreUnavailable, StoreDamaged)


class StorageObserver(Protocol):
    """Who wants to know whether the store works."""

    def storage_up(self, *, up: bool) -> None:
        """The store works from now on, or no longer."""
        ...

    def storage_failed(self) -> None:
        """A use of the store failed."""
        ...


class Outbox:
    """
    Writes operations to a store; those that it does not take now are kept.

    While the store works, a method returns once its operation is committed. While it
    does not, a task tries every *retry_seconds* to write what waits in *backlog*. A
    process that *may_keep* nothing takes no orders then, and knows how a claimed run
    ended only when it is written.
    """

    def __init__(
        self,
        store: Store,
        *,
        observer: StorageObserver,
        last_run_id: int,
        limits: BacklogLimits,
        retry_seconds: float,
        may_keep: Callable[[], bool],
    ) -> None:
        self.backlog = Backlog(limits)
        self._store = store
        self._may_keep = may_keep
        self._observer = observer
        self._last_run_id = last_run_id
        self._retry_seconds = retry_seconds
        self._writing: set[asyncio.Future[bool]] = set()
        self._recovery: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._ends: set[asyncio.Task[bool]] = set()
        # Set while there is something to be tried: the store works, or all ends.
        self._worth_trying = asyncio.Event()
        self._worth_trying.set()
        self._up = True
        observer.storage_up(up=True)

    @property
    def up(self) -> bool:
        """Whether the store works and nothing waits for it."""
        return self._up

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
        if self.backlog:
            _log.error("store.changes_lost", changes=len(self.backlog))

    async def finish(self, finished: FinishedRun) -> bool:
        """
        Write the end of a claimed run, once it can be; False: the claim is lost.

        The run ends also if the caller is cancelled meanwhile.
        """
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
                except DOWN as exc:
                    self.failed(exc)
            if self._may_keep():
                self.backlog.add(finished)
                return True
            if self._closing.is_set():
                return False
            await self._worth_trying.wait()

    async def begin(self, begin: Begin) -> int:
        """Write a new run, or keep it under an id that will be its own."""
        if self._up:
            known = self._last_run_id
            try:
                run_id = await self._store.write(begin)
            except DOWN as exc:
                self.failed(exc)
                begin = replace(begin, twin_after=known)
            else:
                if run_id is not None:
                    self._last_run_id = max(self._last_run_id, run_id)
                    return run_id
        self._refuse_orders()
        self._last_run_id += 1
        self.backlog.add(replace(begin, run_id=self._last_run_id))
        return self._last_run_id

    async def order(self, operation: Operation) -> None:
        """Write *operation*, on which others wait; see `write`."""
        if not self._up:
            self._refuse_orders()
        await self.write(operation)

    def _refuse_orders(self) -> None:
        """Raise StoreUnavailable where nothing may be kept for later."""
        if not self._may_keep():
            raise StoreUnavailable("other replicas could not know of it")

    async def write(self, operation: Operation) -> bool:
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
            except DOWN as exc:
                self.failed(exc)
            else:
                return written is not None or not isinstance(operation, FinishedRun)
        self.backlog.add(operation)
        return True

    def failed(self, exc: StoreError) -> None:
        """Count a failed use of the store; the first one starts the way back."""
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
            except DOWN as exc:
                self.failed(exc)
                if self._closing.is_set():
                    return
            else:
                self._up = True
                self._worth_trying.set()
                self._observer.storage_up(up=True)
                _log.info("store.recovered", runs_dropped=self.backlog.dropped_runs)

    async def _flush(self) -> None:
        """Write what waits; raise where the store is still down."""
        if not self.backlog:
            await self._store.last_run_id()
        while chunk := self.backlog.take(_CHUNK):
            written = [self._store.submit(operation) for operation in chunk]
            left, failure = [], None
            for operation, commit in zip(chunk, written, strict=True):
                try:
                    self._tell_spent(operation, await commit)
                except DOWN as exc:
                    left.append(operation)
                    failure = exc
                except StoreError as exc:
                    # One that can never be written must not hold up all others.
                    self._observer.storage_failed()
                    _log.error("store.change_refused", reason=str(exc))
            if failure:
                self.backlog.put_back(left)
                raise failure

    def _tell_spent(self, operation: Operation, written: int | None) -> None:
        """Keep what a run spent that no longer counted."""
        if isinstance(operation, FinishedRun) and written is None and operation.ledger:
            self.backlog.add(AddLedger(entries=operation.ledger))
