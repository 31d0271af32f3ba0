"""JSON as the standard has it: no duplicate keys, no NaN, no abyss of brackets."""

import json
import math
import re

from collections.abc import Mapping

from answerprobe import text
from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _detail


DEEPEST_NESTING = 100
_TOKENS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
# What text.scrub takes out can only come as an escape: strict JSON has no raw NUL.
_ESCAPED = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)


class _Refused(ValueError):
    """Text that the standard library takes and the standard does not."""


def parse(document: str) -> object:
    """
    Return the value of the JSON text *document*, its texts scrubbed.

    Raises:
        ReplyError: not_json: it is none, has a key twice, or is nested too deeply.
    """
    try:
        _measure_nesting(document)
        value: object = json.loads(
            document,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except json.JSONDecodeError as exc:
        message = f"not JSON: {exc.msg}, character {exc.pos} of {len(document)}"
        raise ReplyError(ErrorReason.NOT_JSON, _detail.one_line(message)) from exc
    except _Refused as exc:
        raise ReplyError(ErrorReason.NOT_JSON, _detail.one_line(str(exc))) from exc
    except ValueError as exc:  # int() refuses numbers of more than 4,300 digits
        raise ReplyError(ErrorReason.NOT_JSON, "not JSON: a number too long") from exc
    except RecursionError as exc:
        raise ReplyError(ErrorReason.NOT_JSON, "not JSON: nested too deeply") from exc
    return _scrubbed(value) if _ESCAPED.search(document) else value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as a dict."""
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                shown = _detail.one_line(key, 60)
                raise _Refused(f'not JSON: duplicate key "{shown}"')
            seen.add(key)
    return found


def _refuse_constant(name: str) -> object:
    """Refuse NaN and Infinity: no other language's parser takes them."""
    raise _Refused(f"not JSON: {name} is no JSON number")


def _finite(written: str) -> float:
    """Return the number *written*, unless it is beyond what a JSON reader can hold."""
    value = float(written)
    if math.isinf(value):
        # It would be shown as Infinity, which is no JSON.
        raise _Refused("not JSON: a number too large")
    return value


def _measure_nesting(document: str) -> None:
    """Refuse *document* if its brackets go deeper than any honest answer's."""
    if document.count("[") + document.count("{") <= DEEPEST_NESTING:
        return
    depth = 0
    for token in _TOKENS.finditer(document):
        first = token[0][0]
        if first in "[{":
            depth += 1
            if depth > DEEPEST_NESTING:
                raise _Refused(f"not JSON: nested deeper than {DEEPEST_NESTING} levels")
        elif first in "]}":
            depth -= 1


def _scrubbed(value: object) -> object:
    """Return *value* with every text in it scrubbed."""
    if isinstance(value, str):
        return text.scrub(value)
    if isinstance(value, Mapping):
        return {text.scrub(key): _scrubbed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    return value
