"""One daemon a file: a lock that the system lets go of when its process ends."""

import fcntl
import os

from pathlib import Path

from answerprobe.errors import StoreError, StoreInUse


class FileLock:
    """
    The right to be the one daemon on a file, held until `release`.

    It is a file of its own beside the other: to open and close the database itself
    would drop the locks that SQLite has on it in this process (POSIX, fcntl(2)).
    """

    def __init__(self, path: Path) -> None:
        """
        Take the lock on *path*.

        Raises:
            StoreInUse: somebody has it.
            StoreError: the lock cannot be written.
        """
        beside = path.with_name(path.name + ".lock")
        try:
            self._descriptor = os.open(
                beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644
            )
        except OSError as exc:
            raise StoreError(f"{beside} cannot be written: {exc.strerror}") from exc
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(self._descriptor)
            message = f"another daemon is already using {path}: a file serves one"
            raise StoreInUse(message) from exc

    def release(self) -> None:
        """Let go of it. The file stays: to delete it would let two have it."""
        os.close(self._descriptor)
