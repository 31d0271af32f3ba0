"""Values and key paths as they stand in a message: on one line, short, unambiguous."""

import difflib
import json
import re

from collections.abc import Collection

from answerprobe.config._findings import Path


_LONGEST = 60
_MOST_STEPS = 30
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def show(value: object) -> str:
    """Return *value*, from the configuration, for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return cut(str(value))
        case str():
            return quote(value) if value else "empty"
        case list():
            return "a list" if value else "an empty list"
        case _:
            return "a mapping" if value else "an empty mapping"


def quote(text: str) -> str:
    """Return *text* in quotes, cut where it is long."""
    quoted = json.dumps(cut(text), ensure_ascii=False)[1:-1]
    return f"'{printable(quoted)}'"


def cut(text: str) -> str:
    """Return *text*, or its beginning with an ellipsis where it is long."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def printable(text: str) -> str:
    """Return *text* on one line, without anything a terminal would act on."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)


def show_path(path: Path) -> str:
    """Return *path* as `monitors[0].cases[1].ask`."""
    parts: list[str] = []
    for step in path[:_MOST_STEPS]:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{quote(step)}]")
    if len(path) > _MOST_STEPS:
        parts.append("…")
    return "".join(parts)


def nearest(word: str, names: Collection[str]) -> str:
    """Return ` (did you mean …?)` with the nearest of *names*, or nothing."""
    near = difflib.get_close_matches(cut(word), names, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
