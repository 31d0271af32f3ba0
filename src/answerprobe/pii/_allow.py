"""Which personal data an operator expects to see."""

import re

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from answerprobe.errors import CriterionError
from answerprobe.pii._hit import PiiKind


_FEWEST_DIGITS = 4


def _digits(text: str) -> str:
    """Return the digits of *text*."""
    return "".join(char for char in text if char.isdigit())


def _glob(pattern: str) -> str:
    """Return *pattern* as a regular expression whose `*` stays on its side of the @."""
    return "".join("[^@]*" if char == "*" else re.escape(char) for char in pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Mail addresses (or globs of them, any case) and numbers (by digits) to let by."""

    mails: frozenset[str] = frozenset()
    globs: tuple[re.Pattern[str], ...] = ()
    numbers: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Self:
        """
        Make it from the entries of the configuration.

        Raises:
            CriterionError: an entry is neither a mail address nor a number.
        """
        mails, globs, numbers = set(), [], set()
        for index, entry in enumerate(entries):
            text = entry.strip().casefold()
            if "@" in text and "*" in text:
                globs.append(re.compile(_glob(text)))
            elif "@" in text:
                mails.add(text)
            elif len(_digits(text)) >= _FEWEST_DIGITS:
                numbers.add(_key(text))
            else:
                wanted = "a mail address, a glob such as *@shop.io, or a number"
                raise CriterionError(f"{entry!r} is not {wanted}", (index,))
        return cls(
            mails=frozenset(mails), globs=tuple(globs), numbers=frozenset(numbers)
        )

    def covers(self, kind: PiiKind, value: str) -> bool:
        """Whether *value* of *kind* is expected."""
        if kind is not PiiKind.EMAIL:
            return bool(self.numbers) and _key(value) in self.numbers
        mail = value.casefold()
        return mail in self.mails or any(glob.fullmatch(mail) for glob in self.globs)


def _key(number: str) -> str:
    """Return what two spellings of one number share: `+49` and `0049` are the same."""
    text = number.strip()
    digits = _digits(text)
    if not text.startswith("+") and digits.startswith("00"):
        digits = digits[2:]
    letters = "".join(char for char in text if char.isalpha() and char.isascii())
    return letters.casefold() + digits
