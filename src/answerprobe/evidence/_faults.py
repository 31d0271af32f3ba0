"""What a database's complaints mean to us. Its own texts may quote rows: they stay."""

import sqlite3

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from answerprobe.errors import StoreDamaged, StoreError, StoreUnavailable


# https://www.sqlite.org/rescode.html, the primary ones
_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "it is locked by another process",
    sqlite3.SQLITE_LOCKED: "it is locked",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "it cannot be read or written",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "access to it is denied",
    sqlite3.SQLITE_AUTH: "access to it is denied",
    sqlite3.SQLITE_PROTOCOL: "it is locked",
    sqlite3.SQLITE_NOMEM: "memory is short",
    sqlite3.SQLITE_INTERRUPT: "it was interrupted",
}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_PRIMARY = 0xFF
# https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exception,
# transaction rollback, insufficient resources, operator intervention, system error;
# 25006 read-only (a standby), 28 and 3D not let in or no such database.
_PASSING_CLASSES = ("08", "40", "53", "57", "58", "28", "3D")
_READ_ONLY = "25006"
_IDLE_TOO_LONG = "25P03"
# Two transactions in each other's way: the same again is likely to work.
_CONFLICTS = frozenset({"40001", "40P01"})


@contextmanager
def ours(place: str) -> Iterator[None]:
    """
    Turn what a database at *place* raises into our errors.

    Raises:
        StoreUnavailable: it may work again later.
        StoreDamaged: it is no usable database.
        StoreError: it refused what was asked, which is a fault of ours.
    """
    try:
        yield
    except sa.exc.DBAPIError as exc:
        raise _error(exc, place) from exc
    except sa.exc.TimeoutError as exc:
        raise StoreUnavailable(f"{place}: no connection is free") from exc
    except TimeoutError as exc:
        raise StoreUnavailable(f"{place}: no answer in time") from exc
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        raise StoreUnavailable(f"{place}: {reason}") from exc


def is_conflict(error: StoreError) -> bool:
    """Whether only another transaction was in the way."""
    state = getattr(getattr(error.__cause__, "orig", None), "sqlstate", None)
    return state in _CONFLICTS


def _error(exc: sa.exc.DBAPIError, place: str) -> StoreError:
    """Return our error for *exc*."""
    if isinstance(exc.orig, sqlite3.Error):
        return _sqlite_error(exc.orig, place)
    state = getattr(exc.orig, "sqlstate", None)
    if (
        exc.connection_invalidated
        or isinstance(exc, sa.exc.InterfaceError)
        or (isinstance(state, str) and state.startswith(_PASSING_CLASSES))
        or state in (_READ_ONLY, _IDLE_TOO_LONG)
    ):
        return StoreUnavailable(f"{place}: connection lost or refused ({state})")
    return StoreError(f"{place} refused a statement ({state})")


def _sqlite_error(exc: sqlite3.Error, place: str) -> StoreError:
    """Return our error for SQLite's *exc*."""
    code: object = getattr(exc, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return StoreError(f"{place} refused a statement ({type(exc).__name__})")
    primary = code & _PRIMARY
    if primary in _DAMAGED:
        return StoreDamaged(f"{place} is damaged or no SQLite database")
    if primary in _UNAVAILABLE:
        return StoreUnavailable(f"{place}: {_UNAVAILABLE[primary]}")
    return StoreError(f"{place} refused a statement ({exc.sqlite_errorname})")
