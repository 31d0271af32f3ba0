"""The lock's file: read whole, and changed in one step, by one process at a time."""

from collections.abc import Callable
from pathlib import Path

from answerprobe.errors import ConfigError, LockError, Problem
from answerprobe.lock._lock import Lock
from answerprobe.lock._text import parse, write
from answerprobe.wholefile import alone, replace


LOCK_NAME = "answerprobe.lock"
_MOST_BYTES = 32 * 1024 * 1024


def lock_of(config_file: Path) -> Path:
    """Return where the lock of *config_file* is, if there is one: beside it."""
    return config_file.parent / LOCK_NAME


def read(path: Path) -> Lock | None:
    """
    Return the lock in the file at *path*; None where there is no such file.

    Raises:
        ConfigError: it cannot be read, or is not what was written.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError as exc:
        if path.is_symlink():
            # That every case counts must not follow from a broken link.
            raise _unreadable(path, "it is a link to nothing") from exc
        return None
    except OSError as exc:
        raise _unreadable(path, (exc.strerror or "it is no file").lower()) from exc
    if len(content) > _MOST_BYTES:
        raise _unreadable(path, f"it is larger than {_MOST_BYTES // 1024**2} MiB")
    try:
        text = content.decode()
    except UnicodeDecodeError as exc:
        raise _unreadable(path, "it is no UTF-8 text") from exc
    return parse(text.replace("\r\n", "\n"), str(path))


def _unreadable(path: Path, fault: str) -> ConfigError:
    """Return that the file at *path* cannot be read."""
    message = f"cannot be read: {fault}"
    problem = Problem(file=str(path), line=1, column=1, path="", message=message)
    return ConfigError((problem,))


def change(path: Path, edit: Callable[[Lock | None], Lock]) -> Lock:
    """
    Write what *edit* makes of the lock at *path*, and return it.

    Whoever reads the file finds it as it was or as it is then, nothing in between; who
    else changes it meanwhile waits. What does not change is not written.

    Raises:
        ConfigError: the file is damaged; it stays as it is.
        LockError: *edit* refuses, or the file cannot be written.
    """
    # A link stays one: what it points to is changed.
    path = path.resolve()
    try:
        with alone(path.parent):
            before = read(path)
            after = edit(before)
            if after != before:
                replace(path, write(after).encode())
    except OSError as exc:
        message = f"{path} cannot be written: {(exc.strerror or str(exc)).lower()}"
        raise LockError(message) from exc
    return after
