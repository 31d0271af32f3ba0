"""Where a store is: what a storage URL means."""

import os

from pathlib import Path

import sqlalchemy as sa

from answerprobe.errors import StoreError


def parse(url: str) -> sa.URL:
    """Return *url* taken apart; StoreError where it is none of ours."""
    hint = "write sqlite:///answerprobe.db or postgresql://user:password@host/database"
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError as exc:
        raise StoreError(f"the storage URL is no URL; {hint}") from exc
    if parsed.drivername not in ("sqlite", "postgresql", "postgres"):
        message = f"the storage URL starts with {parsed.drivername!r}; {hint}"
        raise StoreError(message)
    return parsed


def path_of(url: sa.URL, *, create: bool) -> Path:
    """
    Return the file that *url* names.

    Raises:
        StoreError: it can be none, or is not there and not to be created.
    """
    if url.host or not url.database or url.database == ":memory:":
        raise StoreError(
            "the storage URL names no file; write sqlite:///answerprobe.db"
        )
    # One file has one lock, by whatever way it is named.
    path = Path(os.path.realpath(url.database))
    if not path.parent.is_dir():
        raise StoreError(
            f"the folder {path.parent} of the store {path.name} is missing"
        )
    if path.is_dir():
        raise StoreError(f"{path} is a folder; the store is a file")
    if not create and not path.exists():
        raise StoreError(f"there is no store at {path}")
    return path
