"""What the scheduler knows of one monitor while it watches it."""

import asyncio

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from answerprobe.conversation import User
from answerprobe.evidence import RunSummary
from answerprobe.monitor import Monitor, Price
from answerprobe.run import RunRequest
from answerprobe.runner import Grader, Progress
from answerprobe.sample import TokenRole
from answerprobe.status import Health, MonitorStatus, Pause
from answerprobe.targets import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """A monitor and what is needed to run it."""

    monitor: Monitor
    target: Target
    judge: Grader | None
    user: User | None = None
    prices: Mapping[TokenRole, Price]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """
    A run that was asked for and waits, until *not_before* at least.

    *id* is what was promised to the caller.
    """

    id: int
    request: RunRequest
    queued_at: datetime
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delayed:
    """A run that waits for its delay to be over."""

    queued: Queued
    timer: asyncio.TimerHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """The run that is going on."""

    request: RunRequest
    progress: Progress
    task: asyncio.Task[None]
    queued_at: datetime


@dataclass(slots=True, kw_only=True, eq=False)
class Watch:
    """
    One monitor being watched.

    *due_at* is an instant in seconds since the epoch; None for `every: manual`.
    *owed*: a scheduled run waits for one to end that says nothing of the monitor.
    *dropped*: it left the configuration, nothing may be shown of it any more.
    *outdated*: another replica has a newer definition; nothing is done or shown of it.
    *revision* and *epoch* are those of the store that are known here.
    """

    equipment: Equipment
    first_seen: datetime
    status: MonitorStatus = field(default_factory=MonitorStatus)
    due_at: float | None = None
    timer: asyncio.TimerHandle | None = None
    paused_manually: bool = False
    out_of_budget: bool = False
    queue: deque[Queued] = field(default_factory=deque)
    delayed: dict[int, Delayed] = field(default_factory=dict)
    going: Going | None = None
    last_run: RunSummary | None = None
    owed: bool = False
    dropped: bool = False
    outdated: bool = False
    revision: int = 0
    epoch: int = 0
    # Protects queue and delayed: what waits must still wait when one is added to it.
    ordering: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def monitor(self) -> Monitor:
        """The monitor as configured now."""
        return self.equipment.monitor

    @property
    def name(self) -> str:
        """The monitor's name."""
        return self.equipment.monitor.name

    @property
    def due(self) -> datetime | None:
        """When it is due next; None for `every: manual`."""
        if self.due_at is None:
            return None
        return datetime.fromtimestamp(self.due_at, UTC)

    @property
    def pause(self) -> Pause | None:
        """Why it is paused; None where it is not."""
        if self.paused_manually:
            return Pause.MANUAL
        return Pause.BUDGET if self.out_of_budget else None

    def awaits(self, run_id: int) -> bool:
        """Whether the run *run_id* is known here: it waits, or goes on."""
        return (
            run_id in self.delayed
            or any(queued.id == run_id for queued in self.queue)
            or (self.going is not None and self.going.progress.run_id == run_id)
        )

    @property
    def health(self) -> Health:
        """Its status in one word."""
        return Health.PAUSED if self.pause else self.status.health
