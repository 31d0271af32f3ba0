"""Shapes that the demo agent and the stand-in judge both speak."""

import json

from collections.abc import Iterator
from json import JSONDecodeError

from aiohttp import web

from answerprobe.sample import estimate_tokens


class BadRequest(ValueError):
    """A request body that cannot be used; the message says what is wanted instead."""


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


def completion(model: str, text: str, spent: dict[str, int]) -> dict[str, object]:
    """Return *text* as a chat completion of the OpenAI protocol."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    envelope = _envelope("chat.completion", model, [choice])
    return envelope | {"usage": spent}


def chunks(
    model: str, text: str, spent: dict[str, int] | None
) -> Iterator[dict[str, object]]:
    """Yield *text* as the events of a streamed completion, word by word."""

    def chunk(delta: dict[str, str], finish_reason: str | None) -> dict[str, object]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return _envelope("chat.completion.chunk", model, [choice])

    yield chunk({"role": "assistant", "content": ""}, None)
    first, *others = text.split(" ")
    yield chunk({"content": first}, None)
    for word in others:
        yield chunk({"content": " " + word}, None)
    yield chunk({}, "stop")
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
