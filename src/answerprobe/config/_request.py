"""The body of a request to a chat agent, and where things are in its reply."""

import re

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import jmespath

from jmespath.exceptions import ArityError, JMESPathError, UnknownFunctionError

from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, mapping, text
from answerprobe.monitor import RequestShape, ResponseShape
from answerprobe.secret import Secret


_MESSAGE = "{{message}}"
_HISTORY = "{{history}}"
_PLACEHOLDERS = re.compile(r"\{\{(?:message|session|history)\}\}")
_ALMOST = re.compile(r"\{\{\s*(message|session|history)\s*\}\}", re.IGNORECASE)
_BODY = "body"
# The keys that name fields of the body, and what these hold.
_FIELDS = {"message": "question", "session": "session", "history": "history"}


def read_request(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> RequestShape:
    """Return the shape of the body: fields by their names, or a whole body."""
    body = raw.get(_BODY)
    if body is not None:
        _check_alone(raw, path, reading)
        _check_body(body, (*path, _BODY), reading)
    else:
        _check_fields(raw, path, reading)
    extra = mapping(raw, "extra")
    return RequestShape(
        message=text(raw, "message") or "message",
        extra={
            key: _with_secrets(value, (*path, "extra", key), reading)
            for key, value in extra.items()
        },
        session=text(raw, "session"),
        history=text(raw, "history"),
        body=_with_secrets(body, (*path, _BODY), reading),
    )


def read_response_shape(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> ResponseShape:
    """Return where things are in the reply; expressions must compile."""
    for key, value in raw.items():
        if isinstance(value, str) and (fault := _fault_of_jmespath(value)):
            reading.findings.add((*path, key), f"is no JMESPath expression: {fault}")
    return ResponseShape(
        answer=text(raw, "answer"),
        usage=text(raw, "usage"),
        tool_calls=text(raw, "tool_calls"),
    )


def _check_fields(raw: Mapping[str, object], path: Path, reading: Reading) -> None:
    """Find fields of one name, which cannot both be in the body."""
    extra = mapping(raw, "extra")
    taken: dict[str, str] = {}
    for key, holds in _FIELDS.items():
        field = text(raw, key) or ("message" if key == "message" else None)
        if field is None:
            continue
        if field in taken:
            message = f"is the field of the {taken[field]} too; write another name"
            reading.findings.add((*path, key), message)
        elif field in extra:
            message = f"is the field of the {holds}"
            reading.findings.add((*path, "extra", field), message, at_key=True)
        taken.setdefault(field, holds)


def _check_alone(raw: Mapping[str, object], path: Path, reading: Reading) -> None:
    """Find keys beside `body`, which is the whole of it already."""
    for key in (*_FIELDS, "extra"):
        if raw.get(key) is not None:
            message = "stands beside `body`, which is all that is sent; put it in there"
            reading.findings.add((*path, key), message, at_key=True)


def _check_body(body: object, path: Path, reading: Reading) -> None:
    """Find what keeps *body* from carrying a message."""
    asks = False
    for found in _texts(body, path):
        asks = asks or (_MESSAGE in found.text and not found.is_key)
        if fault := _fault_of_text(found):
            reading.findings.add(found.path, fault, at_key=found.is_key)
    if not asks:
        message = f"lacks the text '{_MESSAGE}', in whose place each message is sent"
        reading.findings.add(path, message)


class _Text(NamedTuple):
    """A text of the body, and where it is; *is_key*: as the name of a field."""

    text: str
    path: Path
    is_key: bool


def _texts(value: object, path: Path) -> Iterator[_Text]:
    """Yield every text in *value*, names of fields too."""
    if isinstance(value, str):
        yield _Text(value, path, is_key=False)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield _Text(key, (*path, key), is_key=True)
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def _fault_of_text(found: _Text) -> str | None:
    """Return what is wrong with the placeholders in a text of the body."""
    if found.is_key:
        named = _PLACEHOLDERS.search(found.text)
        return f"'{named[0]}' stands for a value, not for a field" if named else None
    for near in _ALMOST.finditer(found.text):
        meant = f"{{{{{near[1].lower()}}}}}"
        if near[0] != meant:
            return f"has '{near[0]}'; wanted: '{meant}', without blanks and capitals"
    if _HISTORY in found.text and found.text != _HISTORY:
        return f"'{_HISTORY}' stands for a list, so it must be the whole text"
    return None


def _with_secrets(value: object, path: Path, reading: Reading) -> object:
    """Return *value* with a Secret in place of every text that names one."""
    if isinstance(value, str):
        return reading.secret(value, path) if Secret(value).names else value
    if isinstance(value, dict):
        return {
            key: _with_secrets(item, (*path, key), reading)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _with_secrets(item, (*path, index), reading)
            for index, item in enumerate(value)
        ]
    return value


def _fault_of_jmespath(expression: str) -> str | None:
    """Return what is wrong with *expression*, as far as can be told."""
    try:
        jmespath.compile(expression).search({})
    except (UnknownFunctionError, ArityError) as exc:
        return str(exc)
    except RecursionError:
        return "nested too deeply"
    except JMESPathError as exc:
        return None if _compiles(expression) else _first_line(exc)
    return None


def _compiles(expression: str) -> bool:
    """Whether *expression* is one; on a real reply it may go better than on `{}`."""
    try:
        jmespath.compile(expression)
    except JMESPathError:
        return False
    return True


def _first_line(exc: JMESPathError) -> str:
    """Return what *exc* says, without the drawing below it."""
    return str(exc).splitlines()[0].rstrip(": ") or "it is empty"
