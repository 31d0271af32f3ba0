"""What the store hands out, and what is handed to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from answerprobe.monitor import Retention
from answerprobe.run import (
    Run,
    RunRequest,
    RunState,
    SampleResult,
    Trigger,
    pass_ratio,
)
from answerprobe.sample import ErrorReason, TokenRole
from answerprobe.status import MonitorStatus
from answerprobe.verdict import Outcome


# Kept where a monitor says nothing, and of monitors that left the configuration.
DEFAULT_RETENTION = Retention(passes_seconds=7 * 86400.0, failures_seconds=90 * 86400.0)
# Rows without text: enough for a year's view.
ROWS_KEPT_SECONDS = 400 * 86400.0


class Increment(Protocol):
    """Tokens to be added to the ledger of *month* (`2026-11`, in UTC)."""

    @property
    def month(self) -> str:
        """The month they were spent in."""
        ...

    @property
    def monitor(self) -> str:
        """Whose they are."""
        ...

    @property
    def role(self) -> TokenRole:
        """Who spent them."""
        ...

    @property
    def estimated(self) -> bool:
        """Whether they are our own estimate."""
        ...

    @property
    def input_tokens(self) -> int:
        """Tokens sent."""
        ...

    @property
    def output_tokens(self) -> int:
        """Tokens received."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTokens:
    """What the ledger says of one month, monitor and role; an Increment itself."""

    month: str
    monitor: str
    role: TokenRole
    estimated: bool
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDeploy:
    """A version of an agent, and when it was deployed."""

    version: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMonitor:
    """
    What the store knows of a monitor; *deploy* is the newest one.

    *definition* is that of the configuration that was loaded last; an empty one leaves
    what is there. *epoch* is the number of its last claim.
    """

    first_seen: datetime
    due_at: datetime | None = None
    paused_manually: bool = False
    status: MonitorStatus = field(default_factory=MonitorStatus)
    definition: str = ""
    revision: int = 0
    deploy: StoredDeploy | None = None
    epoch: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of *replica* to do one run of a monitor, until *epoch* has passed."""

    replica: str
    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """
    A run that ended, and all that follows from it: written together or not at all.

    *run* is completed or interrupted, its samples redacted. None of *status* or
    *due_at*: what the store has of the monitor stays. With a *claim*, nothing of it is
    written where that no longer holds.
    """

    run: Run
    status: MonitorStatus | None = None
    ledger: tuple[Increment, ...] = ()
    due_at: datetime | None = None
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedRun:
    """
    A run that an earlier process left *state* queued or running.

    One that is queued starts *not_before* then.
    """

    id: int
    request: RunRequest
    state: RunState
    queued_at: datetime
    total: int
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run without its samples. *outcomes* has every outcome, zeros included."""

    id: int
    request: RunRequest
    state: RunState
    queued_at: datetime
    total: int
    done: int
    started_at: datetime | None
    finished_at: datetime | None
    outcomes: Mapping[Outcome, int]

    @property
    def pass_ratio(self) -> float | None:
        """Passes among judged samples; None where none was, or it never completed."""
        if self.state is not RunState.COMPLETED:
            return None
        return pass_ratio(self.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """Which runs to list; *outcome*: those with at least one such sample."""

    monitor: str | None = None
    trigger: Trigger | None = None
    outcome: Outcome | None = None
    before: int | None = None
    limit: int = 50

    def matches(self, run: Run) -> bool:
        """Whether *run* is one of those that are asked for, however many are."""
        request = run.request
        return (
            self.monitor in (None, request.monitor)
            and self.trigger in (None, request.trigger)
            and (self.outcome is None or run.outcomes[self.outcome] > 0)
            and (self.before is None or run.id < self.before)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """Runs, newest first; *next* is the next page's `before`, None on the last one."""

    runs: tuple[RunSummary, ...]
    next: int | None


def summary(run: Run) -> RunSummary:
    """Return *run* without its samples."""
    return RunSummary(
        id=run.id,
        request=run.request,
        state=run.state,
        queued_at=run.queued_at,
        total=run.total,
        done=run.done,
        started_at=run.started_at,
        finished_at=run.finished_at,
        outcomes=run.outcomes,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswers:
    """A case's newest counted sample and the newest one that passed."""

    newest: SampleResult | None = None
    good: SampleResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleQuery:
    """Which samples of a run to list, the worst first."""

    run_id: int
    outcome: Outcome | None = None
    case_id: str | None = None
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSample:
    """A sample and its run; *number* counts from 1 within it, 0 where not asked."""

    run_id: int
    sample: SampleResult
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePage:
    """Some of a run's samples, and how many the query has in *total*."""

    samples: tuple[KeptSample, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingCase:
    """A case of a run of which samples *failed*; *sample* is the first of these."""

    case_id: str
    failed: int
    samples: int
    sample: SampleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """How one counted sample of a case ended, and when; of which definition."""

    run_id: int
    fingerprint: str
    outcome: Outcome
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    Why samples did not pass: an *error*, or the first *criterion* they failed.

    *samples* of so many *cases* did.
    """

    error: ErrorReason | None
    criterion: str | None
    samples: int
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How many runs and samples `forget` deletes."""

    runs: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """How many texts, samples and runs retention took."""

    texts: int = 0
    samples: int = 0
    runs: int = 0
