"""One browser and one daemon for all tests of the pages."""

import os
import shutil

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from playwright.async_api import Browser, Playwright, async_playwright

from browser.world import World, world


_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


async def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("chromium is not installed; make test does that")
    # Chromium's own sandbox refuses to start as root, which containers of CI are.
    flags = [*_FLAGS, "--no-sandbox"] if os.geteuid() == 0 else list(_FLAGS)
    return await playwright.chromium.launch(executable_path=found, args=flags)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """Run one browser for the session."""
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def seen(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """Run one daemon for the session."""
    folder: Path = tmp_path_factory.mktemp("world")
    async with world(folder) as running:
        yield running
