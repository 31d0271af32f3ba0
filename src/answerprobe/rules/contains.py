"""The rules about texts in the answer: `contains` and its family."""

from dataclasses import dataclass
from typing import Self

from answerprobe.rules._folding import fold
from answerprobe.rules._reason import counted, failed, listed, passed, quote
from answerprobe.rules._texts import excerpt, text_option, texts_option
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """*text* is in the answer."""

    text: str
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "contains"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a text or `{text, case_sensitive}`.

        Raises:
            CriterionError: *value* is neither.
        """
        option = text_option(value)
        return cls(text=option.text, case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        if _missing(sample.answer, (self.text,), case_sensitive=self.case_sensitive):
            size = counted(len(sample.answer), "character")
            return failed(self.criterion, f"{quote(self.text)} is not in the {size}")
        return passed(self.criterion, f"{quote(self.text)} is there")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotContains:
    """*text* is nowhere in the answer."""

    text: str
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "not_contains"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a text or `{text, case_sensitive}`.

        Raises:
            CriterionError: *value* is neither.
        """
        option = text_option(value)
        return cls(text=option.text, case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason of a fail shows what stands around the text."""
        found = excerpt(sample.answer, self.text, case_sensitive=self.case_sensitive)
        if found is None:
            return passed(self.criterion, f"{quote(self.text)} is not there")
        reason = f"{quote(self.text)} is in the answer"
        return failed(self.criterion, f"{reason}: {found}", reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsAny:
    """At least one of *texts* is in the answer."""

    texts: tuple[str, ...]
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "contains_any"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a list of texts or `{text: [ … ], case_sensitive}`.

        Raises:
            CriterionError: *value* is neither.
        """
        option = texts_option(value)
        return cls(texts=option.texts, case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        missing = _missing(
            sample.answer, self.texts, case_sensitive=self.case_sensitive
        )
        if len(missing) == len(self.texts):
            return failed(self.criterion, f"none is there of {listed(self.texts)}")
        found = next(text for text in self.texts if text not in missing)
        return passed(self.criterion, f"{quote(found)} is there")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsAll:
    """Each of *texts* is in the answer."""

    texts: tuple[str, ...]
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "contains_all"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a list of texts or `{text: [ … ], case_sensitive}`.

        Raises:
            CriterionError: *value* is neither.
        """
        option = texts_option(value)
        return cls(texts=option.texts, case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        missing = _missing(
            sample.answer, self.texts, case_sensitive=self.case_sensitive
        )
        if not missing:
            return passed(self.criterion, f"all {len(self.texts)} are there")
        share = f"{len(missing)} of {len(self.texts)} missing"
        return failed(self.criterion, f"{share}: {listed(missing)}")


def _missing(
    answer: str, texts: tuple[str, ...], *, case_sensitive: bool
) -> tuple[str, ...]:
    """Return those of *texts* that are not in *answer*."""
    folded = fold(answer, case_sensitive=case_sensitive)
    return tuple(
        text
        for text in texts
        if fold(text, case_sensitive=case_sensitive) not in folded
    )
