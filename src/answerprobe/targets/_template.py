"""A body written as JSON with places in it for what is said."""

import json
import re

from collections.abc import Callable, Mapping

from answerprobe.secret import Secret


_PLACE = re.compile(r"\{\{(message|session|history)\}\}")

Values = Mapping[str, Callable[[], object]]


def fill(template: object, values: Values) -> object:
    """
    Return the JSON value *template* with its places filled and its secrets revealed.

    A text that is nothing but a place becomes its value, whatever type that is; inside
    a longer text it becomes text. What is filled in is not looked at again.

    Raises:
        SecretError: a secret in it cannot be had.
    """
    match template:
        case Secret():
            return _filled(template.reveal(), values)
        case str():
            return _filled(template, values)
        case Mapping():
            return {key: fill(value, values) for key, value in template.items()}
        case list() | tuple():
            return [fill(value, values) for value in template]
        case _:
            return template


def _filled(text: str, values: Values) -> object:
    """Return *text* with its places filled."""
    whole = _PLACE.fullmatch(text)
    if whole:
        return values[whole[1]]()
    return _PLACE.sub(lambda place: _as_text(values[place[1]]()), text)


def _as_text(value: object) -> str:
    """Return *value* as it stands inside a text."""
    return value if isinstance(value, str) else json.dumps(value)
