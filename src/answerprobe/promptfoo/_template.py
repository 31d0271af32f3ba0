"""The part of Nunjucks that most prompts use: `{{ name }}`, `{{ a.b[0] }}`."""

import json
import re

from collections.abc import Iterator, Mapping
from typing import NamedTuple


_PLACE = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d+\])*")
_ENV = re.compile(r"""env(?:\.([A-Za-z_]\w*)|\[\s*['"]([A-Za-z_]\w*)['"]\s*\])""")
_STEP = re.compile(r"[^.\[\]]+")
_LOGIC = ("{%", "{#")


class Unfollowable(ValueError):
    """Why a template cannot be filled in here."""


class Place(NamedTuple):
    """A place in a text: a variable by its *name*, or of the *environment*."""

    name: str
    environment: str | None


def places(text: str) -> Iterator[Place]:
    """
    Yield the places of *text*.

    Raises:
        Unfollowable: it has more than variables.
    """
    for found in _PLACE.finditer(text):
        yield _place(found[1])


def _place(inside: str) -> Place:
    """Return the place with *inside* between its braces."""
    if found := _ENV.fullmatch(inside):
        return Place(inside, found[1] or found[2])
    if not _NAME.fullmatch(inside):
        raise Unfollowable(f"`{{{{ {inside} }}}}` is more than a variable")
    return Place(inside, None)


def fill(
    text: str, variables: Mapping[str, object], *, with_secrets: bool = False
) -> str:
    """
    Return *text* with *variables* in its places.

    `env.X` becomes `secret.X` *with_secrets*, where answerprobe knows secrets.

    A variable that is not there is nothing, as it is for promptfoo.

    Raises:
        Unfollowable: it has more than variables.
    """
    for mark in _LOGIC:
        if mark in text:
            raise Unfollowable(f"`{mark}` is more than a variable")

    def value(found: re.Match[str]) -> str:
        place = _place(found[1])
        if place.environment and not with_secrets:
            raise Unfollowable("it takes something from the environment")
        if place.environment:
            return f"secret.{place.environment}"
        return shown(look_up(variables, place.name))

    return _PLACE.sub(value, text)


def without_environment(text: str) -> str:
    """Return *text* without its places for what comes from the environment."""
    return _PLACE.sub(lambda at: "" if _ENV.fullmatch(at[1]) else at[0], text)


def look_up(variables: Mapping[str, object], name: str) -> object:
    """Return the variable called *name*, `a.b[0]` for what is inside of one."""
    value: object = variables
    for step in _STEP.findall(name):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def shown(value: object) -> str:
    """Return *value* as it stands in a text."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
