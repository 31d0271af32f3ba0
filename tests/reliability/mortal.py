"""A real daemon that can be killed at any moment, and the books that it leaves."""

import asyncio
import os
import signal

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import aiohttp

from answerprobe.evidence import RunQuery, RunSummary, Store
from answerprobe.run import RunState
from cli.program import ANSWERPROBE
from e2e.program import free_port


_READY_SECONDS = 60.0
_MOST_RUNS = 100_000


def _now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What a store says between two lives of a daemon."""

    runs: dict[int, RunSummary]
    below_target: dict[str, int]
    window: dict[str, int]
    tokens: int

    @property
    def completed(self) -> dict[int, RunSummary]:
        """The runs that were finished."""
        return {
            run_id: run
            for run_id, run in self.runs.items()
            if run.state is RunState.COMPLETED
        }

    def completed_of(self, monitor: str) -> int:
        """Return how many runs of *monitor* were finished."""
        runs = self.completed.values()
        return Counter(run.request.monitor for run in runs)[monitor]


@dataclass(slots=True, kw_only=True)
class Mortal:
    """`answerprobe serve` on one store, over many lives."""

    config: Path
    port: int = field(default_factory=free_port)
    process: asyncio.subprocess.Process | None = None

    @property
    def log_file(self) -> Path:
        """Where all its lives log."""
        return self.config.with_name("daemon.log")

    @property
    def storage_url(self) -> str:
        """Where its store is."""
        return f"sqlite:///{self.config.with_name('kept.db')}"

    async def begin(self) -> None:
        """Begin a life."""
        with self.log_file.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                ANSWERPROBE,
                "serve",
                f"--config.file={self.config}",
                f"--web.listen-address=127.0.0.1:{self.port}",
                f"--storage.url={self.storage_url}",
                env=os.environ,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def until_ready(self) -> None:
        """Wait until it says that it is ready."""
        async with asyncio.timeout(_READY_SECONDS):
            while await self.status("/-/ready") != 200:
                assert self.process is not None
                assert self.process.returncode is None, self.log_file.read_text()
                await asyncio.sleep(0.02)

    async def status(self, path: str, method: str = "GET") -> int:
        """Return the status of a request; 0 where nobody answers."""
        url = f"http://127.0.0.1:{self.port}{path}"
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.request(method, url) as response,
            ):
                return response.status
        except (aiohttp.ClientError, ConnectionError):
            return 0

    async def promise(self, monitor: str) -> int | None:
        """Ask for a run of *monitor*; return the id that was promised, if one was."""
        url = f"http://127.0.0.1:{self.port}/v1/monitors/{monitor}/runs"
        try:
            async with aiohttp.ClientSession() as session, session.post(url) as reply:
                said = await reply.json()
        except (aiohttp.ClientError, ConnectionError, ValueError):
            return None
        run: int | None = said.get("run")
        return run

    async def kill(self) -> None:
        """End this life without a warning."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def end(self) -> int:
        """End this life as a supervisor does; return its exit status."""
        assert self.process is not None
        self.process.terminate()
        return await self.process.wait()

    async def books(self, month: str) -> Books:
        """Return what the store says while nobody lives."""
        store = await Store.open(self.storage_url, exclusive=False, clock=_now)
        try:
            page = await store.runs(RunQuery(limit=_MOST_RUNS))
            monitors = await store.load_monitors()
            spent = await store.ledger(month)
        finally:
            await store.close()
        assert len({run.id for run in page.runs}) == len(page.runs)
        return Books(
            runs={run.id: run for run in page.runs},
            below_target={n: m.status.runs_below_target for n, m in monitors.items()},
            window={
                name: sum(len(case.window) for case in known.status.cases.values())
                for name, known in monitors.items()
            },
            tokens=sum(entry.input_tokens + entry.output_tokens for entry in spent),
        )


@asynccontextmanager
async def mortal(config: Path) -> AsyncIterator[Mortal]:
    """Give a daemon on *config* lives while the block runs."""
    made = Mortal(config=config)
    try:
        yield made
    finally:
        if made.process is not None:
            await made.kill()
