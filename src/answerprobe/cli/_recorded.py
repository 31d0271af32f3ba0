"""Recorded answers: lines of JSON, from a person's file or from a run's samples."""

import json
import math

from collections.abc import Mapping

from answerprobe.case import Case
from answerprobe.daemon.grade import Recorded
from answerprobe.errors import RecordedError
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Reply,
    Sample,
    Speaker,
    ToolCall,
    ToolSource,
    Turn,
    asked_once,
)
from answerprobe.text import scrub


MOST_BYTES = 4 * 1024 * 1024
_Object = Mapping[str, object]
_REASONS = frozenset(reason.value for reason in ErrorReason)
_SOURCES = frozenset(source.value for source in ToolSource)


class _Misfit(ValueError):
    """What is wrong with a line, in words."""


def read_line(line: bytes, number: int, case: Case) -> Recorded | None:
    """
    Return the answer to *case* that *line* records; None where it is blank.

    That is `{"id", "answer"}` or a whole sample of a run. Without an id its line's
    *number* is its name.

    Raises:
        RecordedError: it records none; the message names *number*.
    """
    try:
        document = _object(line)
        if document is None:
            return None
        return Recorded(id=_id(document, number), sample=_sample(document, case))
    except _Misfit as exc:
        raise RecordedError(f"line {number}: {exc}") from exc


def _object(line: bytes) -> _Object | None:
    """Return the JSON object on *line*."""
    if len(line) > MOST_BYTES:
        raise _Misfit(f"longer than {MOST_BYTES // 1024**2} MiB")
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as exc:
        raise _Misfit("no UTF-8 text") from exc
    if not text:
        return None
    document = _parsed(text)
    if not isinstance(document, dict):
        raise _Misfit('wanted: an object such as {"id": "a", "answer": "…"}')
    return document


def _parsed(text: str) -> object:
    """Return the value of the JSON *text*."""
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except json.JSONDecodeError as exc:
        raise _Misfit(f"no JSON: {exc.msg} (column {exc.colno})") from exc
    except RecursionError as exc:
        raise _Misfit("no JSON that can be read: nested too deeply") from exc
    except _Misfit:
        raise
    except ValueError as exc:  # int() refuses numbers of more than 4,300 digits
        raise _Misfit("no JSON that can be read: a number too long") from exc
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return *pairs* as a dict, whose keys must differ."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Misfit("a key stands twice in one object")
    return found


def _no_constant(name: str) -> object:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise _Misfit(f"{name} is no JSON")


def _id(document: _Object, number: int) -> str | int | float | bool | None:
    """Return what the answer is called."""
    found = document.get("id", number)
    if found is not None and not isinstance(found, str | int | float | bool):
        raise _Misfit("wanted as `id`: a text or a number")
    if isinstance(found, float) and not math.isfinite(found):
        raise _Misfit("wanted as `id`: a number that is not so large")
    return found


def _sample(document: _Object, case: Case) -> Sample:
    """Return the sample that *document* records."""
    if "answer" not in document:
        keys = ", ".join(list(document)[:5])
        raise _Misfit(f"lacks `answer` (it has {keys or 'nothing'}); null is no answer")
    turns = tuple(_turn(turn) for turn in _objects(document, "transcript"))
    calls = turns[-1].tool_calls if turns else ()
    answer = _text(document, "answer")
    reply = Reply(
        answer=answer or "",
        duration_seconds=_number(document, "duration_seconds") or 0.0,
        failure=_failure(document, answer, calls),
        first_token_seconds=_number(document, "first_token_seconds"),
        tool_calls=calls,
    )
    return (
        Sample(turns=turns, reply=reply) if turns else asked_once(case.ask or "", reply)
    )


def _failure(
    document: _Object, answer: str | None, calls: tuple[ToolCall, ...]
) -> Failure | None:
    """Return why there is no usable answer, None where there is one."""
    recorded = _choice(document, "error_reason", _REASONS)
    if recorded:
        detail = f"recorded without a usable answer: {recorded}"
        return Failure(reason=ErrorReason(recorded), detail=detail)
    if calls or (answer and answer.strip()):
        return None
    if answer is None:
        return Failure(reason=ErrorReason.NO_ANSWER, detail="no answer was recorded")
    return Failure(reason=ErrorReason.EMPTY_ANSWER, detail="the answer is blank")


def _turn(turn: _Object) -> Turn:
    """Return one message of a transcript."""
    role = _choice(turn, "role", frozenset(Speaker))
    if role is None:
        raise _Misfit("a message of `transcript` has no `role`")
    return Turn(
        speaker=Speaker(role),
        text=_text(turn, "text") or "",
        tool_calls=tuple(_call(call) for call in _objects(turn, "tool_calls")),
    )


def _call(call: _Object) -> ToolCall:
    """Return one tool call."""
    source = _choice(call, "source", _SOURCES)
    return ToolCall(
        name=_text(call, "name") or "",
        arguments=call.get("arguments"),
        result=call.get("result"),
        error=_text(call, "error"),
        source=ToolSource(source or ToolSource.AGENT),
    )


def _text(document: _Object, key: str) -> str | None:
    """Return the text at *key*, None where nothing is."""
    found = document.get(key)
    if found is not None and not isinstance(found, str):
        raise _Misfit(f"wanted as `{key}`: a text or null")
    return None if found is None else scrub(found)


def _choice(document: _Object, key: str, known: frozenset[str]) -> str | None:
    """Return the one of *known* at *key*, None where nothing is."""
    found = _text(document, key)
    if found is not None and found not in known:
        raise _Misfit(f"wanted as `{key}`: one of {', '.join(sorted(known))}")
    return found


def _number(document: _Object, key: str) -> float | None:
    """Return the seconds at *key*, None where nothing is."""
    found = document.get(key)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
        raise _Misfit(f"wanted as `{key}`: a number of seconds")
    return float(min(found, 1e9))


def _objects(document: _Object, key: str) -> list[_Object]:
    """Return the list of objects at *key*, an empty one where nothing is."""
    found = document.get(key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
        raise _Misfit(f"wanted as `{key}`: a list of objects")
    return found
