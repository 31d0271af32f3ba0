"""What a rule is."""

from typing import Protocol, Self

from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


class Rule(Protocol):
    """A deterministic check of a sample: pure, no I/O, no clock, linear in the text."""

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration: `contains`."""
        ...

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the verdict's reason is for the person on call."""
        ...


class ParsedRule(Rule, Protocol):
    """A rule that can be made from its value in the configuration."""

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from *value*, whose shape the JSON Schema has checked.

        Raises:
            CriterionError: what no schema sees is wrong (a pattern, a JSON Schema).
        """
        ...
