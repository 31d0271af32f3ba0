"""An agent and a judge that count who is there at once, and can be made to hang."""

import asyncio
import json

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer

from cli.program import question


@dataclass
class Crowd:
    """Answers well while it may; *most* were there at once."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    judge_open: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0
    busy: int = 0
    most: int = 0
    port: int = 0

    def __post_init__(self) -> None:
        self.open.set()
        self.judge_open.set()

    async def good(self, _request: web.Request) -> web.Response:
        """Answer."""
        self.asked += 1
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            await asyncio.sleep(0.005)
        finally:
            self.busy -= 1
        return web.json_response({"answer": "Within 30 days."})

    async def gated(self, request: web.Request) -> web.Response:
        """Answer once the gate is open."""
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            await self.open.wait()
        finally:
            self.busy -= 1
        return await self.good(request)

    async def judge(self, _request: web.Request) -> web.Response:
        """Judge, once the judge's gate is open."""
        await self.judge_open.wait()
        content = '{"reason": "met", "verdict": "pass"}'
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return web.json_response({"id": "1", "model": "m-1", "choices": [choice]})

    def monitor(
        self,
        name: str,
        path: str = "good",
        host: str = "127.0.0.1",
        **more: object,
    ) -> dict[str, object]:
        """Return a monitor that asks once, on demand, at *path* of *host*."""
        return {
            "name": name,
            "type": "agent",
            "endpoint": f"http://{host}:{self.port}/{path}",
            "every": "manual",
            "samples": 1,
            "confirm": 0,
            "cases": [question("refund")],
            **more,
        }

    def config(self, folder: Path, *monitors: object, **more: object) -> Path:
        """Write a configuration of *monitors* into *folder*, and return its place."""
        judge = {
            "base_url": f"http://127.0.0.1:{self.port}/v1",
            "model": "m",
            "attempts": 1,
            "timeout": "1s",
            "calibrate": 0,
        }
        document = {"judges": {"default": judge}, "monitors": monitors, **more}
        path = folder / "answerprobe.yml"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path


@asynccontextmanager
async def gathering() -> AsyncIterator[Crowd]:
    """Serve a crowd while the block runs."""
    crowd = Crowd()
    app = web.Application()
    app.router.add_post("/good", crowd.good)
    app.router.add_post("/gated", crowd.gated)
    app.router.add_post("/v1/chat/completions", crowd.judge)
    async with TestServer(app, host="127.0.0.1") as server:
        assert server.port is not None
        crowd.port = server.port
        try:
            yield crowd
        finally:
            crowd.open.set()
            crowd.judge_open.set()
