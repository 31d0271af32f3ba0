"""
Strict and bounded JSON.

Duplicate keys, NaN and Infinity are refused: where readers differ about a document, no
verdict about it is worth anything. Nesting and the number of values are bounded, so
that no answer makes a rule hang.
"""

import json
import math

from typing import NamedTuple, NoReturn

from answerprobe.rules._reason import counted, quote


MAX_DEPTH = 64
MAX_VALUES = 50_000
_FENCE = "```"
_INDENT = 3
_MOST_DIGITS = 300


class NotJson(ValueError):
    """A text is no JSON; *unquoted* says why without words of the text."""

    def __init__(self, message: str, unquoted: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.unquoted = unquoted or message


def read(text: str, most_values: int = MAX_VALUES) -> object:
    """
    Return the JSON value that *text* spells, of at most about *most_values* values.

    Raises:
        NotJson: it spells none, or none that is safe to work with.
    """
    separators = text.count(",") + text.count("[") + text.count("{")
    if separators > most_values:
        raise NotJson(f"more than {most_values:,} values")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except RecursionError as exc:
        raise NotJson(f"nested deeper than {MAX_DEPTH}") from exc
    except json.JSONDecodeError as exc:
        problem = exc.msg[:1].lower() + exc.msg[1:]
        where = f"at line {exc.lineno:,}, column {exc.colno:,}"
        raise NotJson(f"{problem} {where}") from exc
    if _deeper_than(value, MAX_DEPTH):
        raise NotJson(f"nested deeper than {MAX_DEPTH}")
    return value


def read_answer(answer: str, most_values: int = MAX_VALUES) -> object:
    """
    Return the JSON value that *answer* is, or that its one fenced block is.

    Raises:
        NotJson: there is none.
    """
    try:
        return read(answer, most_values)
    except NotJson as exc:
        blocks = fenced_blocks(answer)
        if not blocks:
            raise NotJson(
                f"no JSON: {exc.message}", f"no JSON: {exc.unquoted}"
            ) from exc
    if len(blocks) > 1:
        raise NotJson(
            f"no JSON: {counted(len(blocks), 'fenced block')}, only one may be"
        )
    try:
        return read(blocks[0], most_values)
    except NotJson as exc:
        where = "no JSON in the fenced block"
        raise NotJson(f"{where}: {exc.message}", f"{where}: {exc.unquoted}") from exc


class _Fence(NamedTuple):
    """A line that opens or closes a fenced block."""

    ticks: int
    rest: str
    start: int
    end: int


def fenced_blocks(text: str) -> list[str]:
    """Return what stands between each pair of lines of backticks in *text*."""
    blocks: list[str] = []
    opening = _next_fence(text, 0)
    while opening is not None:
        fence = _next_fence(text, opening.end)
        if "`" in opening.rest:
            opening = fence
            continue
        while fence is not None and not _closes(fence, opening):
            fence = _next_fence(text, fence.end)
        if fence is None:
            break
        blocks.append(text[opening.end : fence.start])
        opening = _next_fence(text, fence.end)
    return blocks


def _closes(fence: _Fence, opening: _Fence) -> bool:
    """Whether *fence* ends the block that *opening* began."""
    return fence.ticks >= opening.ticks and not fence.rest.strip()


def _next_fence(text: str, at: int) -> _Fence | None:
    """Return the next line of *text*, from *at*, that begins with three backticks."""
    while (found := text.find(_FENCE, at)) >= 0:
        before = text[max(0, found - _INDENT - 1) : found]
        _, newline, indent = before.rpartition("\n")
        if (newline or found <= _INDENT) and not indent.strip(" "):
            line_end = text.find("\n", found)
            line_end = len(text) if line_end < 0 else line_end
            line = text[found:line_end]
            rest = line.lstrip("`")
            end = min(line_end + 1, len(text))
            start = found - len(indent)
            return _Fence(len(line) - len(rest), rest, start, end)
        at = found + len(_FENCE)
    return None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of *pairs*, or raise where a key is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                message = f"duplicate key {quote(key, 40)}"
                raise NotJson(message, "duplicate key")
            seen.add(key)
    return found


def _refuse_constant(name: str) -> NoReturn:
    """Raise: JSON has no NaN and no Infinity, whatever Python reads."""
    raise NotJson(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    """Return the number of *digits*, or raise where no float holds it."""
    number = float(digits)
    if math.isinf(number):
        raise NotJson("a number out of range")
    return number


def _whole(digits: str) -> int:
    """Return the integer of *digits*, or raise where no float holds it."""
    # What no float holds makes comparisons with one fail.
    if len(digits) > _MOST_DIGITS:
        raise NotJson("a number out of range")
    return int(digits)


def _deeper_than(value: object, limit: int) -> bool:
    """Whether *value* is nested deeper than *limit*; without recursion."""
    level = [value]
    for _ in range(limit):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return False
    return any(isinstance(item, dict | list) for item in level)
