"""The lines of a file or pipe, for the event loop."""

import asyncio
import threading

from collections.abc import AsyncIterator
from typing import BinaryIO

from answerprobe.errors import RecordedError


# Lines that are read and not yet asked for.
_AHEAD = 16


async def lines_of(stream: BinaryIO, most_bytes: int) -> AsyncIterator[bytes]:
    """
    Yield the lines of *stream*, of a longer one the first *most_bytes* + 1.

    They are read in a thread: a pipe may keep us waiting while others wait for us.

    Raises:
        RecordedError: it cannot be read.
    """
    loop = asyncio.get_running_loop()
    came: asyncio.Queue[bytes | OSError] = asyncio.Queue()
    room = threading.Semaphore(_AHEAD)

    def read() -> None:
        """Read until the file ends, or until that fails."""
        line: bytes | OSError = b"\n"
        while line and isinstance(line, bytes):
            room.acquire()
            try:
                line = stream.readline(most_bytes + 1)
            except OSError as exc:
                line = exc
            except ValueError:  # the file is closed: a line before was bad
                line = b""
            try:
                loop.call_soon_threadsafe(came.put_nowait, line)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    # A daemon: a pipe that never ends does not keep the program from ending.
    threading.Thread(target=read, name="lines", daemon=True).start()
    while line := await came.get():
        if isinstance(line, OSError):
            raise RecordedError(f"cannot be read: {line.strerror}") from line
        room.release()
        yield line
