"""A PostgreSQL server of the tests' own, where one is installed."""

import os
import shutil
import socket
import subprocess
import tempfile

from collections.abc import Iterator
from pathlib import Path

import pytest


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

    def make(self) -> None:
        """Make it and start it."""
        data = str(self._folder / "data")
        self._run(
            "initdb",
            *("-D", data, "-U", "postgres", "-A", "trust"),
            *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
        )
        self.start()

    def start(self) -> None:
        """Start it, on the port that it has."""
        data = str(self._folder / "data")
        options = (
            f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self._folder}"
            " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        )
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """End it at once, as if it had crashed; `fast`: it loses nothing."""
        data = str(self._folder / "data")
        self._run("pg_ctl", "-D", data, "-m", mode, "-w", "stop")

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
        server.make()
        yield server
        server.stop()
