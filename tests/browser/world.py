"""A daemon whose monitors are in every state, for a browser to look at."""

import asyncio
import json

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import aiohttp
import yaml

from aiohttp import web
from aiohttp.test_utils import TestServer

from answerprobe.demo.__main__ import AGENT_PORT, CONFIG_FILE, application
from answerprobe.demo.launch import moved_config
from browser.hostile import hostile_monitor, say
from cli.program import answerprobe
from e2e.program import Daemon, daemon, eventually, free_port


# What each monitor of the demo is made to be.
FAILING = ("Shop chat", "Shop assistant", "Shop desk")
GOOD = "Shop assistant, streamed"
DOWN = "Unreachable"
PAUSED = "Paused desk"
NEVER_RUN = "Newcomer"
# For tests that press buttons.
SPARE = "Spare"
_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A running daemon; *runs* has the last run of each monitor that ran."""

    daemon: Daemon
    shop: str
    runs: Mapping[str, int]

    def url(self, path: str) -> str:
        """Return where *path* is served."""
        return self.daemon.url + path

    @property
    def pages(self) -> Mapping[str, str]:
        """Every kind of page, in every state that it has, by a name for it."""
        chat, desk = FAILING[0], FAILING[2]
        return {
            "overview": "/",
            "nothing-fits": "/?q=no-such-monitor",
            "monitor": monitor_path(chat),
            "monitor-good": monitor_path(GOOD),
            "monitor-down": monitor_path(DOWN),
            "monitor-paused": monitor_path(PAUSED),
            "monitor-new": monitor_path(NEVER_RUN),
            "case": case_path(chat, "refund-window"),
            "case-good": case_path(GOOD, "shipping"),
            "case-talk": case_path(desk, "no-receipt"),
            "case-down": case_path(DOWN, "hello"),
            "case-new": case_path(NEVER_RUN, "hello"),
            "run": f"/runs/{self.runs[chat]}",
            "run-good": f"/runs/{self.runs[GOOD]}",
            "run-talk": f"/runs/{self.runs[desk]}",
            "run-down": f"/runs/{self.runs[DOWN]}",
            "experiments": "/experiments",
            "experiment": "/experiments/1",
            "judges": "/judges",
            "judge": "/judges/default",
            "missing": "/runs/999999",
        }


def monitor_path(name: str) -> str:
    """Return the path of a monitor's page."""
    return f"/monitors/{quote(name, safe='')}"


def case_path(monitor: str, case: str) -> str:
    """Return the path of a case's page."""
    return f"{monitor_path(monitor)}/cases/{quote(case, safe='')}"


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    """Run the demo's shop and a daemon; let most of it fail after it went well."""
    async with (
        served(application()) as shop,
        served(application()) as well,
        served(say()) as hostile,
    ):
        config = _config(folder, shop, str(hostile.make_url("/chat")))
        async with daemon(folder, config) as running:
            seen = await _played(running, str(shop.make_url("/misbehave")))
            await _compared(folder, str(well.make_url("/api/chat")))
            yield seen


@asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[TestServer]:
    """Serve *app* on a free port."""
    server = TestServer(app)
    await server.start_server()
    try:
        yield server
    finally:
        await server.close()


def _config(folder: Path, shop: TestServer, hostile: str) -> dict[str, object]:
    """Return the demo's config, run only by hand, with monitors for other states."""
    assert shop.port is not None
    moved = moved_config(CONFIG_FILE, folder, AGENT_PORT, shop.port)
    config: dict[str, object] = yaml.safe_load(moved.read_text(encoding="utf-8"))
    monitors = config["monitors"]
    assert isinstance(monitors, list)
    for monitor in monitors:
        monitor.pop("every", None)
    chat = str(shop.make_url("/api/chat"))
    monitors += [
        _small(DOWN, f"http://127.0.0.1:{free_port()}/chat"),
        _small(PAUSED, chat),
        _small(NEVER_RUN, chat),
        _small(SPARE, chat),
        hostile_monitor(hostile),
    ]
    config["defaults"] = {"every": "manual", "within": "5s", "samples": 2}
    return config


def _small(name: str, endpoint: str) -> dict[str, object]:
    """Return a monitor of one case."""
    case = {"id": "hello", "ask": "Are you there?", "expect": [{"answered": True}]}
    return {
        "name": name,
        "type": "agent",
        "endpoint": endpoint,
        "labels": {"team": "platform", "tier": "2"},
        "token_budget": 50000,
        "cases": [case],
    }


async def _played(running: Daemon, misbehave: str) -> World:
    """Let everything run well, then most of it badly."""
    async with aiohttp.ClientSession() as session:
        names = (*FAILING, GOOD, DOWN, hostile_monitor("")["name"])
        runs = {}
        for _ in range(3):
            runs = await _run_all(session, running, [str(name) for name in names])
        async with session.post(misbehave, json={"mode": "wrong"}) as response:
            assert response.status == 200
        for _ in range(2):
            runs |= await _run_all(session, running, FAILING)
        path = f"/v1/monitors/{quote(PAUSED, safe='')}/pause"
        async with session.post(running.url + path) as response:
            assert response.status == 202
    return World(daemon=running, shop=misbehave, runs=runs)


async def _compared(folder: Path, endpoint: str) -> None:
    """Compare the failing agent with one at *endpoint* that is well."""
    done = await answerprobe(
        "compare",
        folder / "answerprobe.yml",
        f"--monitor={FAILING[0]}",
        f"--set=endpoint={endpoint}",
        f"--storage.url=sqlite:///{folder / 'answerprobe.db'}",
        "--runs=8",
        "--yes",
        cwd=folder,
    )
    assert done.status == 0, done.stderr


async def _run_all(
    session: aiohttp.ClientSession, running: Daemon, names: Sequence[str]
) -> dict[str, int]:
    """Run each of *names* once, and return the numbers of the runs once they ended."""

    async def one(name: str) -> int:
        url = f"{running.url}/v1/monitors/{quote(name, safe='')}/runs"
        async with session.post(url) as response:
            assert response.status == 202, await response.text()
            number: int = (await response.json())["run"]
        await eventually(lambda: _ended(running, number), _SECONDS)
        return number

    return dict(zip(names, await asyncio.gather(*map(one, names)), strict=True))


async def _ended(running: Daemon, number: int) -> bool | None:
    """Return True once a run is over."""
    text = await running.text(f"/v1/runs/{number}")
    over = text is not None and json.loads(text)["state"] == "completed"
    return True if over else None
