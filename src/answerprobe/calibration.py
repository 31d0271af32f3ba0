"""How a judge fared on its canaries: answers whose verdict is known."""

from dataclasses import dataclass
from datetime import datetime

from answerprobe.passrate import Interval, wilson
from answerprobe.verdict import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """On how many of the *judged* canaries of one known verdict the judge agreed."""

    agreed: int
    judged: int

    @property
    def ratio(self) -> float | None:
        """The true-pass or true-fail rate; None where nothing was judged."""
        return self.agreed / self.judged if self.judged else None

    @property
    def interval(self) -> Interval | None:
        """The 95% Wilson interval of the rate; None where nothing was judged."""
        return wilson(self.agreed, self.judged) if self.judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryVerdict:
    """
    One canary that did not get its known verdict, and why; its texts cut and redacted.

    *number* is its place in the list of canaries, from 1. *outcome* is NOT_JUDGED where
    no verdict came.
    """

    number: int
    question: str
    answer: str
    expected: Outcome
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """
    What a judge made of all its canaries, once.

    *models* are the graders as the API reported them, the most frequent first.
    *definition* stands for what was calibrated: settings, prompt and canaries.
    """

    judge: str
    definition: str
    models: tuple[str, ...]
    prompt_version: str
    at: datetime
    passes: Agreement
    fails: Agreement
    wrong: tuple[CanaryVerdict, ...] = ()

    @property
    def misjudged(self) -> tuple[CanaryVerdict, ...]:
        """The canaries that got the other verdict."""
        return tuple(v for v in self.wrong if v.outcome is not Outcome.NOT_JUDGED)

    @property
    def not_judged(self) -> tuple[CanaryVerdict, ...]:
        """The canaries that got none."""
        return tuple(v for v in self.wrong if v.outcome is Outcome.NOT_JUDGED)

    @property
    def judged(self) -> int:
        """How many canaries got a verdict."""
        return self.passes.judged + self.fails.judged

    @property
    def complete(self) -> bool:
        """Whether enough was judged to say anything: something, and half of it all."""
        return self.judged > 0 and self.judged >= len(self.not_judged)

    @property
    def model(self) -> str:
        """The model that gave most verdicts; empty where none came."""
        return self.models[0] if self.models else ""
