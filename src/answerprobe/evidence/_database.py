"""
A database: functions run in a transaction of it, and the event loop goes on.

Everything above works with SQLAlchemy's `Connection`. Only how such a function is run
differs: for SQLite in a thread, for PostgreSQL in a greenlet over asyncpg.
"""

import asyncio

from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar

import sqlalchemy as sa

from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import AsyncAdaptedQueuePool
from sqlalchemy.util import greenlet_spawn

from answerprobe.errors import StoreDamaged, StoreError, StoreUnavailable
from answerprobe.evidence import _faults


_T = TypeVar("_T")
Work = Callable[[sa.Connection], _T]
# Well below 10 s: a locked file has to show soon. SQLite waits this long for a lock.
PATIENCE_SECONDS = 2.0
_READERS = 2
_WAL_LIMIT_BYTES = 32 * 2**20
# A bigger file is not read whole at start; damage in it shows where it is met.
_CHECKED_WHOLE_BYTES = 64 * 2**20
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    # What is deleted is gone from the file too.
    "secure_delete=ON",
    f"journal_size_limit={_WAL_LIMIT_BYTES}",
)
_NO_TRANSACTION = "no_transaction"
_POSTGRES_CONNECTIONS = 8
_CONNECT_TIMEOUT_SECONDS = 5.0
_COMMAND_TIMEOUT_SECONDS = 10.0
_CONFLICTS_BORNE = 4
# A replica that is frozen, or cut off, in the middle of a transaction holds rows that
# others wait for: nobody leaves one alone for as long as this.
_SERVER_SETTINGS = {"idle_in_transaction_session_timeout": "3s"}


