"""Several real daemons on one PostgreSQL, the agent that they ask, a line to be cut."""

import asyncio
import os
import re
import signal

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import yaml

from aiohttp import web

from e2e.program import ANSWERPROBE, Metrics, eventually, free_port


START_SECONDS = 30.0
# A lease, the look that finds it over, one that finds the monitor free, and a margin.
TAKE_OVER_SECONDS = 60.0


class Agent:
    """An agent that knows the answer to questions with an odd number."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.delay_seconds = 0.0
        self.usage: Mapping[str, int] | None = None
        self.url = ""

    async def answer(self, request: web.Request) -> web.Response:
        """Answer, after a while."""
        message = str((await request.json())["message"])
        self.asked[message] += 1
        await asyncio.sleep(self.delay_seconds)
        found = re.search(r"\d+", message)
        odd = found is not None and int(found[0]) % 2 == 1
        return web.json_response(
            {"answer": "30 days" if odd else "no idea", "usage": self.usage}
        )

    async def judge(self, request: web.Request) -> web.Response:
        """Judge a canary, or an answer: what has 30 days in it is good."""
        messages = str((await request.json())["messages"])
        self.asked["judge"] += 1
        verdict = "pass" if "30 days" in messages else "fail"
        reply = f'{{"reason": "scripted", "verdict": "{verdict}"}}'
        choice = {"index": 0, "finish_reason": "stop"}
        message = {"role": "assistant", "content": reply}
        return web.json_response(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "judge-1",
                "choices": [{**choice, "message": message}],
                "usage": {
                    "prompt_tokens": 50,
                    "completion_tokens": 10,
                    "total_tokens": 60,
                },
            }
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Agent"]:
        """Listen while the block runs."""
        app = web.Application()
        app.router.add_post("/chat", self.answer)
        app.router.add_post("/v1/chat/completions", self.judge)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self.url = f"http://127.0.0.1:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    def monitor(self, name: str, **more: object) -> dict[str, object]:
        """Return a monitor of one case that asks what *name* is."""
        case = {
            "id": "refund",
            "ask": f"Question of {name}",
            "expect": [{"contains": "30 days"}],
        }
        return {
            "name": name,
            "type": "agent",
            "endpoint": f"{self.url}/chat",
            "every": "2s",
            "samples": 1,
            "pass_at_least": 1,
            "within": "1900ms",
            "confirm": "0s",
            "cases": [case],
            **more,
        }

    def times(self, name: str) -> int:
        """Return how often the monitor *name* asked."""
        return self.asked[f"Question of {name}"]


class Line:
    """A TCP line to the database that can be cut: nothing comes through, or fails."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open = asyncio.Event()
        self._open.set()
        self._carrying: list[asyncio.Event] = []
        self.port = free_port()

    def cut(self) -> None:
        """Let nothing through; nobody is told."""
        self._open.clear()

    def drop(self) -> None:
        """Let nothing through on the connections there are; new ones work."""
        for event in self._carrying:
            event.clear()

    def mend(self) -> None:
        """Let everything through again."""
        self._open.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Line"]:
        """Stand while the block runs."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", self.port)
        try:
            yield self
        finally:
            self._open.set()
            for event in self._carrying:
                event.set()
            server.close()

    async def _connect(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry one connection, both ways."""
        stands = asyncio.Event()
        stands.set()
        self._carrying.append(stands)
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._carry(reader, back, stands))
            group.create_task(self._carry(there, writer, stands))

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        stands: asyncio.Event,
    ) -> None:
        """Carry what comes, while the line stands."""
        try:
            while data := await reader.read(65536):
                await self._open.wait()
                await stands.wait()
                writer.write(data)
        except ConnectionError:
            pass
        finally:
            writer.close()


