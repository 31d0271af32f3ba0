"""What tests of the command line share."""

import logging

from collections.abc import AsyncIterator, Iterator

import pytest
import structlog

from cli.program import Agent, serving_agent


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    """Serve an agent that answers well."""
    async with serving_agent() as agent:
        yield agent


@pytest.fixture
def logging_restored() -> Iterator[None]:
    """Undo what a command does to logging, for the tests after it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
