"""What is wrong with a document, or with a schema itself, in words."""

import json

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from jsonschema import ValidationError

from answerprobe.errors import CriterionError
from answerprobe.rules._reason import quote, shortened, visible


_LONGEST_VALUE = 60
_LONGEST_PATH = 120
_LONGEST_PROBLEM = 160
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


class Misfit(NamedTuple):
    """Where and how a document does not fit; *unquoted* without its words."""

    reason: str
    unquoted: str

    @classmethod
    def without_words(cls, reason: str) -> "Misfit":
        """Return a misfit whose reason quotes nothing."""
        return cls(reason, reason)


def misfit(error: ValidationError) -> Misfit:
    """Return what *error* says, short, with the JSON path of the culprit."""
    path = json_path(error.absolute_path)
    problem = _problem(error)
    in_schema = "/".join(map(str, error.absolute_schema_path))
    unquoted = (
        f"does not fit the schema at {shortened(visible(in_schema), _LONGEST_PATH)}"
    )
    return Misfit(f"{path}: {problem}", unquoted)


def schema_problem(error: ValidationError) -> CriterionError:
    """Return the error of a schema in which the meta-schema finds *error*."""
    path = tuple(error.absolute_path)
    if path[-1:] == ("type",) and isinstance(error.instance, str):
        near = get_close_matches(error.instance, _TYPES, n=1)
        guess = f" (did you mean {near[0]}?)" if near else ""
        return CriterionError(f"unknown type {quote(error.instance, 40)}{guess}", path)
    return CriterionError(f"no JSON Schema: {_problem(error)}", path)


def json_path(steps: Iterable[str | int]) -> str:
    """Return *steps* from the root of a document as a JSONPath: `$.orders[2].id`."""
    path = "$"
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step.isidentifier() and step.isascii():
            path += f".{step}"
        else:
            path += f"[{json.dumps(shortened(step, _LONGEST_VALUE))}]"
    return shortened(path, _LONGEST_PATH)


def _problem(error: ValidationError) -> str:
    """Return the library's message, the value in it short and spelled as JSON."""
    written, message = repr(error.instance), error.message
    if message.startswith(written):
        shown = shortened(
            json.dumps(error.instance, ensure_ascii=False), _LONGEST_VALUE
        )
        message = shown + message[len(written) :]
    return shortened(visible(message), _LONGEST_PROBLEM)
