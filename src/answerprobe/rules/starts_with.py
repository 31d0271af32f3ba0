"""The rule `starts_with`: the answer begins with a text."""

from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._folding import fold
from answerprobe.rules._reason import failed, passed, quote
from answerprobe.rules._texts import text_option
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class StartsWith:
    """The answer, white space before it aside, begins with *text*."""

    text: str
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "starts_with"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a text or `{text, case_sensitive}`.

        Raises:
            CriterionError: *value* is neither, or the text is blank.
        """
        option = text_option(value)
        if not option.text.strip():
            raise CriterionError("expected a text that is not blank")
        return cls(text=option.text.lstrip(), case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        answer = fold(sample.answer, case_sensitive=self.case_sensitive).lstrip()
        if answer.startswith(fold(self.text, case_sensitive=self.case_sensitive)):
            return passed(self.criterion, f"starts with {quote(self.text)}")
        wanted = f"not with {quote(self.text)}"
        start = quote(sample.answer.lstrip(), longest=max(40, len(self.text)))
        unquoted = f"starts otherwise, {wanted}"
        return failed(self.criterion, f"starts with {start}, {wanted}", unquoted)
