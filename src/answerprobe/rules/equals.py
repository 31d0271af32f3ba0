"""The rule `equals`: the answer is a text and nothing else."""

from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._folding import fold
from answerprobe.rules._reason import counted, failed, passed, quote
from answerprobe.rules._texts import text_option
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals:
    """The answer, white space around it aside, is *text*."""

    text: str
    case_sensitive: bool = False

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "equals"

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
        return cls(text=option.text.strip(), case_sensitive=option.case_sensitive)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        answer = fold(sample.answer, case_sensitive=self.case_sensitive).strip()
        if answer == fold(self.text, case_sensitive=self.case_sensitive):
            return passed(self.criterion, f"is {quote(self.text)}")
        size = counted(len(sample.answer), "character")
        wanted = f"expected {quote(self.text)}"
        return failed(
            self.criterion,
            f"is {quote(sample.answer)} ({size}), {wanted}",
            f"is another text of {size}, {wanted}",
        )
