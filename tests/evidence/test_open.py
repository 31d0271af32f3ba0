"""A store is opened, or it is said in one line why not."""

import os
import sqlite3
import tempfile

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from answerprobe.errors import (
    StoreDamaged,
    StoreError,
    StoreInUse,
    StoreUnavailable,
)
from answerprobe.evidence import Store
from builders import NOW
from evidence.writing import Clock, contents, names, overwrite, sample, write_run
from postgresql import PostgresServer


NOBODY = 65534


async def opened(file: Path, *, exclusive: bool = True, create: bool = True) -> Store:
    """Open the store in *file*, waiting for nobody."""
    return await Store.open(
        f"sqlite:///{file}",
        exclusive=exclusive,
        create=create,
        clock=Clock(),
        patience_seconds=0.0,
    )


class TestOpen:
    """Stores that can be opened."""

    async def test_a_store_that_is_not_there_is_made(
        self, file: Path, tmp_path: Path
    ) -> None:
        """And found again, with what was written."""
        store = await opened(file)
        run = await write_run(store)
        await store.close()

        again = await opened(file)

        assert await again.run(run.id) == run
        await again.close()
        assert names(tmp_path) == {"evidence.db", "evidence.db.lock"}

    async def test_a_store_can_be_reopened_at_any_url(
        self, url: str, clock: Clock
    ) -> None:
        """The tables are made once."""
        for expected in (1, 2, 3):
            store = await Store.open(url, exclusive=True, clock=clock)
            assert (await write_run(store)).id == expected
            await store.close()

    async def test_commands_share_the_file_with_a_daemon(self, file: Path) -> None:
        """Both write."""
        daemon = await opened(file)
        command = await opened(file, exclusive=False)

        first, second = await write_run(command), await write_run(daemon)

        assert (first.id, second.id) == (1, 2)
        assert await daemon.run(1) == first
        await command.close()
        await daemon.close()

    async def test_its_size_is_that_of_its_files(self, store: Store) -> None:
        """More is more."""
        before = await store.size_bytes()

        await write_run(store, [sample(answer="x" * 2000) for _ in range(500)])

        assert await store.size_bytes() > before


class TestRefused:
    """Stores that cannot be opened: the message names the culprit."""

    async def test_a_second_daemon_is_refused(self, file: Path) -> None:
        """By whatever name it calls the file; the first goes on."""
        first = await opened(file)
        link = file.with_name("link.db")
        link.symlink_to(file)

        with pytest.raises(StoreInUse, match=r"evidence\.db"):
            await opened(link)

        await write_run(first)
        await first.close()
        await (await opened(file)).close()

    async def test_a_missing_folder_is_not_made(self, tmp_path: Path) -> None:
        """It is more likely to be misspelt, or not mounted."""
        with pytest.raises(StoreError, match="no/such/folder"):
            await opened(tmp_path / "no/such/folder/x.db")

        assert names(tmp_path) == set()

    async def test_a_missing_store_is_not_made_when_unwanted(
        self, file: Path, tmp_path: Path
    ) -> None:
        """To forget something there needs no new store."""
        with pytest.raises(StoreError, match=r"no store at .*evidence\.db"):
            await opened(file, exclusive=False, create=False)

        assert names(tmp_path) == set()

    async def test_a_folder_is_no_store(self, tmp_path: Path) -> None:
        """SQLite would only say that it cannot be opened."""
        with pytest.raises(StoreError, match="is a folder"):
            await opened(tmp_path)

    async def test_another_programs_database_is_left_alone(self, file: Path) -> None:
        """Not a byte of it changes."""
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE bookmarks (id INTEGER)")
        connection.close()
        before = contents(file)

        with pytest.raises(StoreError, match="another program"):
            await opened(file)

        assert contents(file) == before

    async def test_a_newer_store_is_not_touched(self, file: Path) -> None:
        """What it has more would be lost."""
        await (await opened(file)).close()
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE answerprobe_schema SET version_num = '9999'")
        connection.close()

        with pytest.raises(StoreError, match="newer version of answerprobe"):
            await opened(file)

    async def test_a_locked_file_may_be_free_later(self, file: Path) -> None:
        """The program can wait and try again."""
        await (await opened(file)).close()
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")

        with pytest.raises(StoreUnavailable, match="locked"):
            await opened(file)

        other.close()
        await (await opened(file)).close()

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            pytest.param("evidence.db", "is no URL", id="a file name"),
            pytest.param("mysql://host/db", "starts with 'mysql'", id="MySQL"),
            pytest.param("sqlite://", "names no file", id="memory"),
            pytest.param("sqlite:///:memory:", "names no file", id="memory, written"),
            pytest.param("sqlite://evidence.db", "names no file", id="two slashes"),
        ],
    )
    async def test_a_url_of_another_kind_is_explained(
        self, url: str, message: str
    ) -> None:
        """With what could be written instead."""
        with pytest.raises(StoreError, match=rf"{message}.*; write sqlite:///"):
            await Store.open(url, exclusive=True, clock=Clock())

    async def test_a_server_that_is_not_there_is_named_without_password(self) -> None:
        """It may come; the password is nobody's business."""
        url = "postgresql://probe:hunter22@127.0.0.1:9/evidence"

        with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:9") as caught:
            await Store.open(url, exclusive=True, clock=Clock())

        assert "hunter22" not in str(caught.value)

    async def test_a_database_that_is_not_there_is_a_clear_error(
        self, postgres: PostgresServer
    ) -> None:
        """PostgreSQL's code says which."""
        url = f"postgresql://postgres@127.0.0.1:{postgres.port}/nowhere?sslmode=disable"

        with pytest.raises(StoreUnavailable, match=r"nowhere.*3D000"):
            await Store.open(url, exclusive=True, clock=Clock())


