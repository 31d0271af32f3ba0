"""RE2 patterns of our own."""

import re2


_MOST_MEMORY_BYTES = 1 << 25


def compiled(pattern: str) -> re2._Regexp:
    """
    Return *pattern* compiled.

    RE2 would report on standard error where a text makes its automaton too big; it
    then goes on without one, which is slower and no fault.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY_BYTES
    return re2.compile(pattern, options)
