"""RE2 patterns of our own."""

from collections.abc import Iterator
from functools import cached_property

import re2


_MOST_MEMORY_BYTES = 1 << 25


class Expression:
    """
    A pattern, compiled when it first looks at a text.

    Most commands meet few of ours: what they never need costs them no start.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _regexp(self) -> re2._Regexp:
        """
        The pattern, compiled.

        RE2 would report on standard error where a text makes its automaton too big; it
        then goes on without one, which is slower and no fault.
        """
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MOST_MEMORY_BYTES
        return re2.compile(self.pattern, options)

    def search(self, text: str, start: int = 0) -> re2._Match | None:
        """Return the first place in *text* from *start* that fits."""
        return self._regexp.search(text, start)

    def match(self, text: str, start: int = 0) -> re2._Match | None:
        """Return what fits in *text* right at *start*."""
        return self._regexp.match(text, start)

    def fullmatch(self, text: str) -> re2._Match | None:
        """Return the match of *text* as a whole."""
        return self._regexp.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re2._Match]:
        """Yield every place in *text* that fits."""
        yield from self._regexp.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        """Return *text* with *replacement* for what fits."""
        return str(self._regexp.sub(replacement, text))

    def split(self, text: str) -> list[str]:
        """Return the pieces of *text* between what fits."""
        return list(self._regexp.split(text))


def compiled(pattern: str) -> Expression:
    """Return *pattern*, ready to look at texts."""
    return Expression(pattern)