class TestDamaged:
    """Files that are no database any more: named, and kept for who can mend them."""

    @pytest.mark.parametrize(
        "damage",
        [
            pytest.param(lambda _: b"a shopping list: milk, " * 900, id="text"),
            pytest.param(lambda data: b"\xff" * 200 + data[200:], id="header"),
            pytest.param(
                lambda data: data[:4096] + os.urandom(len(data) - 4096), id="middle"
            ),
            pytest.param(lambda data: data[: len(data) // 2 - 100], id="truncated"),
        ],
    )
    async def test_damage_is_named_and_the_bytes_are_kept(
        self, file: Path, damage: Callable[[bytes], bytes]
    ) -> None:
        """Twice in a row, the second time no different."""
        store = await opened(file)
        await write_run(store, [sample(answer="30 days " * 200) for _ in range(20)])
        await store.close()
        broken = damage(contents(file))
        overwrite(file, broken)

        for _ in range(2):
            with pytest.raises(StoreDamaged, match=r"evidence\.db"):
                await opened(file)

        assert contents(file) == broken


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """Be a user with few rights, in a folder that is nobody's."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        os.seteuid(0)


class TestReadOnly:
    """What may be read and not written is refused at once, not at the first run."""

    async def test_a_file_that_cannot_be_written_is_refused(
        self, as_nobody: Path
    ) -> None:
        """The message names it."""
        file = as_nobody / "evidence.db"
        await (await opened(file)).close()
        for name in names(as_nobody):
            os.chmod(as_nobody / name, 0o444)  # noqa: PTH101  not in an async function
        os.seteuid(NOBODY)

        with pytest.raises(StoreError, match=r"evidence\.db"):
            await opened(file)
        with pytest.raises(StoreError, match=r"evidence\.db: it cannot be"):
            await opened(file, exclusive=False)

    async def test_a_folder_that_cannot_be_written_is_refused(
        self, as_nobody: Path
    ) -> None:
        """No file can be made in it."""
        os.seteuid(NOBODY)

        with pytest.raises(StoreError, match=r"evidence\.db.* cannot be written"):
            await opened(as_nobody / "evidence.db")
        with pytest.raises(StoreError, match="it cannot be opened"):
            await opened(as_nobody / "evidence.db", exclusive=False)


class TestClosed:
    """A store that was let go of."""

    async def test_what_is_asked_of_it_then_is_unavailable(self, file: Path) -> None:
        """Nothing hangs, nothing is a riddle."""
        store = await opened(file)
        await store.close()

        with pytest.raises(StoreUnavailable, match="closed"):
            await store.run(1)
        with pytest.raises(StoreUnavailable, match="closed"):
            await write_run(store, at=NOW)
