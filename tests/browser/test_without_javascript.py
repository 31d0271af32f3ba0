"""Pages where no script runs: everything can be read and done."""

import re

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from playwright.async_api import Browser, expect

from browser.visit import Visit, visiting
from browser.world import FAILING, GOOD, PAUSED, SPARE, World, monitor_path


pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def plain(chromium: Browser, seen: World) -> AsyncIterator[Visit]:
    """Open a tab where no script runs."""
    async with visiting(chromium, seen.daemon.url, javascript=False) as visit:
        yield visit
        assert visit.strange == []


class TestWithoutJavaScript:
    async def test_search_and_filter(self, plain: Visit, seen: World) -> None:
        """A form finds monitors by name and by status."""
        page = plain.page
        names = page.locator("table.monitors tbody th > a")
        await plain.go(seen.url("/"))
        await page.get_by_label("Name").fill("streamed")
        await page.get_by_role("button", name="Show").click()
        await expect(names).to_have_text([GOOD])

        await page.get_by_role("link", name="Show all").click()
        await page.get_by_role("combobox", name="Status").select_option("paused")
        await page.get_by_role("button", name="Show").click()
        await expect(names).to_have_text([PAUSED])

    @pytest.mark.parametrize(
        ("button", "trigger"),
        [
            pytest.param("Run (now|anyway)", "manual", id="run-now"),
            pytest.param("Dry run", "dry_run", id="dry-run"),
        ],
    )
    async def test_a_button_starts_a_run(
        self, plain: Visit, seen: World, button: str, trigger: str
    ) -> None:
        """It leads to the page of the run, which tells more when it is loaded again."""
        page = plain.page
        await plain.go(seen.url(monitor_path(SPARE)))
        await page.get_by_role("button", name=re.compile(f"^{button}$")).click()
        await expect(page).to_have_url(re.compile(r"/runs/\d+$"))
        while await page.locator(".badge.completed").count() == 0:
            await page.reload()
        run = await page.request.get(page.url.replace("/runs/", "/v1/runs/"))

        assert (await run.json())["trigger"] == trigger

    async def test_ticked_cases_are_run(self, plain: Visit, seen: World) -> None:
        """As often as chosen, and no others."""
        page = plain.page
        await plain.go(seen.url(monitor_path(FAILING[0])))
        await page.get_by_label("Choose privacy").check()
        await page.get_by_label("Ask the ticked cases").select_option("3")
        await page.get_by_role("button", name="Run the ticked cases").click()
        while await page.locator(".badge.completed").count() == 0:
            await page.reload()

        await expect(page.locator(".samples .case")).to_have_text(["privacy"] * 3)

    async def test_pause_and_resume(self, plain: Visit, seen: World) -> None:
        """One button stops a monitor, the same place starts it again."""
        page = plain.page
        await plain.go(seen.url(monitor_path(SPARE)))
        await page.get_by_role("button", name="Pause").click()
        await expect(page.locator(".headline .badge")).to_have_text("paused")

        await page.get_by_role("button", name="Resume").click()
        await expect(page.get_by_role("button", name="Pause")).to_be_visible()
        await expect(page.locator(".headline .badge")).not_to_have_text("paused")
