"""What the daemon does beside its runs: look after the loop, the store, the config."""

import asyncio
import contextlib
import sys
import time

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import structlog

from answerprobe.daemon._books import utc_now
from answerprobe.errors import StoreError
from answerprobe.evidence import Journal, Pruned, Store
from answerprobe.ledger import Ledger
from answerprobe.lock import lock_of
from answerprobe.metrics import ExporterMetrics
from answerprobe.monitor import Retention
from answerprobe.scheduler import Duties, on_duty


_log = structlog.get_logger()
_LAG_SECONDS = 0.5
_LOOK_SECONDS = 5.0
_SIZE_SECONDS = 30.0
_SLEEP_LOOK_SECONDS = 5.0
_SLEPT_SECONDS = 1.0
# A crash forgets no more spending than this.
LEDGER_SECONDS = 5.0
# Other replicas spend from the same budget.
SHARED_LEDGER_SECONDS = 0.5
_FORGOTTEN_SECONDS = 20.0
_FIRST_PRUNE_SECONDS = 60.0
_PRUNE_SECONDS = 3600.0


async def measure_loop_lag(exporter: ExporterMetrics) -> None:
    """Show, for ever, how late the event loop calls back."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LAG_SECONDS
        await asyncio.sleep(_LAG_SECONDS)
        exporter.event_loop_lagged(loop.time() - due)


async def notice_sleep(
    asleep_seconds: Callable[[], float],
    wake: Callable[[], None],
    *,
    look_seconds: float = _SLEEP_LOOK_SECONDS,
) -> None:
    """
    Call *wake*, for ever, when the machine was suspended meanwhile.

    Timers run on a clock that stands still then: without this, a laptop that is closed
    every night would ask a daily question every third day.
    """
    seen = asleep_seconds()
    while True:
        await asyncio.sleep(look_seconds)
        now = asleep_seconds()
        if now - seen > _SLEPT_SECONDS:
            _log.info("daemon.woke_up", slept_seconds=round(now - seen))
            wake()
        seen = now


def asleep_seconds() -> float:
    """Return how long the machine has been suspended since it started."""
    if sys.platform != "linux":
        return 0.0
    awake = time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - awake


async def measure_store(store: Store, exporter: ExporterMetrics) -> None:
    """Show, for ever, how big the store is."""
    while True:
        # Who writes notices a failure too, and says so; the size stays what it was.
        with contextlib.suppress(StoreError):
            exporter.storage_size(await store.size_bytes())
        await asyncio.sleep(_SIZE_SECONDS)


async def write_ledger(
    ledger: Ledger, journal: Journal, *, every_seconds: float
) -> None:
    """Write down, for ever, what runs that go on have spent so far."""
    while True:
        await asyncio.sleep(every_seconds)
        if increments := ledger.take_increments():
            await journal.add_ledger(increments)
            ledger.written(increments)


async def notice_forgotten(
    store: Store, show_again: Callable[[str], Awaitable[None]]
) -> None:
    """Call *show_again*, for ever, for each monitor whose evidence was deleted."""
    seen = utc_now()
    while True:
        await asyncio.sleep(_FORGOTTEN_SECONDS)
        now = utc_now()
        with contextlib.suppress(StoreError):
            for name in await store.forgotten_since(seen):
                await show_again(name)
            seen = now


async def prune_store(
    store: Store, retention: Callable[[], Mapping[str, Retention]], duties: Duties
) -> None:
    """Delete, for ever, what is no longer kept, unless another replica is at it."""
    await asyncio.sleep(_FIRST_PRUNE_SECONDS)
    while True:
        try:
            async with on_duty(duties, "prune") as mine:
                pruned = await store.prune(retention()) if mine else Pruned()
        except StoreError as exc:
            _log.warning("store.prune_failed", error=str(exc))
        else:
            if pruned.texts or pruned.samples or pruned.runs:
                _log.info(
                    "store.pruned",
                    texts=pruned.texts,
                    samples=pruned.samples,
                    runs=pruned.runs,
                )
        await asyncio.sleep(_PRUNE_SECONDS)


async def watch_config(path: Path, reload: Callable[[], Awaitable[None]]) -> None:
    """Call *reload*, for ever, when the file at *path* or its lock changed."""
    files = ConfigFiles(path)
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if files.changed():
            await reload()


class ConfigFiles:
    """A configuration's file and the lock beside it, looked at now and then."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, lock_of(path)
        self._seen, self._seen_lock = _stamp(self._path), _stamp(self._lock)
        self._missed = False

    def changed(self) -> bool:
        """
        Whether they differ from what was seen last.

        A file that is gone for a moment is being replaced: the configuration's is
        waited for, the lock is missed twice before every case counts without one.
        """
        now, now_lock = _stamp(self._path), _stamp(self._lock)
        gone = now_lock is None and self._seen_lock is not None
        self._missed = gone and not self._missed
        if now is None or self._missed or (now, now_lock) == self._last:
            return False
        self._seen, self._seen_lock = now, now_lock
        return True

    @property
    def _last(self) -> tuple[object, object]:
        """What was seen last."""
        return self._seen, self._seen_lock


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when the file at *path* does; None while there is none."""
    try:
        # Kubernetes swaps a symbolic link: this looks at what it points to.
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
