"""Every page in a real browser: readable by all, on a phone and on a wide screen."""

import itertools

import pytest

from axe_playwright_python.async_playwright import (  # type: ignore[import-untyped]  # no py.typed
    Axe,
)
from playwright.async_api import Browser

from browser.visit import PHONE, SCREEN, Scheme, overflow, visiting
from browser.world import World


pytestmark = pytest.mark.asyncio(loop_scope="session")
# A scheme changes nothing but colours.
_RULES: dict[Scheme, dict[str, object]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}
VIEWS = [
    pytest.param(scheme, width, id=f"{scheme}-{width}")
    for scheme, width in itertools.product(("light", "dark"), (PHONE, SCREEN))
]
_KEPT_OPEN = "for (const d of document.querySelectorAll('details')) d.open = true"


class TestPages:
    @pytest.mark.parametrize(("scheme", "width"), VIEWS)
    async def test_axe_finds_nothing_and_nothing_is_cut_off(
        self, chromium: Browser, seen: World, scheme: Scheme, width: int
    ) -> None:
        """No violation, no scrolling sideways, with all that folds unfolded."""
        found = {}
        origin = seen.daemon.url
        async with visiting(chromium, origin, width=width, scheme=scheme) as visit:
            for name, path in seen.pages.items():
                await visit.go(seen.url(path), missing=name == "missing")
                await visit.page.evaluate(_KEPT_OPEN)
                results = await Axe().run(visit.page, options=_RULES[scheme])
                found[name] = [
                    f"{one['id']}: {node['html'][:200]}"
                    for one in results.response["violations"]
                    for node in one["nodes"]
                ] + await overflow(visit.page)

        assert found == {name: [] for name in seen.pages}
        assert visit.strange == []

    async def test_each_has_a_policy_against_scripts(
        self, chromium: Browser, seen: World
    ) -> None:
        """Only our own script and sheet may be loaded, and nobody may frame a page."""
        async with visiting(chromium, seen.daemon.url) as visit:
            for path in seen.pages.values():
                response = await visit.page.request.get(
                    seen.url(path), headers={"Accept": "text/html"}
                )
                policy = response.headers["content-security-policy"]

                assert "default-src 'none'" in policy
                assert "script-src 'self'" in policy
                assert "frame-ancestors 'none'" in policy
                assert "unsafe" not in policy
                assert response.headers["x-content-type-options"] == "nosniff"

    async def test_the_failure_is_seen_at_once(
        self, chromium: Browser, seen: World
    ) -> None:
        """Question, reason, answer and last good answer need no scrolling."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(seen.pages["case"]))
            for text in ("What's your refund window?", "lacks the number 30"):
                await _in_sight(visit.page.get_by_text(text).first.bounding_box)
            for box in (".pair .bad .said", ".pair .good .said"):
                await _in_sight(visit.page.locator(box).bounding_box)


async def _in_sight(bounding_box: object) -> None:
    """See that a box is within the first screen."""
    assert callable(bounding_box)
    box = await bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 800
