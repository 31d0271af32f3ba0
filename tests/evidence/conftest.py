"""Real stores: a file of SQLite, and a PostgreSQL server where there is one."""

import os
import shutil
import socket
import subprocess
import tempfile

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from answerprobe.evidence import Store
from evidence.writing import Clock


class PostgresServer:
    """A server of our own on a port of loopback; it keeps nothing."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self._folder = folder
        # The server refuses to run as root.
        self._as_postgres: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            self._as_postgres = [
                "setpriv",
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
            ]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._databases = 0

    def start(self) -> None:
        """Make it and start it."""
        data = str(self._folder / "data")
        self._run(
            "initdb",
            *("-D", data, "-U", "postgres", "-A", "trust"),
            *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
        )
        options = (
            f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self._folder}"
            " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        )
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """End it."""
        data = str(self._folder / "data")
        self._run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        self._databases += 1
        name = f"store{self._databases}"
        server = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres")
        self._run("createdb", *server, name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs."""
        subprocess.run(  # noqa: S603  programs of PostgreSQL's own folder
            [*self._as_postgres, str(self._binaries / program), *arguments],
            cwd=self._folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=60,
        )


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for all tests."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    # Not below pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = PostgresServer(found[-1].parent, Path(folder))
        server.start()
        yield server
        server.stop()


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
