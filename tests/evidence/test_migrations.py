"""Migrations and the tables as they are now say the same."""

import sqlite3
import subprocess
import sys

from pathlib import Path

import sqlalchemy as sa

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from answerprobe.evidence import Store, migrations
from answerprobe.evidence._database import PostgresDatabase
from answerprobe.evidence._location import parse
from answerprobe.evidence._schema import HEAD, metadata, version
from evidence.writing import Clock, write_run
from postgresql import PostgresServer


def differences(connection: sa.Connection) -> list[object]:
    """Return what all migrations together make otherwise than the tables say."""
    migrations.upgrade(connection)
    options = {"version_table": version.name, "compare_type": True}
    context = MigrationContext.configure(connection, opts=options)
    found: list[object] = compare_metadata(context, metadata)
    # Alembic hides its own table, which we list with the others, and is not told of
    # indexes of some rows, which are statements of their own.
    unseen = (
        "answerprobe_schema",
        "monitors_claimed",
        "runs_unfinished",
        "samples_with_texts",
    )
    return [item for item in found if not any(name in repr(item) for name in unseen)]


def layout(connection: sqlite3.Connection) -> dict[str, list[object]]:
    """Return the columns and indexes of every table but the schema's version."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> ?",
        (version.name,),
    ).fetchall()
    return {
        name: [
            sorted(row[1:] for row in connection.execute(f"PRAGMA {what}({name})"))
            for what in ("table_info", "index_list", "foreign_key_list")
        ]
        for (name,) in names
    }


class TestMigrations:
    """From nothing to the newest version, step by step or at once."""

    def test_the_head_is_the_newest_migration(self) -> None:
        """Else a new store would be marked as something that it isn't."""
        folder = Path(migrations.__file__).parent
        scripts = ScriptDirectory(str(folder))

        known = {script.revision for script in scripts.walk_revisions()}
        assert scripts.get_current_head() == HEAD
        assert known - {HEAD} == migrations.OLDER

    def test_sqlite_ends_up_with_the_tables_as_they_are(self, file: Path) -> None:
        """Whichever way they were made."""
        engine = sa.create_engine(f"sqlite:///{file}")
        with engine.begin() as connection:
            assert differences(connection) == []
        engine.dispose()

    async def test_a_new_store_is_laid_out_like_a_migrated_one(
        self, file: Path, clock: Clock
    ) -> None:
        """Columns, keys and indexes."""
        store = await Store.open(f"sqlite:///{file}", exclusive=True, clock=clock)
        await store.close()
        migrated = file.with_name("migrated.db")
        engine = sa.create_engine(f"sqlite:///{migrated}")
        with engine.begin() as connection:
            migrations.upgrade(connection)
        engine.dispose()

        with sqlite3.connect(file) as new, sqlite3.connect(migrated) as old:
            assert layout(new) == layout(old)
        new.close()
        old.close()

    async def test_postgresql_ends_up_with_the_tables_as_they_are(
        self, postgres: PostgresServer
    ) -> None:
        """Its types are its own."""
        database = PostgresDatabase(parse(postgres.new_database()))

        assert await database.write(differences) == []
        await database.close()

    async def test_a_store_of_before_is_brought_up_to_date(
        self, url: str, clock: Clock
    ) -> None:
        """Here one in which no migration has run yet."""
        columns = "version_num VARCHAR(32) NOT NULL PRIMARY KEY"
        create = sa.text(f"CREATE TABLE {version.name} ({columns})")
        await _execute(url, create)

        for expected in (1, 2):
            store = await Store.open(url, exclusive=True, clock=clock)
            assert (await write_run(store)).id == expected
            await store.close()

    def test_a_store_that_is_up_to_date_does_not_load_alembic(
        self, tmp_path: Path
    ) -> None:
        """It takes a fifth of a second, at every start."""
        program = (
            "import asyncio, sys\n"
            "from datetime import UTC, datetime\n"
            "from answerprobe.evidence import Store\n"
            "async def main():\n"
            "    for _ in range(2):\n"
            "        store = await Store.open(sys.argv[1], exclusive=True,"
            " clock=lambda: datetime.now(UTC))\n"
            "        await store.close()\n"
            "asyncio.run(main())\n"
            "print({'alembic', 'sqlalchemy.orm'} & set(sys.modules))\n"
        )

        done = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-c", program, f"sqlite:///{tmp_path}/evidence.db"],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )

        assert done.stdout == "set()\n"


async def _execute(url: str, statement: sa.TextClause) -> None:
    """Carry out *statement* in the database at *url*."""
    parsed = parse(url)
    if parsed.get_backend_name() == "sqlite":
        engine = sa.create_engine(parsed)
        with engine.begin() as connection:
            connection.execute(statement)
        engine.dispose()
        return
    database = PostgresDatabase(parsed)
    await database.write(lambda connection: connection.execute(statement))
    await database.close()
