"""A pattern in RE2 syntax: no text makes it hang."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import re2

from answerprobe.errors import CriterionError
from answerprobe.rules._reason import shortened
from answerprobe.text import scrub


# Where a pattern makes RE2's automaton too big it walks the program for each character:
# measured 3.3 ns an instruction (`[ab]*a[ab]{900}c` over random a and b).
_NANOSECONDS_PER_INSTRUCTION = 4
_LOOK_AROUND = (
    "RE2 has no look-around: write what must, or must not, stand there as a rule of "
    "its own, with contains, regex or not_regex"
)
_POSSESSIVE = (
    "RE2 has no possessive or atomic groups and needs none, it never backtracks: "
    "write the plain form"
)
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False  # its way of reporting is to write to standard error
# What RE2's message mentions -> what to write instead.
_HINTS = (
    (("(?=", "(?!", "(?<"), _LOOK_AROUND),
    (tuple(f"\\{digit}" for digit in range(1, 10)), "RE2 has no back-references"),
    (("\\g", "(?P", "\\k"), "RE2 has no back-references"),
    (("(?>", "++", "*+", "?+", "}+"), _POSSESSIVE),
    (("\\Z",), "the end of the text is \\z in RE2"),
    (("\\u", "\\U", "\\N"), "write a character as \\x{00E9}, or as itself"),
    (("(?x", "(?a", "(?u", "(?L"), "the flags of RE2 are i, m, s and U"),
    (("repetition size",), "at most 1000 repetitions"),
    (("\\p{",), "classes are written as \\p{L}, \\p{Lu}, \\p{Greek}"),
)


class Span(NamedTuple):
    """Where a match stands in a text."""

    start: int
    end: int


class _Match(Protocol):
    """What this module uses of a match."""

    def span(self) -> tuple[int, int]:
        """Return start and end."""
        ...


class _Compiled(Protocol):
    """What this module uses of a compiled pattern."""

    @property
    def programsize(self) -> int:
        """The number of instructions."""
        ...

    def search(self, text: str) -> _Match | None:
        """Return the first match in *text*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A compiled pattern; two of the same *text* are equal."""

    text: str
    _compiled: _Compiled = field(repr=False, compare=False)

    @classmethod
    def compile(cls, text: str) -> "Pattern":
        """
        Make the pattern that *text* spells.

        Raises:
            CriterionError: RE2 cannot read it; the message says what to write instead.
        """
        try:
            compiled: _Compiled = re2.compile(text, _OPTIONS)
        except re2.error as exc:
            problem = _problem(exc)
            reason = f"RE2 cannot read this pattern: {shortened(problem, 100)}"
            raise CriterionError(f"{reason}{_hint(problem)}") from exc
        except UnicodeEncodeError as exc:
            message = "a pattern must be text: it has half of a surrogate pair"
            raise CriterionError(message) from exc
        return cls(text=text, _compiled=compiled)

    @property
    def nanoseconds_per_character(self) -> int:
        """What searching a text costs at worst."""
        return self._compiled.programsize * _NANOSECONDS_PER_INSTRUCTION

    def find(self, text: str) -> Span | None:
        """Return where the first match in *text* stands."""
        try:
            found = self._compiled.search(text)
        except UnicodeEncodeError:
            # Lone surrogates, which JSON in an answer can spell; the length stays.
            found = self._compiled.search(scrub(text))
        return Span(*found.span()) if found else None


def _problem(error: Exception) -> str:
    """Return RE2's own words, which the library hands over as bytes."""
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _hint(problem: str) -> str:
    """Return what to write instead, where that is known."""
    for marks, hint in _HINTS:
        if any(mark in problem for mark in marks):
            return f" ({hint})"
    return ""
