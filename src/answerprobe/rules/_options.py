"""The options of a rule that is written `true` or as a mapping."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from answerprobe.errors import CriterionError


_Choice = TypeVar("_Choice", bound=StrEnum)


def options_of(value: object, known: Iterable[str]) -> Mapping[str, object]:
    """
    Return the options in *value*, none for `true`.

    Raises:
        CriterionError: *value* is something else, or an option is not *known*.
    """
    if value is True:
        return {}
    if not isinstance(value, Mapping):
        raise CriterionError("expected true or a mapping of options")
    allowed = sorted(known)
    for key in value:
        if key not in allowed:
            raise CriterionError(f"unknown option {key!r}{hint(str(key), allowed)}")
    return value


def flag(options: Mapping[str, object], key: str) -> bool:
    """
    Return the option *key*, false where it is not written.

    Raises:
        CriterionError: it is not true or false.
    """
    value = options.get(key, False)
    if not isinstance(value, bool):
        raise CriterionError("expected true or false", (key,))
    return value


def texts(options: Mapping[str, object], key: str) -> tuple[str, ...] | None:
    """
    Return the list of texts at *key* (one text is a list of one), None without it.

    Raises:
        CriterionError: it is something else, or empty.
    """
    value = options.get(key)
    if value is None:
        return None
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed:
        raise CriterionError("expected a list of texts", (key,))
    for index, item in enumerate(listed):
        if not isinstance(item, str):
            raise CriterionError("expected a text", (key, index))
    return tuple(map(str, listed))


def choices(
    options: Mapping[str, object], key: str, closed: type[_Choice]
) -> frozenset[_Choice]:
    """
    Return the members of *closed* that are listed at *key*, all where it is absent.

    Raises:
        CriterionError: one of them is no member.
    """
    written = texts(options, key)
    if written is None:
        return frozenset(closed)
    allowed = [str(member) for member in closed]
    for index, text in enumerate(written):
        if text not in allowed:
            raise CriterionError(f"{text!r}{hint(text, allowed)}", (key, index))
    return frozenset(map(closed, written))


def hint(text: str, allowed: Iterable[str]) -> str:
    """Return what may be written in place of *text*, the nearest spelling named."""
    names = list(allowed)
    near = get_close_matches(text, names, n=1)
    guess = f" (did you mean {near[0]!r}?)" if near else ""
    return f" is none of {', '.join(names)}{guess}"
