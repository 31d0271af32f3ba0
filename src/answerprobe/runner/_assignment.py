"""What a runner is given, and how far it has come."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from answerprobe.case import Case, Rubric
from answerprobe.conversation import User
from answerprobe.judge import Judgement
from answerprobe.monitor import Monitor, Price
from answerprobe.run import SampleResult
from answerprobe.sample import Sample, TokenRole, TokenUsage
from answerprobe.targets import Target


class Grader(Protocol):
    """What a runner needs of a judge."""

    async def grade(
        self, rubric: Rubric, label: str, sample: Sample, *, votes: int | None = None
    ) -> Judgement:
        """Return the verdict on *sample*; NOT_JUDGED where none could be had."""
        ...


class RunObserver(Protocol):
    """Who wants to know what samples spend, and what goes wrong on our side."""

    def tokens_spent(
        self, monitor: str, role: TokenRole, usage: TokenUsage, cost: float | None
    ) -> None:
        """*role* spent *usage* on *monitor*; *cost* in dollars where a price is set."""
        ...

    def internal_error(self) -> None:
        """A sample could not be graded by a fault of our own."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """
    Which cases of which monitor to put to which target how often.

    *samples* overrides the cases' own numbers. *judge* is None where no case has a
    judged criterion, *user* where none is a conversation. Nothing is asked once
    its claim no longer *holds*.
    """

    monitor: Monitor
    cases: tuple[Case, ...]
    target: Target
    judge: Grader | None
    prices: Mapping[TokenRole, Price]
    user: User | None = None
    samples: int | None = None
    total_token_budget: int | None = None
    holds: Callable[[], bool] = lambda: True

    @property
    def plan(self) -> tuple[Case, ...]:
        """A case for each sample, in the order they are asked."""
        return tuple(
            case for case in self.cases for _ in range(self.samples or case.samples)
        )


@dataclass(slots=True, kw_only=True)
class Progress:
    """
    How far a run has come; shared with whoever shows it.

    *run_id* is None until the store gave one. *begun*: it is being carried out.
    *results* has a place for each sample of the plan. *first_started* is the monotonic
    time at which its first sample got a place. *out_of_budget*: it was cut short.
    *claim_lost*: so it was, as another replica may do it now.
    *second_look* is there once the run needs one, *called_off* where it may have none.
    """

    run_id: int | None = None
    begun: bool = False
    results: list[SampleResult | None] = field(default_factory=list)
    done: int = 0
    first_started: float | None = None
    out_of_budget: bool = False
    claim_lost: bool = False
    second_look: "SecondLook | None" = None
    called_off: bool = False

    @property
    def waiting(self) -> bool:
        """Whether its run asks nothing, until it is time for the second look."""
        return self.second_look is not None and self.second_look.waiting

    @property
    def cut_short(self) -> bool:
        """Whether something is missing that its run should have."""
        look = self.second_look
        spent = self.out_of_budget or (look is not None and look.progress.out_of_budget)
        return spent or self.called_off or self.lost

    @property
    def lost(self) -> bool:
        """Whether the claim did not hold for all of it."""
        look = self.second_look
        return self.claim_lost or (look is not None and look.progress.claim_lost)

    @property
    def samples(self) -> tuple[SampleResult, ...]:
        """The results there are, in the plan's order."""
        return tuple(result for result in self.results if result is not None)


@dataclass(slots=True, kw_only=True)
class SecondLook:
    """Cases of a run asked once more: *waiting* for *at*, then with *progress*."""

    at: datetime
    total: int
    waiting: bool = True
    progress: Progress = field(default_factory=Progress)
