"""A file written as a whole or not at all, by one process at a time."""

import contextlib
import fcntl
import os

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """
    Put *content* in place of what is at *path*, if anything is, in one step.

    What is there keeps its mode and owner, and a link stays a link to its file.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    target = Path(os.path.realpath(path))
    with alone(target.parent):
        replace(target, content)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep others that write in *folder* waiting; nothing is left there."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace(path: Path, content: bytes) -> None:
    """
    Put *content* in place of the file at *path*, in one step that lasts.

    The caller is `alone` in its folder.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    # One process at a time writes it: what a crash left of it is written over.
    beside = path.with_name(f".{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(beside, flags, 0o666), "wb") as file:
            _keep(file.fileno(), path)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _keep(handle: int, path: Path) -> None:
    """Give the file of *handle* the mode and owner of what is at *path*."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return
    # Whoever may write a file may not always give it away.
    with contextlib.suppress(PermissionError):
        os.fchown(handle, known.st_uid, known.st_gid)
    # Afterwards: another owner takes some of it away.
    os.fchmod(handle, known.st_mode & 0o7777)
