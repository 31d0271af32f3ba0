"""The rule `no_refusal`: the agent did what it was asked, or at least tried."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.rules._options import flag, hint, options_of, texts
from answerprobe.rules._pattern import Pattern
from answerprobe.rules._reason import around, failed, passed, quote
from answerprobe.rules._refusal import LONGEST_READ, lexicon, read, unknown
from answerprobe.sample import Sample
from answerprobe.text import scrub
from answerprobe.verdict import Verdict


_OPTIONS = ("dont_know", "extra", "strict")
_LIMIT = 0.55
_STRICT_LIMIT = 0.9
_LONGEST_QUOTE = 120


class DontKnow(StrEnum):
    """What an answer such as "I couldn't find that" is."""

    IGNORE = "ignore"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRefusal:
    """
    The answer is no refusal, in any of the languages of the lexicon.

    *strict*: only explicit ones count (the agent says that it cannot or will not).
    *dont_know*: what "I couldn't find that" is. *extra*: RE2 patterns that are
    refusals, too.
    """

    strict: bool = False
    dont_know: DontKnow = DontKnow.IGNORE
    extra: tuple[Pattern, ...] = ()

    @property
    def criterion(self) -> str:
        """The rule's name in the configuration."""
        return "no_refusal"

    @classmethod
    def parse(cls, value: object) -> Self:
        """
        Make the rule from `true` or `{strict, dont_know, extra}`.

        Raises:
            CriterionError: an option is unknown, or a pattern is none of RE2's.
        """
        options = options_of(value, _OPTIONS)
        lexicon()  # now, while loading: the event loop cannot wait for it later
        return cls(
            strict=flag(options, "strict"),
            dont_know=_dont_know(options.get("dont_know", "ignore")),
            extra=tuple(
                _pattern(text, index)
                for index, text in enumerate(texts(options, "extra") or ())
            ),
        )

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*: what the API says of it first, then its words."""
        reply = sample.reply
        if reply.refusal:
            told = f"provider refusal: {quote(reply.refusal)}"
            return failed(self.criterion, told, "provider refusal")
        if reply.filtered:
            return failed(self.criterion, "blocked by the provider's content filter")
        for pattern in self.extra:
            if found := pattern.find(sample.answer):
                told = f"the extra pattern {quote(pattern.text)} matches"
                where = around(sample.answer, found.start, found.end)
                return failed(self.criterion, f"{told}: {where}", told)
        return self._graded(scrub(sample.answer), _unread(sample.answer))

    def _graded(self, answer: str, note: str) -> Verdict:
        """Return the verdict on the words of *answer*."""
        finding = read(answer)
        limit = _STRICT_LIMIT if self.strict else _LIMIT
        score = f"score {finding.score:.2f}, limit {limit:g}{note}"
        if finding.score >= limit:
            told = f"refusal ({finding.language}, {score})"
            return failed(self.criterion, f"{told}: {_quoted(finding.sentence)}", told)
        if self.dont_know is DontKnow.FAIL and (sentence := unknown(answer)):
            told = f"does not know{note}"
            return failed(self.criterion, f"{told}: {_quoted(sentence)}", told)
        return passed(self.criterion, f"no refusal ({score})")


def _quoted(sentence: str) -> str:
    """Return *sentence* on one line, quoted."""
    return quote(" ".join(sentence.split()), _LONGEST_QUOTE)


def _unread(answer: str) -> str:
    """Return a note where only the beginning of *answer* was read."""
    if len(answer) <= LONGEST_READ:
        return ""
    return f", first {LONGEST_READ:,} of {len(answer):,} characters read"


def _dont_know(value: object) -> DontKnow:
    """Return the option that *value* names."""
    names = [str(member) for member in DontKnow]
    if value not in names:
        raise CriterionError(f"{value!r}{hint(str(value), names)}", ("dont_know",))
    return DontKnow(str(value))


def _pattern(text: str, index: int) -> Pattern:
    """Return the operator's pattern; an error says which one is wrong."""
    try:
        return Pattern.compile(text)
    except CriterionError as exc:
        raise CriterionError(exc.message, ("extra", index, *exc.path)) from exc
