"""What the scheduler needs from outside: where it writes down, and where it shows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from answerprobe.evidence import FinishedRun, RunSummary, StoredMonitor
from answerprobe.monitor import Monitor
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.sample import TokenRole
from answerprobe.status import MonitorStatus, Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What the store knows of a monitor from before: its state and its last run."""

    state: StoredMonitor
    last_run: RunSummary | None = None


class StateJournal(Protocol):
    """Where the scheduler writes down what must survive the process."""

    async def enqueue(
        self,
        request: RunRequest,
        *,
        queued_at: datetime,
        total: int,
        not_before: datetime | None = None,
    ) -> int:
        """Write a run that waits; return its id, which is a promise."""
        ...

    async def change_version(
        self, run_id: int, version: str | None, not_before: datetime | None = None
    ) -> None:
        """Write that the waiting run *run_id* is now for another version."""
        ...

    async def finish(self, finished: FinishedRun) -> bool:
        """Write a run that ended: one that waited, and will never start."""
        ...

    async def save_monitors(self, monitors: Mapping[str, StoredMonitor]) -> None:
        """Write down monitors that are watched from now on; known ones stay."""
        ...

    async def save_pause(self, name: str, *, paused: bool) -> None:
        """Write down whether *name* was paused by hand."""
        ...

    async def record_deploy(self, name: str, version: str, at: datetime) -> None:
        """Write down the newest deploy of *name*."""
        ...


class Board(Protocol):
    """Where everybody can see how the monitors are: the metrics."""

    def declare(
        self,
        monitor: Monitor,
        *,
        first_seen: datetime,
        priced: Collection[TokenRole],
    ) -> None:
        """Show *monitor* from now on, everything that can be counted at 0."""
        ...

    def remove(self, name: str) -> None:
        """Show nothing of *name* any more."""
        ...

    def withhold(self, name: str) -> None:
        """Show nothing of *name* until it is declared again; its counters stay."""
        ...

    async def show_status(self, monitor: Monitor, status: MonitorStatus) -> None:
        """Show *status*, restored or unchanged by a run."""
        ...

    async def run_finished(
        self, monitor: Monitor, run: Run, status: MonitorStatus
    ) -> None:
        """Show a counted run and what it says."""
        ...

    def run_counted(self, name: str, trigger: Trigger, state: RunState) -> None:
        """Count a run that moved no status."""
        ...

    def run_skipped(self, name: str) -> None:
        """Count a scheduled run that was due while another went on."""
        ...

    def next_run(self, name: str, at: datetime | None) -> None:
        """Show when *name* is due next."""
        ...

    def paused(self, name: str, reason: Pause, *, on: bool) -> None:
        """Show whether *name* is paused for *reason*."""
        ...

    def budget(self, monitor: Monitor) -> None:
        """Show what *monitor* has spent of its budget."""
        ...

    def total_budget(self, limit_tokens: int | None) -> None:
        """Show what all monitors together have spent of theirs."""
        ...

    def deployed(self, name: str, version: str, at: datetime) -> None:
        """Show the newest deploy of *name*."""
        ...

    def schedule_lag(self, seconds: float) -> None:
        """Show how late a run's first sample started."""
        ...

    def internal_error(self) -> None:
        """Count a fault of our own."""
        ...
