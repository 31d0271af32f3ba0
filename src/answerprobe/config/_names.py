"""Names of monitors, cases and judges, and ids that are made from texts."""

import hashlib
import re

from answerprobe.config._show import quote


_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_SLUG = 60


def slug(said: str) -> str:
    """Return an id made from a question or goal: its words, as far as they go."""
    words = _NO_WORD.sub("-", said.casefold()).strip("-")
    if len(words) > _LONGEST_SLUG:
        words = words[: _LONGEST_SLUG + 1].rpartition("-")[0] or words[:_LONGEST_SLUG]
    return words or f"case-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def fault_of_name(name: str) -> str | None:
    """Return what is wrong with *name*, of a monitor, case or judge."""
    if not name.isprintable():
        return f"is {quote(name)}; wanted: printable characters only"
    if name != name.strip():
        return f"is {quote(name)}; wanted: no blanks around it"
    return None
