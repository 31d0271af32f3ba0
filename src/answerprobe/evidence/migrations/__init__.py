"""
Migrations of the evidence store, for Alembic.

A new store is made from the tables as they are now and marked as up to date; a test
sees to it that all migrations together make the same. So only a store of an older
version needs Alembic, which is slow to load.
"""

from pathlib import Path

import sqlalchemy as sa

from answerprobe.errors import StoreError
from answerprobe.evidence._schema import (
    HEAD,
    RUN_COUNTER,
    counters,
    metadata,
    version,
)


# Any number will do that nobody else uses: "answerpr" in ASCII.
_ADVISORY_LOCK = 0x616E737765727072
OLDER = frozenset({"0001", "0002", "0003"})


def refuse_foreign(connection: sa.Connection, place: str) -> None:
    """
    Look at what is at *place* and change nothing.

    Raises:
        StoreError: it is another program's. A server's database may be shared, as long
            as no table has a name of ours.
    """
    tables = set(sa.inspect(connection).get_table_names())
    if connection.dialect.name != "sqlite":
        tables &= set(metadata.tables)
    if tables and version.name not in tables:
        message = f"{place} is another program's database: it has tables, none of them"
        raise StoreError(f"{message} {version.name}")


def prepare(connection: sa.Connection, place: str, *, create: bool = True) -> None:
    """
    Make the store at *place* what this version needs, in the caller's transaction.

    Raises:
        StoreError: it is a newer version's, or not there and not to be created.
    """
    if connection.dialect.name == "postgresql":
        # Two replicas that start at once: the second one finds it done.
        lock = sa.select(sa.func.pg_advisory_xact_lock(_ADVISORY_LOCK))
        connection.execute(lock)
    if sa.inspect(connection).has_table(version.name):
        _bring_up_to_date(connection, place)
    elif not create:
        raise StoreError(f"{place} is no evidence store: it is empty")
    else:
        metadata.create_all(connection, checkfirst=False)
        connection.execute(sa.insert(counters), {"name": RUN_COUNTER, "value": 0})
        connection.execute(sa.insert(version), {"version_num": HEAD})


def _bring_up_to_date(connection: sa.Connection, place: str) -> None:
    """Run the migrations that the store at *place* lacks."""
    found = connection.execute(sa.select(version.c.version_num)).scalar_one_or_none()
    if found == HEAD:
        return
    if found is not None and found not in OLDER:
        message = f"{place} was written by a newer version of answerprobe (schema"
        raise StoreError(f"{message} {found}, this one knows {HEAD})")
    upgrade(connection)


def upgrade(connection: sa.Connection) -> None:
    """Run all migrations that have not been run, in the caller's transaction."""
    from alembic import command  # noqa: PLC0415  loads for 0.2 s, needed once a version
    from alembic.config import Config  # noqa: PLC0415  as above

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
