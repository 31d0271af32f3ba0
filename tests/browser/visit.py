"""A tab of the browser that notes what a page does beside being shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
)


PHONE, SCREEN = 390, 1280
Scheme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """An open *page*; *strange* is what it did that no page of ours does."""

    page: Page
    strange: list[str] = field(default_factory=list)

    async def go(self, url: str, *, missing: bool = False) -> None:
        """Load *url*, which must be there, or *missing*."""
        response = await self.page.goto(url)
        assert response is not None
        assert response.status == (404 if missing else 200), url


@asynccontextmanager
async def visiting(
    browser: Browser,
    origin: str,
    *,
    width: int = SCREEN,
    scheme: Scheme = "light",
    javascript: bool = True,
) -> AsyncIterator[Visit]:
    """Open a tab for the pages of *origin*."""
    context = await browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        java_script_enabled=javascript,
    )
    visit = Visit(page=await context.new_page())
    _watch(visit, origin)
    try:
        yield visit
    finally:
        await context.close()


def _watch(visit: Visit, origin: str) -> None:
    """Note every dialog, error, message of the console and foreign request."""

    def requested(request: Request) -> None:
        if not request.url.startswith(f"{origin}/"):
            visit.strange.append(f"asked for {request.url}")

    def said(message: ConsoleMessage) -> None:
        # Chromium itself tells of a page that is answered with 404.
        if "the server responded with a status of 404" not in message.text:
            visit.strange.append(f"console: {message.text}")

    def failed(error: Error) -> None:
        visit.strange.append(f"script: {error}")

    async def asked(dialog: Dialog) -> None:
        visit.strange.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    visit.page.on("request", requested)
    visit.page.on("console", said)
    visit.page.on("pageerror", failed)
    visit.page.on("dialog", asked)


async def overflow(page: Page) -> list[str]:
    """Return what is wider than the window, and so makes the page scroll sideways."""
    found: list[str] = await page.evaluate(
        """() => document.documentElement.scrollWidth <= window.innerWidth ? []
        : [...document.querySelectorAll("body *")]
          .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
          .map((e) => `${e.tagName}.${e.className}`)"""
    )
    return found