class Database(Protocol):
    """Where functions run in transactions."""

    async def write(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that may write; commit what it did."""
        ...

    async def read(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that sees one state."""
        ...

    async def size_bytes(self) -> int:
        """Return how much room it takes."""
        ...

    async def tidy(self) -> None:
        """Give back and wipe what is no longer needed, as far as that goes now."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...


class SqliteDatabase:
    """A file: one thread writes, others read, no one waits for the other."""

    def __init__(self, path: Path, *, patience_seconds: float) -> None:
        self._path = path
        self._file_number: int | None = None
        self._closed = False
        self._writer = ThreadPoolExecutor(1, "store-write")
        self._readers = ThreadPoolExecutor(_READERS, "store-read")
        self._engine = _sqlite_engine(
            path, patience_seconds, begin="BEGIN IMMEDIATE", pragmas=_PRAGMAS
        )
        # A reader changes nothing, the file's mode neither: it may be somebody else's.
        self._read_engine = _sqlite_engine(
            path, patience_seconds, begin="BEGIN", pragmas=()
        )

    async def write(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that may write; commit what it did."""
        return await self._run(self._writer, self._written, self._engine, work)

    def _written(self, engine: sa.Engine, place: str, work: Work[_T]) -> _T:
        """Run *work* in a transaction, if the file is still the one that was opened."""
        # In WAL mode SQLite would write into a file that nobody finds any more.
        if self._file_number not in (None, self._number_now()):
            raise StoreUnavailable(f"{place}: it was deleted or replaced while in use")
        found = _in_transaction(engine, place, work)
        if self._file_number is None:
            self._file_number = self._number_now()
        return found

    def _number_now(self) -> int | None:
        """Return the number of the file at the path, None where there is none."""
        try:
            return self._path.stat().st_ino
        except OSError:
            return None

    async def read(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that sees one state."""
        return await self._run(self._readers, _in_transaction, self._read_engine, work)

    async def _run(
        self,
        threads: ThreadPoolExecutor,
        how: Callable[[sa.Engine, str, Work[_T]], _T],
        engine: sa.Engine,
        work: Work[_T],
    ) -> _T:
        """Let *how* run *work* on *engine* in one of *threads*."""
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, how, engine, str(self._path), work)

    async def check(self) -> None:
        """
        Read a file that is there, whole if it is not too big, and change nothing.

        Raises:
            StoreDamaged: it is no sound database.
        """
        if self._path.exists():
            whole = self._path.stat().st_size <= _CHECKED_WHOLE_BYTES
            await self.read(self._check if whole else _schema_version)

    def _check(self, connection: sa.Connection) -> None:
        """Raise StoreDamaged if SQLite finds the file unsound."""
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            raise StoreDamaged(f"{self._path} is damaged: {found}")

    async def size_bytes(self) -> int:
        """Return how much room the file and its log take."""
        log = self._path.with_name(self._path.name + "-wal")
        return sum(p.stat().st_size for p in (self._path, log) if p.exists())

    async def tidy(self) -> None:
        """Write the log back into the file: nothing deleted stays in it."""
        await self._run(self._writer, _outside_transaction, self._engine, _checkpoint)

    async def close(self) -> None:
        """Let go of every connection; the last one to go writes the log back."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._readers, self._read_engine.dispose)
        await loop.run_in_executor(self._writer, self._engine.dispose)
        self._readers.shutdown(wait=False)
        self._writer.shutdown(wait=False)


class PostgresDatabase:
    """A server, spoken to by asyncpg in the event loop's own thread."""

    def __init__(self, url: sa.URL) -> None:
        url = _for_asyncpg(url)
        self.place = url.set(drivername="postgresql").render_as_string()
        try:
            self._engine = sa.create_engine(
                url,
                poolclass=AsyncAdaptedQueuePool,
                pool_size=_POSTGRES_CONNECTIONS,
                pool_timeout=_CONNECT_TIMEOUT_SECONDS,
                pool_pre_ping=True,
                hide_parameters=True,
                connect_args={
                    "timeout": _CONNECT_TIMEOUT_SECONDS,
                    "command_timeout": _COMMAND_TIMEOUT_SECONDS,
                    "server_settings": _SERVER_SETTINGS,
                },
            )
        except ModuleNotFoundError as exc:
            message = "PostgreSQL needs: pip install 'answerprobe[postgres]'"
            raise StoreError(message) from exc

    async def write(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that may write; commit what it did."""
        return await self._run(work)

    async def read(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction that sees one state."""
        return await self._run(work)

    async def _run(self, work: Work[_T]) -> _T:
        """Run *work* in a transaction."""
        # The very thing SQLAlchemy's AsyncConnection.run_sync does; its package would
        # load the whole ORM at start (0.2 s) for that one call.
        call: Awaitable[_T] = greenlet_spawn(_settled, self._engine, self.place, work)
        return await call

    async def size_bytes(self) -> int:
        """Return how much room the database takes."""
        return await self.read(_database_size)

    async def tidy(self) -> None:
        """Do nothing: PostgreSQL vacuums by itself."""

    async def close(self) -> None:
        """Let go of every connection."""
        await greenlet_spawn(self._engine.dispose)


def _for_asyncpg(url: sa.URL) -> sa.URL:
    """Return *url* for asyncpg, which calls libpq's `sslmode` `ssl`."""
    mode = url.query.get("sslmode")
    if mode is not None:
        url = url.difference_update_query(["sslmode"])
        url = url.update_query_dict({"ssl": mode})
    return url.set(drivername="postgresql+asyncpg")


def _in_transaction(engine: sa.Engine, place: str, work: Work[_T]) -> _T:
    """Run *work* in a transaction of its own."""
    with _faults.ours(place), engine.begin() as connection:
        return work(connection)


def _settled(engine: sa.Engine, place: str, work: Work[_T]) -> _T:
    """Run *work* in a transaction, again where another one was in its way."""
    for _ in range(_CONFLICTS_BORNE):
        try:
            return _in_transaction(engine, place, work)
        except StoreUnavailable as exc:
            if not _faults.is_conflict(exc):
                raise
    return _in_transaction(engine, place, work)


def _outside_transaction(engine: sa.Engine, place: str, work: Work[_T]) -> _T:
    """Run *work* where no transaction may be."""
    with (
        _faults.ours(place),
        engine.execution_options(**{_NO_TRANSACTION: True}).connect() as connection,
    ):
        return work(connection)


def _schema_version(connection: sa.Connection) -> None:
    """Read what has to be read to know that it is a database."""
    connection.exec_driver_sql("PRAGMA schema_version")


def _checkpoint(connection: sa.Connection) -> None:
    """Write the log back into the file and empty it."""
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _database_size(connection: sa.Connection) -> int:
    """Ask the server how much room the database takes."""
    query = sa.text("SELECT pg_database_size(current_database())")
    return int(connection.execute(query).scalar_one())


def _sqlite_engine(
    path: Path, patience_seconds: float, *, begin: str, pragmas: Sequence[str]
) -> sa.Engine:
    """Return an engine for the file at *path* whose transactions start with *begin*."""
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        connect_args={"timeout": patience_seconds, "check_same_thread": False},
        hide_parameters=True,
    )

    def set_up(raw: DBAPIConnection, _record: object) -> None:
        # Python's sqlite3 would begin by its own rules, and never IMMEDIATE: two
        # writers that both read first could then never wait for each other.
        raw.isolation_level = None
        cursor = raw.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def start(connection: sa.Connection) -> None:
        if not connection.get_execution_options().get(_NO_TRANSACTION):
            connection.exec_driver_sql(begin)

    sa.event.listen(engine, "connect", set_up)
    sa.event.listen(engine, "begin", start)
    return engine
