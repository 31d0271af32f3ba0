"""Query strings of pages: few parameters, strictly read."""

from enum import StrEnum
from typing import TypeVar

from multidict import MultiMapping

from answerprobe.errors import RequestError


_LONGEST_SEARCH = 200
_MOST_DIGITS = 6
_Member = TypeVar("_Member", bound=StrEnum)


def text(query: MultiMapping[str], key: str) -> str:
    """Return what was searched for, without blanks around it."""
    return query.get(key, "").strip()[:_LONGEST_SEARCH]


def member(
    members: type[_Member], query: MultiMapping[str], key: str
) -> _Member | None:
    """
    Return the member of *members* that *query* names at *key*; empty is none.

    Raises:
        RequestError: it names another (400).
    """
    value = query.get(key, "")
    if not value:
        return None
    try:
        return members(value)
    except ValueError as exc:
        allowed = ", ".join(one.value for one in members)
        raise RequestError(400, f"{key} must be one of {allowed}") from exc


def page(query: MultiMapping[str]) -> int:
    """
    Return the number of the page that *query* asks for, from 1.

    Raises:
        RequestError: it is no such number (400).
    """
    value = query.get("page", "1")
    if not value.isascii() or not value.isdigit() or len(value) > _MOST_DIGITS:
        raise RequestError(400, "page must be a whole number from 1")
    return max(1, int(value))
