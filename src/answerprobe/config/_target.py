"""Targets: an agent and how to ask it."""

from collections.abc import Mapping

from answerprobe.config._connection import read_connection
from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, flag, mapping, number, text, whole
from answerprobe.config._request import read_request, read_response_shape
from answerprobe.config._tools import read_tools
from answerprobe.monitor import TargetProtocol, TargetSettings


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
        request=read_request(mapping(raw, "request"), (*path, "request"), reading),
        response=read_response_shape(
            mapping(raw, "response"), (*path, "response"), reading
        ),
        tools=read_tools(raw, path, reading),
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
    if "tools" in raw and protocol is TargetProtocol.CHAT:
        message = (
            "are offered only by `protocol: openai`, and this is chat: the agent has "
            "its own, and `response.tool_calls` tells where the reply names them"
        )
        reading.findings.add((*path, "tools"), message, at_key=True)


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
