"""The words of a failure: one line, short, safe to print."""

import re

from answerprobe import text


LIMIT_CHARACTERS = 200
# Marks that make a line read differently from what it is.
_DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def one_line(words: str, limit_characters: int = LIMIT_CHARACTERS) -> str:
    """Return *words* in one line, nothing invisible, cut to *limit_characters*."""
    # The tail of a long text would be cut anyway: don't look at all of it.
    start = words[: limit_characters * 8]
    if not start.isascii():
        start = _DIRECTIONS.sub(" ", start)
    return text.one_line(start, limit_characters)


def name_type(value: object) -> str:
    """Return what kind of JSON value *value* is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "an array"
        case _:
            return "an object"
