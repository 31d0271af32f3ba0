"""Shapes that the demo agent and the stand-ins speak."""

import json

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import JSONDecodeError

from aiohttp import web

from answerprobe.sample import estimate_tokens


class BadRequest(ValueError):
    """A request body that cannot be used; the message says what is wanted instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of the tool *name*."""

    name: str
    arguments: Mapping[str, str]

    def as_json(self) -> dict[str, object]:
        """Return it as a message of the OpenAI protocol tells it."""
        function = {"name": self.name, "arguments": json.dumps(self.arguments)}
        return {"id": f"call_{self.name}", "type": "function", "function": function}


async def read_object(request: web.Request) -> dict[str, object]:
    """
    Return the JSON object in the body of *request*.

    Raises:
        BadRequest: it is no JSON object, or is nested too deeply to read.
    """
    try:
        body = json.loads(await request.read())
    except (JSONDecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadRequest("the body is no JSON") from exc
    if not isinstance(body, dict):
        raise BadRequest("the body is no JSON object")
    return body


def usage(asked: str, answered: str) -> dict[str, int]:
    """Return a usage object: tokens by the rule of thumb, as no model is at work."""
    prompt, output = estimate_tokens(asked), estimate_tokens(answered)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
    }


def completion(
    model: str, text: str, spent: dict[str, int], call: Call | None = None
) -> dict[str, object]:
    """Return *text*, or *call*, as a chat completion of the OpenAI protocol."""
    message: dict[str, object] = {"role": "assistant", "content": text or None}
    if call is not None:
        message["tool_calls"] = [call.as_json()]
    finish_reason = "stop" if call is None else "tool_calls"
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    envelope = _envelope("chat.completion", model, [choice])
    return envelope | {"usage": spent}


def chunks(
    model: str, text: str, spent: dict[str, int] | None, call: Call | None = None
) -> Iterator[dict[str, object]]:
    """Yield *text* word by word, or *call*, as the events of a streamed completion."""

    def chunk(delta: dict[str, object], finish_reason: str | None) -> dict[str, object]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return _envelope("chat.completion.chunk", model, [choice])

    yield chunk({"role": "assistant", "content": ""}, None)
    if call is None:
        first, *others = text.split(" ")
        yield chunk({"content": first}, None)
        for word in others:
            yield chunk({"content": " " + word}, None)
    else:
        yield chunk({"tool_calls": [{"index": 0, **call.as_json()}]}, None)
    yield chunk({}, "stop" if call is None else "tool_calls")
    if spent is not None:
        yield _envelope("chat.completion.chunk", model, []) | {"usage": spent}


def openai_error(status: int, message: str) -> web.Response:
    """Return an error as the OpenAI protocol spells it."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind}
    return web.json_response({"error": error}, status=status)


def _envelope(
    kind: str, model: str, choices: list[dict[str, object]]
) -> dict[str, object]:
    """Return what is around the choices, in a reply and in each event alike."""
    return {
        "id": "chatcmpl-demo",
        "object": kind,
        "created": 0,
        "model": model,
        "choices": choices,
    }
