"""A real Prometheus scrapes the daemon."""

import asyncio
import shutil

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import yaml

from aiohttp.test_utils import TestServer

from e2e.program import Daemon, daemon, eventually, free_port


def config(shop: TestServer) -> dict[str, object]:
    """Return a config with one monitor of the demo's agent."""
    case = {
        "id": "warranty",
        "ask": "How long is the warranty?",
        "expect": [{"contains": "2 years"}],
    }
    monitor = {
        "name": "shop",
        "type": "agent",
        "endpoint": str(shop.make_url("/api/chat")),
        "every": "manual",
        "labels": {"team": "support"},
        "cases": [case],
    }
    return {"monitors": [monitor]}


@asynccontextmanager
async def prometheus(folder: Path, target: Daemon) -> AsyncIterator[str]:
    """Run Prometheus with *target* as its only one; give its URL."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed; make test does that as root")
    port = free_port()
    scrape = {
        "job_name": "answerprobe",
        "scrape_interval": "1s",
        "scrape_timeout": "1s",
        "static_configs": [{"targets": [f"127.0.0.1:{target.port}"]}],
    }
    config_file = folder / "prometheus.yml"
    config_file.write_text(yaml.safe_dump({"scrape_configs": [scrape]}))
    with (folder / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            program,
            f"--config.file={config_file}",
            f"--storage.tsdb.path={folder / 'tsdb'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=warn",
            stdout=log,
            stderr=log,
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def query(url: str, expression: str) -> dict[str, str] | None:
    """Return labels and value of the one series of *expression*, None if not there."""
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{url}/api/v1/query", params={"query": expression}) as reply,
        ):
            result = (await reply.json())["data"]["result"] if reply.ok else []
    except aiohttp.ClientError:
        return None
    if not result:
        return None
    (series,) = result
    return {**series["metric"], "value": series["value"][1]}


class TestPrometheus:
    """What a real Prometheus makes of /metrics."""

    async def test_sees_the_monitor_up(self, shop: TestServer, tmp_path: Path) -> None:
        """After a run `answerprobe_up` is 1 with the monitor's labels."""
        async with (
            daemon(tmp_path, config(shop)) as running,
            prometheus(tmp_path, running) as url,
        ):
            await running.run("shop")
            series = await eventually(lambda: query(url, "answerprobe_up == 1"), 60)
            scraped = await query(url, 'up{job="answerprobe"}')

        assert series == {
            "__name__": "answerprobe_up",
            "monitor": "shop",
            "team": "support",
            "job": "answerprobe",
            "instance": f"127.0.0.1:{running.port}",
            "value": "1",
        }
        assert scraped is not None
        assert scraped["value"] == "1"
