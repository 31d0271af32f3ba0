"""The rule `responds_within`: the whole answer was there within a time."""

from dataclasses import dataclass
from typing import Self

from answerprobe.rules._duration import duration_seconds
from answerprobe.rules._reason import failed, passed, seconds
from answerprobe.rules._turns import slowest_of
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RespondsWithin:
    """
    The last byte came at most *limit_seconds* after the start of connecting.

    In a conversation that goes for each of the agent's turns.
    """

    limit_seconds: float

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "responds_within"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a duration.

        Raises:
            CriterionError: *value* is none.
        """
        return cls(limit_seconds=duration_seconds(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; what the reason shows, milliseconds, is what is compared."""
        took = round(slowest_of(sample).duration_seconds, 3)
        reason = f"{seconds(took)}, limit {seconds(self.limit_seconds)}"
        if took > self.limit_seconds:
            return failed(self.criterion, f"answered in {reason}")
        return passed(self.criterion, f"answered in {reason}")
