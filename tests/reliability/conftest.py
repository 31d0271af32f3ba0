"""What tests of reliability share."""

from collections.abc import AsyncIterator

import pytest

from cli.program import Agent, serving_agent


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    """Serve an agent that answers well."""
    async with serving_agent() as agent:
        yield agent
