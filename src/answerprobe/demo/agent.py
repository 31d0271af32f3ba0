"""
The demo agent over HTTP: two protocols, and a switch to make it misbehave.

Over the chat protocol it has tools of its own, and keeps sessions in memory; over
OpenAI's it calls the tools that it is offered. It bounds what it reads and keeps.
"""

import asyncio
import json

from dataclasses import replace

from aiohttp import web

from answerprobe.demo.desk import Heard, Move, next_move, run_tool
from answerprobe.demo.listening import Sessions, over_chat, over_openai
from answerprobe.demo.shop import Mode
from answerprobe.demo.wire import (
    BadRequest,
    Call,
    chunks,
    completion,
    openai_error,
    read_object,
    usage,
)


MODEL = "shop-support-1"
_SLOW_SECONDS = 2.6
_ABOUT = """\
A small shop-support agent to try answerprobe on. It answers from five policies, and
looks up orders, checks invoices and pays refunds to those who have a receipt.

POST /api/chat             {{"message": "..."}} -> {{"answer": "..."}}
                           with "session" or "history" it knows what was said before
POST /v1/chat/completions  the OpenAI protocol, streaming and tools too; model {model}
POST /misbehave            {{"mode": "..."}} with one of: {modes}

It is now: {mode}
"""


class ShopAgent:
    """The agent: answers and acts as its shop does, in the mode it was last told."""

    def __init__(self) -> None:
        self.mode = Mode.OK
        self._sessions = Sessions()

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
            heard = over_chat(await read_object(request), self._sessions)
        except BadRequest as exc:
            return web.json_response({"error": str(exc)}, status=400)
        if self.mode is Mode.DOWN:
            return web.json_response({"error": "out of order"}, status=503)
        await self._think()
        return web.json_response(_acted(heard, self.mode))

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        """Answer over the OpenAI protocol, or call one of the tools it offers."""
        try:
            body = await read_object(request)
            heard = over_openai(body)
        except BadRequest as exc:
            return openai_error(400, str(exc))
        if self.mode is Mode.DOWN:
            return openai_error(503, "out of order")
        await self._think()
        move = next_move(heard, self.mode)
        told = move.text if move.call is None else json.dumps(move.call.as_json())
        spent = usage(heard.messages[-1], told)
        if body.get("stream") is True:
            return await _stream(request, move, spent if _wants_usage(body) else None)
        return web.json_response(completion(MODEL, move.text, spent, move.call))

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


def _acted(heard: Heard, mode: Mode) -> dict[str, object]:
    """Return the answer, after the agent's own tools have run, and what they did."""
    move, done = next_move(heard, mode), list[dict[str, object]]()
    while move.call is not None:
        result = run_tool(move.call)
        done.append(_told(move.call, result))
        results = {**heard.results, move.call.name: result}
        heard = replace(heard, results=results)
        move = next_move(heard, mode)
    answer: dict[str, object] = {"answer": move.text}
    return {**answer, "tool_calls": done} if done else answer


def _told(call: Call, result: dict[str, object]) -> dict[str, object]:
    """Return what the agent tells of *call*."""
    return {"name": call.name, "arguments": dict(call.arguments), "result": result}


def _wants_usage(body: dict[str, object]) -> bool:
    """Say whether a streamed reply shall end with the tokens it cost."""
    options = body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


async def _stream(
    request: web.Request, move: Move, spent: dict[str, int] | None
) -> web.StreamResponse:
    """Send *move* as server-sent events."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for chunk in chunks(MODEL, move.text, spent, move.call):
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response
