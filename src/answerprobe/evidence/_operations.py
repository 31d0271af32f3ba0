"""What can be written: plain values, so that they can wait while the store is down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from answerprobe.calibration import Calibration
from answerprobe.evidence._records import (
    Claim,
    FinishedRun,
    Increment,
    StoredMonitor,
)
from answerprobe.run import RunRequest
from answerprobe.status import MonitorStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """
    A new run: queued, or running where *started_at* is given.

    *run_id* is given where it was promised while the store was down; then *twin_after*
    too where its commit was tried before and may have happened, with some id above it.
    A queued one starts *not_before* then; to *merge* it means that one which waits for
    the same serves, of deploys with the newer version. *claim* is that of the replica
    whose run it is, where there are several.
    """

    request: RunRequest
    queued_at: datetime
    total: int
    started_at: datetime | None = None
    not_before: datetime | None = None
    merge: bool = False
    claim: Claim | None = None
    run_id: int | None = None
    twin_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A queued run starts, under *claim* where there are several replicas."""

    run_id: int
    started_at: datetime
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeVersion:
    """A queued run is for another version than it was, and starts *not_before* then."""

    run_id: int
    version: str | None
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveMonitors:
    """Monitors that are watched; status and pause of known ones stay."""

    monitors: Mapping[str, StoredMonitor]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePause:
    """Whether a monitor is paused by hand."""

    monitor: str
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLedger:
    """Tokens that were spent."""

    entries: tuple[Increment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDeploy:
    """A new version of a monitor's agent."""

    monitor: str
    version: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveCalibration:
    """How a judge fared on its canaries, in place of what was known of it."""

    calibration: Calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """
    What stays of runs whose evidence had to be dropped: all that is no evidence.

    *run_ids* are theirs: one that the store has as unfinished becomes interrupted. What
    is said of a monitor of *claims* holds only while its claim does.
    """

    run_ids: tuple[int, ...]
    at: datetime
    statuses: Mapping[str, MonitorStatus] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    ledger: tuple[Increment, ...] = ()
    claims: Mapping[str, Claim] = field(default_factory=dict)


Operation = (
    Begin
    | Start
    | ChangeVersion
    | FinishedRun
    | SaveMonitors
    | SavePause
    | AddLedger
    | RecordDeploy
    | SaveCalibration
    | Remains
)
