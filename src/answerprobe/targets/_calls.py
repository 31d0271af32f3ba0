"""Tool calls: as an API gives them and takes them back, and as criteria see them."""

import itertools
import json

from collections.abc import Iterable, Mapping, Sequence

from answerprobe import text
from answerprobe.errors import ReplyError
from answerprobe.sample import ToolCall
from answerprobe.targets import _json


_MOST_CALLS = 100
# Says which piece of a stream belongs where; no API takes it back.
_POSITION = "index"


def in_message(message: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    """Return the calls of an OpenAI *message*, made today's way or the old one."""
    listed = message.get("tool_calls")
    calls: list[object] = [*listed] if isinstance(listed, list) else []
    return usable([*calls, {"function": message.get("function_call")}])


def usable(calls: Iterable[object]) -> tuple[Mapping[str, object], ...]:
    """Return those of *calls* that name a function, as the API takes them back."""
    found = (call for call in map(_as_taken, calls) if call is not None)
    return tuple(itertools.islice(found, _MOST_CALLS))


def _as_taken(call: object) -> Mapping[str, object] | None:
    """Return *call* with all its fields, an id and its arguments as texts."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(function, Mapping):
        return None
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        return None
    call_id = call.get("id")
    return {
        **{key: value for key, value in call.items() if key != _POSITION},
        "id": call_id if isinstance(call_id, str) else "",
        "type": "function",
        "function": {**function, "arguments": _as_text(function.get("arguments"))},
    }


def _as_text(value: object) -> str:
    """Return arguments as the API wants them: a text, an object's if there are none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return "{}"
    return value if isinstance(value, str) else json.dumps(value)


def with_ids(
    given: Sequence[Mapping[str, object]], made_up: Iterable[str]
) -> tuple[Mapping[str, object], ...]:
    """Return *given*, each with an id of its own; missing ones are *made_up*."""
    new_ids = iter(made_up)
    seen: set[object] = set()
    named: list[Mapping[str, object]] = []
    for call in given:
        call_id = call["id"]
        while not call_id or call_id in seen:
            call_id = next(new_ids)
        seen.add(call_id)
        named.append({**call, "id": call_id})
    return tuple(named)


def read(given: Iterable[Mapping[str, object]]) -> tuple[ToolCall, ...]:
    """Return the calls *given* by an API as criteria see them."""
    return tuple(
        ToolCall(
            name=str(function["name"]).strip(),
            arguments=arguments(function["arguments"]),
            call_id=str(call["id"]),
        )
        for call in given
        if isinstance(function := call["function"], Mapping)
    )


def arguments(value: object) -> object:
    """Return what a tool was called with; a text that is no JSON stays a text."""
    for _ in range(2):  # some gateways encode twice
        if not isinstance(value, str):
            break
        if not value.strip():
            return {}
        try:
            value = _json.parse(value)
        except ReplyError:
            break
    return {} if value is None else value


def result_text(result: ToolCall) -> str:
    """Return what the agent is told of *result*: a text as it is, the rest as JSON."""
    if result.error is not None:
        return json.dumps({"error": result.error}, ensure_ascii=False)
    if isinstance(result.result, str):
        return result.result
    return json.dumps(result.result, ensure_ascii=False)


def reported(found: object) -> tuple[ToolCall, ...]:
    """
    Return the calls that an agent says it made: `[{name, arguments, result, error}]`.

    A single one needs no list, a tool that took nothing only its name, and
    `{function: {name, arguments}}` is as good. What names no tool is no call.
    """
    if isinstance(found, str):
        found = arguments(found)
    entries = found if isinstance(found, list) else [found]
    calls = (call for call in map(_reported, entries) if call is not None)
    return tuple(itertools.islice(calls, _MOST_CALLS))


def _reported(entry: object) -> ToolCall | None:
    """Return the call that *entry* tells of."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping):
        return None
    function = entry.get("function")
    if isinstance(function, Mapping):
        entry = {**entry, **function}
    name = entry.get("name")
    if not isinstance(name, str) or text.is_blank(name):
        return None
    return ToolCall(
        name=name.strip(),
        arguments=arguments(entry.get("arguments")),
        result=entry.get("result"),
        error=_error(entry.get("error")),
    )


def _error(value: object) -> str | None:
    """Return the words of a reported error, None where there is none."""
    if not value:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
