"""The real program as a user starts it, and what it exports."""

import asyncio
import os
import socket
import sys

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import aiohttp
import yaml

from prometheus_client.parser import text_string_to_metric_families


T = TypeVar("T")
ANSWERPROBE = Path(sys.executable).with_name("answerprobe")
_POLL_SECONDS = 0.05
_START_SECONDS = 30.0
_STOP_SECONDS = 20.0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


async def eventually(look: Callable[[], Awaitable[T | None]], seconds: float) -> T:
    """Return the first thing that *look* finds within *seconds*."""
    async with asyncio.timeout(seconds):
        found = await look()
        while found is None:
            await asyncio.sleep(_POLL_SECONDS)
            found = await look()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """A real model behind an OpenAI-compatible API."""

    base_url: str
    api_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """One scrape."""

    text: str

    def total(self, name: str, **labels: str) -> float | None:
        """Return the sum of the series of *name* with these *labels*; None: no such."""
        values = [
            sample.value
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        return sum(values) if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A running `answerprobe serve`."""

    port: int
    process: asyncio.subprocess.Process
    log_file: Path

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def log(self) -> str:
        """Return what it has logged."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    async def text(self, path: str) -> str | None:
        """Return the body at *path*, or None if it is not to be had."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(self.url + path) as response,
            ):
                return await response.text() if response.status == 200 else None
        except aiohttp.ClientError:
            assert self.process.returncode is None, self.log()
            return None

    async def metrics(self) -> Metrics:
        """Scrape it."""
        text = await self.text("/metrics")
        assert text is not None, self.log()
        return Metrics(text=text)

    async def run(self, monitor: str) -> None:
        """Ask for a run of *monitor* now."""
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{self.url}/v1/monitors/{monitor}/runs") as response,
        ):
            assert response.status == 202, await response.text()

    async def until(
        self, name: str, value: float, *, seconds: float, **labels: str
    ) -> Metrics:
        """Scrape until the series of *name* with these *labels* add up to *value*."""

        async def look() -> Metrics | None:
            metrics = await self.metrics()
            return metrics if metrics.total(name, **labels) == value else None

        try:
            return await eventually(look, seconds)
        except TimeoutError:
            found = (await self.metrics()).total(name, **labels)
            message = f"{name}{labels} is {found}, not {value}, after {seconds} s:"
            raise AssertionError(f"{message}\n{self.log()[-3000:]}") from None


@asynccontextmanager
async def daemon(
    folder: Path,
    config: Mapping[str, object] | Path,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[Daemon]:
    """Run `answerprobe serve` with *config*; it must end with 0 when told to."""
    if isinstance(config, Path):
        config_file = config
    else:
        config_file = folder / "answerprobe.yml"
        config_file.write_text(yaml.safe_dump(config), encoding="utf-8")
    port, log_file = free_port(), folder / "daemon.log"
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            ANSWERPROBE,
            "serve",
            f"--config.file={config_file}",
            f"--web.listen-address=127.0.0.1:{port}",
            f"--storage.url=sqlite:///{folder / 'answerprobe.db'}",
            env={**os.environ, **(environment or {})},
            stdout=log,
            stderr=log,
        )
    running = Daemon(port=port, process=process, log_file=log_file)
    try:
        await eventually(lambda: running.text("/-/ready"), _START_SECONDS)
        yield running
    finally:
        await _stop(process)
    assert process.returncode == 0, running.log()


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End *process* as a supervisor does, and by force if that does not help."""
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
