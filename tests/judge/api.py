"""Plays an OpenAI-compatible server on a real socket of 127.0.0.1."""

import asyncio
import json

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestServer

from answerprobe.connection import Connection
from answerprobe.secret import Secret


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request that came."""

    body: Mapping[str, object]
    request: web.Request

    @property
    def headers(self) -> Mapping[str, str]:
        """Its headers."""
        return self.request.headers

    @property
    def path(self) -> str:
        """Its path with the query."""
        return self.request.path_qs

    @property
    def contents(self) -> tuple[str, ...]:
        """The text of each message."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return tuple(message["content"] for message in messages)


Script = Callable[[Asked], Awaitable[web.StreamResponse]]


@dataclass(kw_only=True)
class Api:
    """The server: where it is, and all it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)

    @property
    def connection(self) -> Connection:
        """How to reach it without any authentication."""
        return Connection(url=Secret(self.url))


@asynccontextmanager
async def serving(script: Script) -> AsyncIterator[Api]:
    """Serve what *script* answers."""
    api = Api(url="")

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        asked = Asked(body=body, request=request)
        api.asked.append(asked)
        return await script(asked)

    app = web.Application(client_max_size=16 * 1024 * 1024)
    app.router.add_route("*", "/{tail:.*}", handle)
    async with TestServer(app, host="127.0.0.1") as server:
        api.url = str(server.make_url("/v1"))
        yield api


def completion(content: object, **more: object) -> dict[str, object]:
    """Return the body of a chat completion; *more* is put into its message."""
    message = {"role": "assistant", "content": content, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-2026-01-01",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99},
    }


def finished(content: object, reason: str, **more: object) -> dict[str, object]:
    """Return the body of a completion that ended for *reason*."""
    body = completion(content, **more)
    choices = body["choices"]
    assert isinstance(choices, list)
    choices[0]["finish_reason"] = reason
    return body


def verdict(word: str, reason: str = "It names the day.") -> str:
    """Return a verdict as a judge writes it."""
    return json.dumps({"reason": reason, "verdict": word})


def sends(*replies: object, headers: Mapping[str, str] | None = None) -> Script:
    """
    Return a script that sends *replies* in order, the last one again and again.

    A text becomes a completion, a number an error of that status, bytes are sent as
    they are, anything else as JSON; None never answers.
    """
    left = list(replies)

    async def script(asked: Asked) -> web.StreamResponse:
        reply = left.pop(0) if len(left) > 1 else left[0]
        if reply is None:
            await asyncio.Event().wait()
        if isinstance(reply, bytes):
            return web.Response(body=reply, content_type="application/json")
        if isinstance(reply, int):
            error = {"message": "scripted", "type": "scripted"}
            return web.json_response({"error": error}, status=reply, headers=headers)
        return web.json_response(
            completion(reply) if isinstance(reply, str) else reply, headers=headers
        )

    return script
