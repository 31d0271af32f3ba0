"""One run to carry out, what it is given, and where it is written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from answerprobe.case import Case
from answerprobe.conversation import User
from answerprobe.evidence import Claim, FinishedRun
from answerprobe.monitor import Monitor, Price
from answerprobe.run import Run, RunRequest, SampleResult
from answerprobe.runner._assignment import Assignment, Grader, Progress
from answerprobe.sample import TokenRole
from answerprobe.status import MonitorStatus
from answerprobe.targets import Target


class RunJournal(Protocol):
    """Where runs are written down."""

    async def begin(
        self,
        request: RunRequest,
        *,
        started_at: datetime,
        total: int,
        claim: Claim | None = None,
    ) -> int:
        """Write a run that starts now; return its id."""
        ...

    async def start(
        self, run_id: int, started_at: datetime, *, claim: Claim | None = None
    ) -> None:
        """Write that the queued run *run_id* starts now."""
        ...

    async def finish(self, finished: FinishedRun) -> bool:
        """Write a run that ended, and all that follows; False: its claim is lost."""
        ...

    async def last_good(
        self, monitor: str, case_ids: Mapping[str, str]
    ) -> Mapping[str, SampleResult]:
        """Return the newest passing sample of each case (id -> fingerprint)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The claim of a run, and when it *started_at* where the store has it begun."""

    claim: Claim
    started_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """
    One run to carry out.

    *previous* is the monitor's status so far. *progress* has the run's id where it was
    queued. *due_at* tells when the monitor is due next, kept with the run's end.
    *may_look_again* tells whether a second look may be waited for. *claimed*: the store
    has it begun for this replica, which must not ask anything when the claim no longer
    *holds*.
    """

    monitor: Monitor
    target: Target
    judge: Grader | None
    prices: Mapping[TokenRole, Price]
    request: RunRequest
    previous: MonitorStatus
    progress: Progress
    queued_at: datetime
    user: User | None = None
    due_at: Callable[[], datetime | None] = lambda: None
    may_look_again: Callable[[], bool] = lambda: True
    total_token_budget: int | None = None
    claimed: Claimed | None = None
    holds: Callable[[], bool] = lambda: True

    @property
    def claim(self) -> Claim | None:
        """The claim under which it is done."""
        return self.claimed.claim if self.claimed else None

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that are asked."""
        return self.request.cases_of(self.monitor)

    @property
    def assignment(self) -> Assignment:
        """What the runner is given."""
        return Assignment(
            monitor=self.monitor,
            cases=self.cases,
            target=self.target,
            judge=self.judge,
            prices=self.prices,
            user=self.user,
            samples=self.request.samples,
            total_token_budget=self.total_token_budget,
            holds=self.holds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """How a job ended; *status* is None where the run moved none."""

    run: Run
    status: MonitorStatus | None
