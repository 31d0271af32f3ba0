"""The rule `max_words`: the answer is no longer than this."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._options import options_of
from answerprobe.rules._reason import counted, failed, passed
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


# Splitting holds the interpreter's lock: a long answer is split piece by piece.
_PIECE = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxWords:
    """The answer has at most *limit* words, split on white space."""

    limit: int

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "max_words"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from a whole number, or `{limit: …}`.

        Raises:
            CriterionError: *value* is none above 0.
        """
        limit = value
        path: tuple[str, ...] = ()
        if isinstance(value, Mapping):
            limit, path = options_of(value, ("limit",)).get("limit"), ("limit",)
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise CriterionError("expected a whole number above 0", path)
        return cls(limit=limit)

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*."""
        words = count_words(sample.answer)
        reason = f"{counted(words, 'word')}, limit {self.limit:,}"
        if words > self.limit:
            return failed(self.criterion, reason)
        return passed(self.criterion, reason)


def count_words(text: str) -> int:
    """Return the number of words of *text*, split on white space."""
    if len(text) <= _PIECE:
        return len(text.split())
    words = 0
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        words += len(piece.split())
        if start and not (piece[0].isspace() or text[start - 1].isspace()):
            words -= 1
    return words
