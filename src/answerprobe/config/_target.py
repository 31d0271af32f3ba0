"""Targets: an agent and how to ask it."""

from collections.abc import Mapping

import jmespath

from jmespath.exceptions import ArityError, JMESPathError, UnknownFunctionError

from answerprobe.config._connection import read_connection
from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, flag, mapping, number, text, whole
from answerprobe.monitor import (
    RequestShape,
    ResponseShape,
    TargetProtocol,
    TargetSettings,
)
from answerprobe.secret import Secret


# Protocol -> the keys that only it has.
_KEYS = {
    TargetProtocol.OPENAI: ("model", "system_prompt", "temperature", "max_tokens"),
    TargetProtocol.CHAT: ("request", "response"),
}
_CHAT_COMPLETIONS = "/chat/completions"


def read_target(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> TargetSettings:
    """Return the target that the monitor *raw* watches."""
    protocol = TargetProtocol(text(raw, "protocol") or TargetProtocol.CHAT)
    _refuse_keys_of_the_other(protocol, raw, path, reading)
    target = TargetSettings(
        protocol=protocol,
        connection=read_connection(raw, "endpoint", path, reading),
        stream=flag(raw, "stream", default=False),
        model=text(raw, "model"),
        system_prompt=text(raw, "system_prompt"),
        temperature=number(raw, "temperature"),
        max_tokens=whole(raw, "max_tokens", 0) or None,
        request=_request(mapping(raw, "request"), (*path, "request"), reading),
        response=_response(mapping(raw, "response"), (*path, "response"), reading),
    )
    if protocol is TargetProtocol.OPENAI:
        _check_openai(target, raw, path, reading)
    return target


def _refuse_keys_of_the_other(
    protocol: TargetProtocol, raw: Mapping[str, object], path: Path, reading: Reading
) -> None:
    """Find keys that mean nothing to *protocol*."""
    for other, keys in _KEYS.items():
        for key in keys:
            if key in raw and other is not protocol:
                message = f"is a key of `protocol: {other}`, and this is {protocol}"
                reading.findings.add((*path, key), message, at_key=True)


def _check_openai(
    target: TargetSettings, raw: Mapping[str, object], path: Path, reading: Reading
) -> None:
    """Find what an OpenAI-compatible API needs and lacks."""
    if "protocol" in raw and "model" not in raw:
        message = "is openai, which needs `model` too"
        reading.findings.add((*path, "protocol"), message)
    url = (reading.revealed(target.connection.url) or "").rstrip("/")
    if url.endswith(_CHAT_COMPLETIONS):
        message = f"wanted: the base URL, without {_CHAT_COMPLETIONS}"
        reading.findings.add((*path, "endpoint"), message)


def _request(raw: Mapping[str, object], path: Path, reading: Reading) -> RequestShape:
    """Return the shape of the body; the question has a field of its own."""
    message = text(raw, "message") or "message"
    extra = mapping(raw, "extra")
    if message in extra:
        reading.findings.add(
            (*path, "extra", message), "is the field of the question", at_key=True
        )
    return RequestShape(
        message=message,
        extra={
            key: _with_secrets(value, (*path, "extra", key), reading)
            for key, value in extra.items()
        },
    )


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


def _response(raw: Mapping[str, object], path: Path, reading: Reading) -> ResponseShape:
    """Return where things are in the reply; expressions must compile."""
    for key, value in raw.items():
        if isinstance(value, str) and (fault := _fault_of_jmespath(value)):
            reading.findings.add((*path, key), f"is no JMESPath expression: {fault}")
    return ResponseShape(answer=text(raw, "answer"), usage=text(raw, "usage"))


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
