"""Real stores: a file of SQLite, and a PostgreSQL server where there is one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from answerprobe.evidence import Store
from evidence.writing import Clock
from postgresql import PostgresServer


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands until it is moved."""
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where a test's SQLite file is, once there is one."""
    return tmp_path / "evidence.db"


@pytest.fixture(
    params=[
        pytest.param("sqlite", id="sqlite"),
        pytest.param("postgresql", id="postgresql"),
    ]
)
def url(request: pytest.FixtureRequest, file: Path) -> str:
    """Return the URL of a new store of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{file}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
async def store(url: str, clock: Clock) -> AsyncIterator[Store]:
    """Open a new store of each kind."""
    opened = await Store.open(url, exclusive=True, clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
async def file_store(file: Path, clock: Clock) -> AsyncIterator[Store]:
    """Open a new store in a file, which waits for nobody."""
    opened = await Store.open(
        f"sqlite:///{file}", exclusive=True, clock=clock, patience_seconds=0.0
    )
    yield opened
    await opened.close()
