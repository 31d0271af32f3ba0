"""Spans of time as people write them: `1h30m`, `20s`, `300ms`."""

import re


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)", re.ASCII)
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+", re.ASCII)
_LONGEST_TEXT = 40


def parse(text: str) -> float:
    """
    Return the seconds that *text* spells; units are ms, s, m, h, d and w.

    Raises:
        ValueError: *text* is no duration; the message shows the right spelling.
    """
    if len(text) > _LONGEST_TEXT or not _WHOLE.fullmatch(text):
        shown = text[:_LONGEST_TEXT]
        message = f"{shown!r} is no duration, write for example 30s, 5m or 1h30m"
        raise ValueError(message)
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def show(seconds: float) -> str:
    """Return *seconds* in the shortest spelling that `parse` reads back: `1h30m`."""
    milliseconds = round(seconds * 1000)
    parts: list[str] = []
    for unit in ("d", "h", "m", "s", "ms"):
        size = round(_UNITS[unit] * 1000)
        count, milliseconds = divmod(milliseconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
