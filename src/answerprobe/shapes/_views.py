"""A monitor as it stands now, for whoever shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from answerprobe.calibration import Calibration
from answerprobe.evidence import RunSummary
from answerprobe.monitor import Monitor
from answerprobe.run import GradedBy, Trigger
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
class GoingView:
    """A run that goes on; *run_id* is None until the store gave one."""

    run_id: int | None
    trigger: Trigger
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorView:
    """A monitor as it stands now; *waiting* are the ids of runs that wait."""

    monitor: Monitor
    status: MonitorStatus
    health: Health
    pause: Pause | None
    next_run_at: datetime | None
    last_run: RunSummary | None
    budget: BudgetView | None
    going: GoingView | None = None
    waiting: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeView:
    """
    A judge as it stands now.

    *requests*: how many ended how since the daemon started; *up*: whether the last one
    was usable, None before any. *model* is the configured one, *graded_by* the last
    that the API reported.
    """

    name: str
    model: str
    monitors: tuple[str, ...]
    votes: int
    requests: Mapping[str, int]
    up: bool | None
    last_request_at: datetime | None
    graded_by: GradedBy | None
    disagreements: int
    canaries: int
    calibrate_seconds: float
    calibration: Calibration | None
