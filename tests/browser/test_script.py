"""What the pages' script adds where it may run."""

import asyncio
import re

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from aiohttp import web
from playwright.async_api import Browser, expect

from browser.visit import visiting
from browser.world import FAILING, World, case_path, monitor_path, served
from e2e.program import daemon


pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass(frozen=True, slots=True)
class Slow:
    """An agent that answers once it may."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def chat(self, _request: web.Request) -> web.Response:
        """Answer, in the end."""
        await self.gate.wait()
        return web.json_response({"answer": "Here."})


@asynccontextmanager
async def slow(folder: Path) -> AsyncIterator[tuple[str, Slow]]:
    """Run a daemon that watches a slow agent; its URL, and the agent."""
    agent, app = Slow(), web.Application()
    app.router.add_post("/chat", agent.chat)
    async with served(app) as server:
        case = {"id": "hello", "ask": "There?", "expect": [{"contains": "Here"}]}
        monitor = {
            "name": "slow",
            "type": "agent",
            "endpoint": str(server.make_url("/chat")),
            "cases": [case],
        }
        defaults = {"every": "manual", "samples": 1}
        async with daemon(folder, {"defaults": defaults, "monitors": [monitor]}) as run:
            yield run.url, agent
            agent.gate.set()


class TestScript:
    async def test_a_run_is_followed_to_its_end(
        self, chromium: Browser, tmp_path: Path
    ) -> None:
        """Nobody needs to load the page again: progress, then the samples, come."""
        async with slow(tmp_path) as (url, agent), visiting(chromium, url) as visit:
            page = visit.page
            await visit.go(url + monitor_path("slow"))
            await page.get_by_role("button", name="Run now").click()
            await expect(page.locator("progress")).to_be_visible()
            agent.gate.set()

            await expect(page.locator(".badge.completed")).to_be_visible()
            await expect(page.locator(".samples .case")).to_have_text(["hello"])

        assert visit.strange == []

    async def test_one_box_ticks_all_cases(
        self, chromium: Browser, seen: World
    ) -> None:
        """And leaves none ticked when pressed again."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(monitor_path(FAILING[0])))
            boxes = visit.page.locator('input[name="case"]')
            every = visit.page.get_by_label("Choose all cases of this page")
            await every.check()
            ticked = [await box.is_checked() for box in await boxes.all()]
            await every.uncheck()
            left = [await box.is_checked() for box in await boxes.all()]

        assert (ticked, left) == ([True] * 3, [False] * 3)

    async def test_times_stay_true(self, chromium: Browser, seen: World) -> None:
        """Half an hour later, the page says half an hour more."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.page.clock.install()
            await visit.go(seen.url(case_path(FAILING[0], "refund-window")))
            await visit.page.clock.fast_forward("30:00")
            told = visit.page.locator(".pair .bad time")

            await expect(told).to_have_text(re.compile(r"^3\d min ago$"))
            assert (await told.get_attribute("title") or "").endswith(" UTC")

    async def test_a_link_to_a_sample_opens_it(
        self, chromium: Browser, seen: World
    ) -> None:
        """What an alert or a colleague points to is not left folded."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(f"/runs/{seen.runs[FAILING[0]]}#sample-2"))

            await expect(visit.page.locator("#sample-2 .transcript")).to_be_visible()
            await expect(visit.page.locator("#sample-1 .transcript")).to_be_hidden()
