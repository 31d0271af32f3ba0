"""The rules `regex` and `not_regex`: an RE2 pattern matches, or nowhere does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._options import options_of
from answerprobe.rules._pattern import Pattern
from answerprobe.rules._reason import around, counted, failed, passed, quote
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """*pattern* matches somewhere in the answer."""

    pattern: Pattern

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "regex"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a pattern or `{pattern: …}`.

        Raises:
            CriterionError: *value* is neither, or RE2 cannot read the pattern.
        """
        return cls(pattern=_pattern(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a pass shows what matched."""
        shown = quote(self.pattern.text)
        found = self.pattern.find(sample.answer)
        if found is None:
            size = counted(len(sample.answer), "character")
            return failed(self.criterion, f"no match for {shown} in the {size}")
        reason = f"match for {shown}"
        match = quote(sample.answer[found.start : found.end])
        return passed(self.criterion, f"{reason}: {match}", reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRegex:
    """*pattern* matches nowhere in the answer."""

    pattern: Pattern

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "not_regex"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a pattern or `{pattern: …}`.

        Raises:
            CriterionError: *value* is neither, or RE2 cannot read the pattern.
        """
        return cls(pattern=_pattern(value))

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail shows what stands around the match."""
        shown = quote(self.pattern.text)
        found = self.pattern.find(sample.answer)
        if found is None:
            return passed(self.criterion, f"no match for {shown}")
        reason = f"match for {shown}"
        match = around(sample.answer, found.start, found.end)
        return failed(self.criterion, f"{reason}: {match}", reason)


def _pattern(value: object) -> Pattern:
    """
    Return the pattern of *value*.

    Raises:
        CriterionError: there is none, or RE2 cannot read it.
    """
    written = value
    path: tuple[str, ...] = ()
    if isinstance(value, Mapping):
        written, path = options_of(value, ("pattern",)).get("pattern"), ("pattern",)
    if not isinstance(written, str) or not written:
        raise CriterionError("expected a pattern in RE2 syntax", path)
    try:
        return Pattern.compile(written)
    except CriterionError as exc:
        raise CriterionError(exc.message, path) from exc
