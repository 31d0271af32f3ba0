"""A file written as a whole or not at all."""

import contextlib
import os
import tempfile

from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """
    Put *content* in place of what is at *path*, if anything is, in one step.

    What is there keeps its mode and owner, and a link stays a link to its file.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    target = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            _keep(file.fileno(), target)
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _keep(handle: int, target: Path) -> None:
    """Give the file of *handle* the mode and owner of *target*, or those of a new."""
    try:
        known = target.stat()
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.fchmod(handle, 0o666 & ~mask)
        return
    os.fchmod(handle, known.st_mode & 0o7777)
    # Whoever may write a file may not always give it away.
    with contextlib.suppress(PermissionError):
        os.fchown(handle, known.st_uid, known.st_gid)
