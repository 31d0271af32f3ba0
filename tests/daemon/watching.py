"""A real daemon in this process: its own socket, its own SQLite file."""

import asyncio
import json

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession
from prometheus_client.parser import text_string_to_metric_families

from answerprobe.daemon._books import open_books, utc_now
from answerprobe.daemon.daemon import Daemon
from answerprobe.daemon.listen import ListenAddress
from answerprobe.daemon.options import ServeOptions, load_config
from answerprobe.evidence import Store
from answerprobe.secret import SecretSource
from e2e.program import free_port


Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """A daemon that runs, and a way to talk to it."""

    daemon: Daemon
    session: ClientSession

    async def get(self, path: str) -> Json:
        """Return the JSON at *path*, which must be there."""
        async with self.session.get(path) as response:
            assert response.status == 200, await response.text()
            found: Json = await response.json()
            return found

    async def status(self, path: str) -> int:
        """Return the status of a GET of *path*."""
        async with self.session.get(path) as response:
            return response.status

    async def post(self, path: str, body: object = None) -> tuple[int, Json]:
        """Return the status and the JSON of a POST to *path*."""
        data = b"" if body is None else json.dumps(body).encode()
        async with self.session.post(path, data=data) as response:
            return response.status, await response.json()

    async def run(self, monitor: str) -> Json:
        """Run *monitor* now and return its run once it ended."""
        _, promised = await self.post(f"/v1/monitors/{monitor}/runs")
        async with asyncio.timeout(20):
            while True:
                run = await self.get(f"/v1/runs/{promised['run']}")
                shown = (await self.get(f"/v1/monitors/{monitor}"))["last_run"]
                if run["state"] == "completed" and shown is not None:
                    return run
                await asyncio.sleep(0.02)

    async def passing(self, monitor: str) -> dict[str, bool | None]:
        """Return what is known of each case of *monitor*."""
        async with self.session.get(f"/v1/monitors/{monitor}") as response:
            cases = (await response.json())["cases"]
        return {case["id"]: case["passing"] for case in cases}

    async def metric(self, name: str, **labels: str) -> float | None:
        """Return the sum of the series of *name*; None where there is none."""
        async with self.session.get("/metrics") as response:
            text = await response.text()
        values = [
            sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        return sum(values) if values else None


@asynccontextmanager
async def watching(config_file: Path) -> AsyncIterator[Watching]:
    """Run a daemon on *config_file* while the block runs; its store lies beside it."""
    secrets = SecretSource(environment={})
    options = ServeOptions(
        config_file=config_file,
        auto_reload=False,
        storage_url=f"sqlite:///{config_file.parent}/kept.db",
        secrets=secrets,
        scrub=str,
        grace_seconds=5.0,
        listen=ListenAddress(host="127.0.0.1", port=free_port()),
        external_url="",
        open_evidence=False,
    )
    store = await Store.open(options.storage_url, exclusive=True, clock=utc_now)
    config = load_config(config_file, secrets)
    daemon = Daemon(options, config, await open_books(store))
    web_runner = await daemon.start()
    try:
        async with ClientSession(f"http://{options.listen}") as session:
            yield Watching(daemon=daemon, session=session)
    finally:
        await daemon.stop(web_runner)
