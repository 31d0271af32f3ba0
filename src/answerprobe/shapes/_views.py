"""A monitor as it stands now, for whoever shows it."""

from dataclasses import dataclass
from datetime import datetime

from answerprobe.evidence import RunSummary
from answerprobe.monitor import Monitor
from answerprobe.status import Health, MonitorStatus, Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """What a monitor has spent of a month's tokens."""

    limit_tokens: int
    used_tokens: int
    reset_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLookView:
    """A second look that a run waits for until *at*, or takes since then."""

    at: datetime
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorView:
    """A monitor as it stands now."""

    monitor: Monitor
    status: MonitorStatus
    health: Health
    pause: Pause | None
    next_run_at: datetime | None
    last_run: RunSummary | None
    budget: BudgetView | None
