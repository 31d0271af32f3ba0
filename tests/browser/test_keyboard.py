"""Pages by keyboard alone."""

import pytest

from playwright.async_api import Browser, Page

from browser.visit import visiting
from browser.world import World


pytestmark = pytest.mark.asyncio(loop_scope="session")
_FOCUSED = """() => {
  const e = document.activeElement, style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  return [
    e.matches("body") ? "" : (e.name || e.ariaLabel || e.textContent.trim()),
    style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    box.width > 0 && box.left >= 0 && box.top >= 0 && box.bottom <= window.innerHeight,
  ];
}"""


async def walk(page: Page, most: int = 60) -> list[tuple[str, bool, bool]]:
    """Press Tab until it leaves the page: name, outlined and in sight of each stop."""
    stops = []
    for _ in range(most):
        await page.keyboard.press("Tab")
        name, outlined, in_sight = await page.evaluate(_FOCUSED)
        if not name:
            break
        stops.append((name, outlined, in_sight))
    return stops


class TestKeyboard:
    async def test_the_first_stop_skips_to_the_content(
        self, chromium: Browser, seen: World
    ) -> None:
        """Tab, Enter, and the next Tab is beyond the navigation."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(seen.pages["case"]))
            await visit.page.keyboard.press("Tab")
            skip = await visit.page.evaluate(_FOCUSED)
            await visit.page.keyboard.press("Enter")
            await visit.page.keyboard.press("Tab")
            inside = await visit.page.evaluate(
                "() => document.querySelector('main').contains(document.activeElement)"
            )

        assert skip == ["Skip to the content", True, True]
        assert inside

    @pytest.mark.parametrize(
        ("page", "wanted"),
        [
            pytest.param(
                "overview", {"q", "status", "runs", "label", "Show"}, id="overview"
            ),
            pytest.param(
                "monitor",
                {"Run now", "dry_run", "Pause", "case", "samples", "q", "state"},
                id="monitor",
            ),
            pytest.param("case", {"samples", "Run this case"}, id="case"),
        ],
    )
    async def test_all_is_reached_and_seen(
        self, chromium: Browser, seen: World, page: str, wanted: set[str]
    ) -> None:
        """Every control has its stop, with a frame around it, within the window."""
        async with visiting(chromium, seen.daemon.url) as visit:
            # Smooth scrolling would let a stop be out of sight when it is looked at.
            await visit.page.emulate_media(reduced_motion="reduce")
            await visit.go(seen.url(seen.pages[page]))
            stops = await walk(visit.page)

        assert wanted <= {name for name, _, _ in stops}
        assert [stop for stop in stops if not (stop[1] and stop[2])] == []
