"""A run: every case put to a target a number of times, and how that ended."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from answerprobe.case import Case, CaseState
from answerprobe.monitor import Monitor
from answerprobe.sample import (
    Failure,
    Speaker,
    Termination,
    TokenRole,
    TokenUsage,
    Turn,
)
from answerprobe.verdict import Outcome, Verdict


class Trigger(StrEnum):
    """Why a run was started. A closed set: a metric's label."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    DEPLOY = "deploy"
    DRY_RUN = "dry_run"
    EXPERIMENT = "experiment"


class RunState(StrEnum):
    """Where a run is. Only a completed one counts."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedBy:
    """Which model, as the API reported it, and which prompt gave a verdict."""

    model: str
    prompt_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """
    What is kept of one sample.

    *duration_seconds* is that of the agent's slowest turn. *answer* is None where no
    text came. *whole* tells whether the texts are still what
    the target sent, neither cut nor redacted. *second_look*: it was asked to confirm
    what others of its run said. *tools_missing* and *tools_unexpected* are what
    `expected_actions` found amiss.
    """

    case_id: str
    fingerprint: str
    outcome: Outcome
    started_at: datetime
    duration_seconds: float
    trace_id: str
    failure: Failure | None = None
    answer: str | None = None
    turns: tuple[Turn, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    judge: GradedBy | None = None
    simulated_user: GradedBy | None = None
    termination: Termination | None = None
    tokens: Mapping[TokenRole, TokenUsage] = field(default_factory=dict)
    first_token_seconds: float | None = None
    whole: bool = True
    second_look: bool = False
    tools_missing: tuple[str, ...] = ()
    tools_unexpected: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the agent answered; perhaps nobody was there to ask it."""
        if self.outcome is Outcome.ERROR:
            return False
        if self.termination is not Termination.USER_ERROR:
            return True
        return any(turn.speaker is Speaker.AGENT for turn in self.turns)

    @property
    def user_turns(self) -> int:
        """How many messages were put to the agent."""
        return sum(turn.speaker is Speaker.USER for turn in self.turns)

    @property
    def turn_seconds(self) -> tuple[float, ...]:
        """How long each of the agent's turns took."""
        if self.termination is None:
            return (self.duration_seconds,)
        return tuple(
            turn.duration_seconds
            for turn in self.turns
            if turn.duration_seconds is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """
    What a run was asked to do. None of *case_ids* or *samples*: as configured.

    *reason* tells what an experiment tries: `model: a → b`.
    """

    monitor: str
    trigger: Trigger
    case_ids: tuple[str, ...] | None = None
    samples: int | None = None
    version: str | None = None
    reason: str | None = None

    @property
    def exploratory_reason(self) -> str | None:
        """Why such a run never moves status, in words; None where it does."""
        if self.trigger is Trigger.DRY_RUN:
            return "dry run"
        if self.trigger is Trigger.EXPERIMENT:
            return self.reason or "experiment"
        if self.case_ids is not None:
            return "some of the cases"
        if self.samples is not None:
            return f"{self.samples} samples a case"
        return None

    @property
    def exploratory(self) -> bool:
        """Whether such a run never moves status."""
        return self.exploratory_reason is not None

    def cases_of(self, monitor: Monitor) -> tuple[Case, ...]:
        """Return the cases of *monitor* that it asks; only a dry run asks drafts."""
        dry = self.trigger is Trigger.DRY_RUN
        known = monitor.askable if dry else monitor.cases
        if self.case_ids is None:
            return known
        wanted = frozenset(self.case_ids)
        return tuple(case for case in known if case.id in wanted)

    def fault_for(self, monitor: Monitor) -> str | None:
        """Return why *monitor*, of its uncounted cases, can't be run like this."""
        wanted = frozenset(self.case_ids or ())
        for case in monitor.uncounted:
            if case.id in wanted and case.state is CaseState.RETIRED:
                return f"the case {case.id!r} is retired: it does not run"
            if case.id in wanted and self.trigger is not Trigger.DRY_RUN:
                return f"the case {case.id!r} is a draft: it runs in dry runs only"
        if self.case_ids is None and not self.cases_of(monitor):
            rest = "; a dry run asks drafts" if monitor.drafts else ""
            return f"no case of {monitor.name!r} is accepted{rest}"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployRequest:
    """
    A new version of agents is out: run the monitors that match, after a delay.

    None of *monitors*: all of them; every one of *labels* must match too.
    """

    version: str
    monitors: tuple[str, ...] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """
    One run of a monitor. *id* is the number in `/runs/{id}`.

    *second_look* has the samples that were asked once more before bad news counted:
    they confirm what *samples* say, or don't, and are in no count of theirs.
    """

    id: int
    request: RunRequest
    state: RunState
    queued_at: datetime
    total: int
    done: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    samples: tuple[SampleResult, ...] = ()
    second_look: tuple[SampleResult, ...] = ()

    @property
    def outcomes(self) -> Mapping[Outcome, int]:
        """How many samples ended in which outcome, zeros included."""
        return count_outcomes(sample.outcome for sample in self.samples)

    @property
    def duration_seconds(self) -> float:
        """From start to end; 0 where it has not ended."""
        if self.started_at is None or self.finished_at is None:
            return 0.0
        return (self.finished_at - self.started_at).total_seconds()


def count_outcomes(outcomes: Iterable[Outcome]) -> dict[Outcome, int]:
    """Return how often each outcome stands in *outcomes*, zeros included."""
    found = Counter(outcomes)
    return {outcome: found[outcome] for outcome in Outcome}
