"""A cluster and its agent, for each test a new database."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from postgresql import PostgresServer
from replicas.cluster import Agent, Cluster


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    """Run an agent."""
    async with Agent().serving() as serving:
        yield serving


@pytest.fixture
async def cluster(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[Cluster]:
    """Return a cluster of no replicas yet, and kill those that there are at the end."""
    timeout = aiohttp.ClientTimeout(total=20)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        made = Cluster(folder=tmp_path, url=postgres.new_database(), session=session)
        yield made
        await made.close()
