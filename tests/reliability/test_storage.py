"""The store fails while the daemon runs: probing and exporting go on."""

import asyncio
import os
import shutil
import sqlite3
import subprocess

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from answerprobe.evidence._database import SqliteDatabase, _outside_transaction
from cli.program import Agent, answerprobe
from daemon.watching import Watching, watching
from evidence.writing import contents, overwrite


_UP = "answerprobe_storage_up"
_ERRORS = "answerprobe_storage_errors_total"


async def _pragma(world: Watching, statement: str) -> None:
    """Carry out *statement* on the daemon's own connection that writes."""
    database = world.daemon._parts.books.store._database
    assert isinstance(database, SqliteDatabase)
    await database._run(
        database._writer,
        _outside_transaction,
        database._engine,
        lambda found: found.exec_driver_sql(statement).close(),
    )


@asynccontextmanager
async def _locked(world: Watching, folder: Path) -> AsyncIterator[None]:
    """Hold the file, as another program might."""
    del world
    other = sqlite3.connect(folder / "kept.db", isolation_level=None, timeout=5.0)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@asynccontextmanager
async def _full(world: Watching, folder: Path) -> AsyncIterator[None]:
    """Let the file have no more pages than it has: to SQLite a disk that is full."""
    del folder
    await _pragma(world, "PRAGMA max_page_count = 1")
    try:
        yield
    finally:
        await _pragma(world, "PRAGMA max_page_count = 1000000")


@asynccontextmanager
async def _read_only(world: Watching, folder: Path) -> AsyncIterator[None]:
    """Let nothing be written, as in a file system that was mounted anew."""
    del folder
    await _pragma(world, "PRAGMA query_only = 1")
    try:
        yield
    finally:
        await _pragma(world, "PRAGMA query_only = 0")


Trouble = Callable[[Watching, Path], AbstractAsyncContextManager[None]]


async def _until(world: Watching, name: str, value: float) -> None:
    """Wait until the metric *name* has *value*."""
    async with asyncio.timeout(30):
        while await world.metric(name) != value:  # noqa: ASYNC110  no event of ours
            await asyncio.sleep(0.05)


async def _runs_until_down(world: Watching) -> int:
    """Run until the store is seen to fail; return how many runs that took."""
    for count in range(1, 400):
        await world.run("shop")
        if await world.metric(_UP) == 0:
            return count
    raise AssertionError("the store never failed")


class TestWhileItRuns:
    """Nothing stops, nothing is lost, and it is told."""

    @pytest.mark.parametrize(
        "trouble",
        [
            pytest.param(_locked, id="locked"),
            pytest.param(_full, id="full"),
            pytest.param(_read_only, id="read-only"),
        ],
    )
    async def test_runs_go_on_and_are_written_later(
        self, agent: Agent, tmp_path: Path, trouble: Trouble
    ) -> None:
        """Status counts each of them once; two metrics tell, no internal error does."""
        agent.answers = {"refund?": "Sixty. " + "x" * 1500}
        config = agent.config(tmp_path, agent.monitor(confirm=0))
        async with watching(config) as world:
            await world.run("shop")
            async with trouble(world, tmp_path):
                count = await _runs_until_down(world)
                await world.run("shop")
                assert await world.metric(_ERRORS) != 0
                assert await world.metric("answerprobe_up") == 1
                assert await world.status("/-/healthy") == 200
            await _until(world, _UP, 1)
            page = await world.get("/v1/runs?limit=500")
            below = await world.metric("answerprobe_consecutive_runs_below_target")
            internal = await world.metric("answerprobe_internal_errors_total")

        runs = page["runs"]
        assert isinstance(runs, list)
        assert [run["state"] for run in runs] == ["completed"] * (count + 2)
        assert (below, internal) == (count + 2, 0)

    async def test_damage_ends_nothing(self, agent: Agent, tmp_path: Path) -> None:
        """The file breaks in use: it is told, kept, and runs go on."""
        config = agent.config(tmp_path)
        async with watching(config) as world:
            for _ in range(5):
                await world.run("shop")
            await world.daemon._parts.books.store._database.tidy()
            overwrite(tmp_path / "kept.db", b"\xff" * 200_000)
            await _pragma(world, "PRAGMA shrink_memory")
            await _runs_until_down(world)
            await world.run("shop")

            assert await world.metric("answerprobe_up") == 1
            assert await world.metric("answerprobe_internal_errors_total") == 0
            assert await world.status("/-/healthy") == 200

        assert contents(tmp_path / "kept.db").startswith(b"\xff")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of a few megabytes; skipped where one may not."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root can mount a small tmpfs")
    command = [mount, "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)  # noqa: S603, S607


@contextmanager
def _plugged(folder: Path) -> Iterator[None]:
    """Take every free byte of *folder*."""
    plug = folder / "plug"
    with plug.open("wb", buffering=0) as out:
        for size in (65536, 4096, 512, 1):
            try:
                while out.write(b"\1" * size) == size:
                    pass
            except OSError:
                continue
    yield
    plug.unlink()


class TestFullDisk:
    """A real disk without a byte left."""

    async def test_runs_go_on_and_are_written_once_there_is_room(
        self, agent: Agent, small_disk: Path
    ) -> None:
        """Journal, database and temporary files alike have no room."""
        agent.answers = {"refund?": "30 days " + "x" * 1900}
        config = agent.config(small_disk, agent.monitor(samples=10))
        async with watching(config) as world:
            await world.run("shop")
            with _plugged(small_disk):
                count = await _runs_until_down(world)
                await world.run("shop")
                assert await world.metric("answerprobe_up") == 1
            await _until(world, _UP, 1)
            page = await world.get("/v1/runs?limit=500")

        runs = page["runs"]
        assert isinstance(runs, list)
        assert [run["state"] for run in runs] == ["completed"] * (count + 2)


class TestDamagedAtStart:
    """What is no database any more is named and never touched."""

    async def test_it_is_one_line_that_names_the_file(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """The exit status is not 0, and no byte changes."""
        config = agent.config(tmp_path)
        file = tmp_path / "kept.db"
        overwrite(file, b"a shopping list: milk, " * 900)
        before = contents(file)

        done = await answerprobe(
            "serve",
            f"--config.file={config}",
            "--web.listen-address=127.0.0.1:0",
            f"--storage.url=sqlite:///{file}",
            cwd=tmp_path,
        )

        assert done.status != 0
        (line,) = done.stderr.strip().splitlines()
        assert "kept.db" in line
        assert contents(file) == before
