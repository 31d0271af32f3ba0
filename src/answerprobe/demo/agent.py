"""
The demo agent over HTTP: two protocols, and a switch to make it misbehave.

It keeps nothing but its mode and bounds what it reads.
"""

import asyncio
import json

from aiohttp import web

from answerprobe.demo.shop import Mode, answer
from answerprobe.demo.wire import (
    BadRequest,
    chunks,
    completion,
    openai_error,
    read_object,
    usage,
)


MODEL = "shop-support-1"
_SLOW_SECONDS = 2.6
_MAX_QUESTION_CHARACTERS = 4000
_ABOUT = """\
A small shop-support agent to try answerprobe on. It answers from five policies.

POST /api/chat             {{"message": "..."}} -> {{"answer": "..."}}
POST /v1/chat/completions  the OpenAI protocol, streaming too; model {model}
POST /misbehave            {{"mode": "..."}} with one of: {modes}

It is now: {mode}
"""


class ShopAgent:
    """The agent: answers from its policies, in the mode it was last told."""

    def __init__(self) -> None:
        self.mode = Mode.OK

    def routes(self) -> list[web.RouteDef]:
        """Return where the agent answers."""
        return [
            web.get("/", self._about),
            web.post("/misbehave", self._misbehave),
            web.post("/api/chat", self._chat),
            web.post("/v1/chat/completions", self._completions),
        ]

    async def _about(self, _request: web.Request) -> web.Response:
        """Tell what this is."""
        modes = ", ".join(Mode)
        about = _ABOUT.format(model=MODEL, modes=modes, mode=self.mode)
        return web.Response(text=about)

    async def _misbehave(self, request: web.Request) -> web.Response:
        """Go wrong from now on, or well again."""
        try:
            self.mode = _mode(await read_object(request))
        except BadRequest as exc:
            return web.json_response({"error": str(exc)}, status=400)
        return web.json_response({"mode": self.mode})

    async def _chat(self, request: web.Request) -> web.Response:
        """Answer over the chat protocol."""
        try:
            question = _question((await read_object(request)).get("message"))
        except BadRequest as exc:
            return web.json_response({"error": str(exc)}, status=400)
        if self.mode is Mode.DOWN:
            return web.json_response({"error": "out of order"}, status=503)
        await self._think()
        return web.json_response({"answer": answer(question, self.mode)})

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        """Answer over the OpenAI protocol."""
        try:
            body = await read_object(request)
            question = _last_question(body.get("messages"))
        except BadRequest as exc:
            return openai_error(400, str(exc))
        if self.mode is Mode.DOWN:
            return openai_error(503, "out of order")
        await self._think()
        text = answer(question, self.mode)
        spent = usage(question, text)
        if body.get("stream") is True:
            return await _stream(request, text, spent if _wants_usage(body) else None)
        return web.json_response(completion(MODEL, text, spent))

    async def _think(self) -> None:
        """Take the time that the mode says."""
        if self.mode is Mode.SLOW:
            await asyncio.sleep(_SLOW_SECONDS)


def _mode(body: dict[str, object]) -> Mode:
    """Return the mode that *body* asks for."""
    wanted = body.get("mode")
    for mode in Mode:
        if wanted == mode:
            return mode
    raise BadRequest(f'write {{"mode": "..."}} with one of: {", ".join(Mode)}')


def _question(value: object) -> str:
    """Return *value* if it is a question that the agent reads."""
    if not isinstance(value, str) or not value.strip():
        raise BadRequest('write {"message": "your question"}')
    if len(value) > _MAX_QUESTION_CHARACTERS:
        raise BadRequest(f"the question is over {_MAX_QUESTION_CHARACTERS} characters")
    return value


def _last_question(messages: object) -> str:
    """Return the text of the last user message of an OpenAI request."""
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            return _question(message.get("content"))
    raise BadRequest("messages holds no message of the role user")


def _wants_usage(body: dict[str, object]) -> bool:
    """Say whether a streamed reply shall end with the tokens it cost."""
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


async def _stream(
    request: web.Request, text: str, spent: dict[str, int] | None
) -> web.StreamResponse:
    """Send *text* as server-sent events."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for chunk in chunks(MODEL, text, spent):
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response
