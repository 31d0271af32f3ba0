"""Answers made to do harm: shown to the last sign, and doing nothing."""

import pytest

from playwright.async_api import Browser, Page

from browser.hostile import ANSWERS, ELSEWHERE, NAME
from browser.visit import PHONE, overflow, visiting
from browser.world import World, case_path, monitor_path


pytestmark = pytest.mark.asyncio(loop_scope="session")
# What only an answer could have brought into a page of ours.
FOREIGN = "iframe, object, embed, img, video, audio, math, base, style, [onload],"
FOREIGN += " [onerror], [onfocus], [autofocus], [srcdoc], [style], meta[http-equiv]"
VISIBLE = {"bidi": "⟨U+202E⟩", "zero-width": "⟨U+200B⟩", "control": "⟨ESC⟩"}


async def foreign(page: Page) -> list[str]:
    """Return the elements and links of *page* that are not ours."""
    found: list[str] = await page.evaluate(
        """(foreign) => [
          ...[...document.querySelectorAll(foreign)].map((e) => e.outerHTML),
          ...[...document.querySelectorAll("[href], [src], [action]")]
            .map((e) => String(e.href?.baseVal ?? e.href ?? e.src ?? e.action))
            .filter((url) => !url.startsWith(window.location.origin + "/")),
          ...[...document.scripts].slice(1).map((e) => e.outerHTML),
        ]""",
        FOREIGN,
    )
    return found


class TestHostileAnswers:
    async def test_they_are_only_text(self, chromium: Browser, seen: World) -> None:
        """On no page does a script run, a dialog open or a link appear."""
        paths = [case_path(NAME, name) for name in ANSWERS]
        paths += [monitor_path(NAME), f"/runs/{seen.runs[NAME]}", "/"]
        found = {}
        async with visiting(chromium, seen.daemon.url, width=PHONE) as visit:
            for path in paths:
                await visit.go(seen.url(path))
                found[path] = await foreign(visit.page) + await overflow(visit.page)

        assert found == {path: [] for path in paths}
        assert visit.strange == []

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, id=name)
            for name in ("script", "svg", "link", "markdown", "entities", "template")
        ],
    )
    async def test_they_are_shown_as_they_are(
        self, chromium: Browser, seen: World, name: str
    ) -> None:
        """What the agent said is what one reads."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(case_path(NAME, name)))
            said = await visit.page.locator(".pair .bad .said").inner_text()

        assert said == ANSWERS[name]

    @pytest.mark.parametrize(
        ("name", "sign"),
        [pytest.param(name, sign, id=name) for name, sign in VISIBLE.items()],
    )
    async def test_what_hides_is_made_visible(
        self, chromium: Browser, seen: World, name: str, sign: str
    ) -> None:
        """A character that has no picture, or turns the others around, has a sign."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.go(seen.url(case_path(NAME, name)))
            said = await visit.page.locator(".pair .bad .said").inner_text()

        assert sign in said
        assert not {"\u202e", "\u200b", "\x1b"} & set(said)

    async def test_the_browser_would_have_noticed(
        self, chromium: Browser, seen: World
    ) -> None:
        """The same answers put into a page as HTML do all that is looked for."""
        async with visiting(chromium, seen.daemon.url) as visit:
            await visit.page.set_content(ANSWERS["handler"] + ANSWERS["svg"])
            await visit.page.wait_for_timeout(100)

            assert await foreign(visit.page) != []
            assert any(text.startswith("dialog: ") for text in visit.strange)
            assert f"asked for {ELSEWHERE}/i.png" in visit.strange
