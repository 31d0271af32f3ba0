"""Group commit: what is waiting is written together."""

import asyncio

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from answerprobe.errors import StoreDamaged, StoreError, StoreUnavailable
from answerprobe.evidence import _writes
from answerprobe.evidence._database import Database
from answerprobe.evidence._operations import Operation


# More in one transaction gains nothing, and holds up others for longer.
_LARGEST_GROUP = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """An operation, and where its caller waits for it to be committed."""

    operation: Operation
    written: asyncio.Future[int | None]


class Writer:
    """Writes operations in the order they come, many in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._task: asyncio.Task[None] | None = None

    def submit(self, operation: Operation) -> "asyncio.Future[int | None]":
        """
        Write *operation* after all that were submitted before.

        The future is done once it is committed, with the run's id of a Begin, or has a
        StoreError; see `Store`.
        """
        written: asyncio.Future[int | None] = asyncio.Future()
        self._waiting.append(_Waiting(operation=operation, written=written))
        if self._task is None:
            # Its own task: a caller that is cancelled doesn't tear others' commit.
            self._task = asyncio.create_task(self._drain())
        return written

    async def drained(self) -> None:
        """Return once nothing is being written."""
        while self._task:
            await asyncio.wait([self._task])

    async def _drain(self) -> None:
        """Write until nothing waits."""
        try:
            while self._waiting:
                group = self._waiting[:_LARGEST_GROUP]
                del self._waiting[:_LARGEST_GROUP]
                await self._commit(group)
        finally:
            self._task = None

    async def _commit(self, group: Sequence[_Waiting]) -> None:
        """Write *group* in one transaction; one by one if that is refused."""
        operations = [item.operation for item in group]
        try:
            ids = await self._database.write(
                partial(_writes.write, operations=operations)
            )
        except (StoreUnavailable, StoreDamaged) as exc:
            # Whoever queued up meanwhile would only wait for the same.
            _fail((*group, *self._waiting), exc)
            self._waiting.clear()
        except Exception as exc:  # noqa: BLE001  it goes to the caller it belongs to
            if len(group) == 1:
                _fail(group, _refused(exc))
                return
            for item in group:
                await self._commit([item])
        else:
            _succeed(group, ids)


def _refused(exc: Exception) -> StoreError:
    """Return *exc* as an error of the store: what was to be written made no sense."""
    if isinstance(exc, StoreError):
        return exc
    error = StoreError(f"a change cannot be written ({type(exc).__name__})")
    error.__cause__ = exc
    return error


def _succeed(group: Sequence[_Waiting], ids: Sequence[int | None]) -> None:
    """Tell whoever waits for *group* that it is committed."""
    for item, run_id in zip(group, ids, strict=True):
        if not item.written.done():
            item.written.set_result(run_id)


def _fail(group: Sequence[_Waiting], exc: StoreError) -> None:
    """Tell whoever waits for *group* that it was not written."""
    for item in group:
        if not item.written.done():
            item.written.set_exception(exc)
