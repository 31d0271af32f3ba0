"""The command line as a user calls it, and a small agent for it to ask."""

import asyncio
import json
import os
import sys

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer


ANSWERPROBE = Path(sys.executable).with_name("answerprobe")
_LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command that ended."""

    status: int
    stdout: str
    stderr: str


async def start(
    *args: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> asyncio.subprocess.Process:
    """Start `answerprobe` with *args*."""
    return await asyncio.create_subprocess_exec(
        ANSWERPROBE,
        *map(str, args),
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def end(process: asyncio.subprocess.Process) -> Done:
    """Return what *process* said once it ended by itself."""
    try:
        async with asyncio.timeout(_LONGEST_SECONDS):
            stdout, stderr = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    done = Done(
        status=process.returncode, stdout=stdout.decode(), stderr=stderr.decode()
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


async def answerprobe(
    *args: str | Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> Done:
    """Run `answerprobe` with *args* to its end."""
    return await end(await start(*args, cwd=cwd, environment=environment))


def files(folder: Path) -> list[str]:
    """Return the names of what lies in *folder*."""
    return sorted(path.name for path in folder.iterdir())


@dataclass
class Agent:
    """Answers chat and, as a judge, completions; what is said comes from `answers`."""

    answers: dict[str, str | int] = field(default_factory=dict)
    verdict: str = '{"reason": "met", "verdict": "pass"}'
    asked: list[str] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None
    url: str = ""

    async def chat(self, request: web.Request) -> web.Response:
        """Answer a question, by its text; "30 days" where nothing is said."""
        message = (await request.json())["message"]
        self.asked.append(message)
        self.reached.set()
        if self.gate:
            await self.gate.wait()
        answer = self.answers.get(message, "Within 30 days.")
        if isinstance(answer, int):
            return web.json_response({"error": "scripted"}, status=answer)
        return web.json_response({"answer": answer})

    async def complete(self, _request: web.Request) -> web.Response:
        """Answer as a model."""
        message = {"role": "assistant", "content": self.verdict}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return web.json_response(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m-1",
                "choices": [choice],
                "usage": {
                    "prompt_tokens": 100,
                    "completion_tokens": 20,
                    "total_tokens": 120,
                },
            }
        )

    def monitor(self, name: str = "shop", **more: object) -> dict[str, object]:
        """Return a monitor that asks this agent: one case, once, only on demand."""
        return {
            "name": name,
            "type": "agent",
            "endpoint": f"{self.url}/chat",
            "every": "manual",
            "samples": 1,
            "cases": [question("refund")],
            **more,
        }

    def config(self, folder: Path, *monitors: object, **more: object) -> Path:
        """Write a configuration of *monitors* into *folder*, and return its place."""
        judge = {"base_url": f"{self.url}/v1", "model": "m", "attempts": 1}
        document = {
            "judges": {"default": judge},
            "monitors": monitors or [self.monitor()],
            **more,
        }
        path = folder / "answerprobe.yml"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path


def question(case_id: str, **criteria: object) -> dict[str, object]:
    """Return a case that asks `ID?` and expects "30 days" where nothing is said."""
    expected = criteria or {"contains": "30 days"}
    return {
        "id": case_id,
        "ask": f"{case_id}?",
        "expect": [{name: value} for name, value in expected.items()],
    }


@asynccontextmanager
async def serving_agent() -> AsyncIterator[Agent]:
    """Serve an agent on 127.0.0.1 while the block runs."""
    agent = Agent()
    app = web.Application()
    app.router.add_post("/chat", agent.chat)
    app.router.add_post("/v1/chat/completions", agent.complete)
    async with TestServer(app, host="127.0.0.1") as server:
        agent.url = str(server.make_url("")).rstrip("/")
        yield agent