@dataclass(slots=True, kw_only=True)
class Replica:
    """One daemon."""

    port: int
    process: asyncio.subprocess.Process
    log_file: Path
    config_file: Path
    session: aiohttp.ClientSession

    def log(self) -> str:
        """Return what it has logged."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    async def get(self, path: str) -> dict[str, object]:
        """Return the JSON at *path*."""
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self.session.get(url) as response:
            assert response.status == 200, await response.text()
            found: dict[str, object] = await response.json()
            return found

    async def post(self, path: str, body: object = None) -> dict[str, object]:
        """Return the JSON that a POST to *path* gets, which must be 202."""
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self.session.post(url, json=body) as response:
            found: dict[str, object] = await response.json()
            assert response.status == 202, found
            return found

    async def status_of_post(self, path: str) -> int:
        """Return the status that a POST to *path* gets."""
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self.session.post(url) as response:
            return response.status

    async def metrics(self) -> Metrics:
        """Scrape it."""
        url = f"http://127.0.0.1:{self.port}/metrics"
        async with self.session.get(url) as response:
            return Metrics(text=await response.text())

    async def total(self, name: str, **labels: str) -> float:
        """Return the sum of the series of *name*; 0 without any."""
        return (await self.metrics()).total(name, **labels) or 0.0

    async def runs(self, monitor: str) -> list[dict[str, object]]:
        """Return all runs of *monitor* as it tells them, newest first."""
        found: list[dict[str, object]] = []
        before = ""
        while True:
            page = await self.get(f"/v1/runs?monitor={monitor}&limit=100{before}")
            some = page["runs"]
            assert isinstance(some, list)
            found += some
            if page["next"] is None:
                return found
            before = f"&before={page['next']}"

    async def completed(self, monitor: str) -> int:
        """Return how many runs of *monitor* were completed."""
        return sum(r["state"] == "completed" for r in await self.runs(monitor))

    async def reload(self, config: Mapping[str, object]) -> None:
        """Let it load *config*."""
        text = yaml.safe_dump(config)
        await asyncio.to_thread(self.config_file.write_text, text, encoding="utf-8")
        url = f"http://127.0.0.1:{self.port}/-/reload"
        async with self.session.post(url) as response:
            assert response.status == 200, await response.text()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    async def end(self) -> int:
        """Tell it to end, and return its exit status."""
        if self.process.returncode is None:
            self.process.terminate()
        async with asyncio.timeout(20):
            return await self.process.wait()


@dataclass(slots=True, kw_only=True)
class Cluster:
    """Replicas that share a database."""

    folder: Path
    url: str
    session: aiohttp.ClientSession
    replicas: list[Replica] = field(default_factory=list)

    async def start(
        self, config: Mapping[str, object], *, url: str | None = None, port: int = 0
    ) -> Replica:
        """Start one more replica and wait until it is ready."""
        number = len(self.replicas)
        config_file = self.folder / f"replica{number}.yml"
        config_file.write_text(yaml.safe_dump(config), encoding="utf-8")
        log_file = self.folder / f"replica{number}.log"
        port = port or free_port()
        with log_file.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                ANSWERPROBE,
                "serve",
                f"--config.file={config_file}",
                f"--web.listen-address=127.0.0.1:{port}",
                f"--storage.url={url or self.url}",
                env={**os.environ, "JUDGE_KEY": "k"},
                stdout=log,
                stderr=log,
            )
        replica = Replica(
            port=port,
            process=process,
            log_file=log_file,
            config_file=config_file,
            session=self.session,
        )
        self.replicas.append(replica)
        await eventually(lambda: _ready(replica), START_SECONDS)
        return replica

    async def close(self) -> None:
        """Kill whatever still runs."""
        for replica in self.replicas:
            if replica.process.returncode is None:
                replica.process.kill()
                await replica.process.wait()


async def _ready(replica: Replica) -> bool | None:
    """Whether *replica* is ready; None while it is not."""
    assert replica.process.returncode is None, replica.log()
    url = f"http://127.0.0.1:{replica.port}/-/ready"
    try:
        async with replica.session.get(url) as response:
            return True if response.status == 200 else None
    except aiohttp.ClientError:
        return None
