"""Lines of files and pipes."""

import asyncio
import io
import os

from typing import BinaryIO

import pytest

from answerprobe.cli._lines import lines_of
from answerprobe.errors import RecordedError


async def all_lines(stream: BinaryIO, most_bytes: int = 100) -> list[bytes]:
    """Return every line of *stream*."""
    return [line async for line in lines_of(stream, most_bytes)]


async def test_every_line_comes_in_order() -> None:
    """With its end; the last one may have none."""
    content = b"".join(b"%d\n" % number for number in range(500)) + b"end"

    lines = await all_lines(io.BytesIO(content))

    assert lines == content.splitlines(keepends=True)


async def test_of_a_long_line_only_the_beginning_is_held() -> None:
    """One byte more than is allowed tells that it is too long."""
    lines = await all_lines(io.BytesIO(b"x" * 1000), most_bytes=100)

    assert max(map(len, lines)) == 101


async def test_a_pipe_that_waits_keeps_nobody_else_waiting() -> None:
    """What came is there before the next line comes."""
    end_to_read, end_to_write = os.pipe()
    with (
        os.fdopen(end_to_read, "rb") as stream,
        os.fdopen(end_to_write, "wb") as writer,
    ):
        lines = lines_of(stream, 100)
        writer.write(b"one\n")
        writer.flush()

        assert await anext(lines) == b"one\n"

        upcoming = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0)
        assert not upcoming.done()
        writer.write(b"two\n")
        writer.flush()
        assert await upcoming == b"two\n"


async def test_what_cannot_be_read_is_told() -> None:
    """In one line, as what is wrong with a line is."""

    class Broken(io.BytesIO):
        def readline(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(RecordedError, match="cannot be read: Input/output error"):
        await all_lines(Broken())


async def test_a_file_that_is_closed_meanwhile_is_at_its_end() -> None:
    """Whoever gives up at a bad line closes it, and the next one is being read."""

    class Closed(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            line = super().readline(size)
            self.close()
            return line

    assert await all_lines(Closed(b"one\ntwo\n")) == [b"one\n"]


async def test_only_a_few_lines_are_read_ahead() -> None:
    """A file of any size takes no memory to speak of."""

    class Endless(io.BytesIO):
        asked = 0

        def readline(self, _size: int | None = -1, /) -> bytes:
            self.asked += 1
            return b"x\n"

    stream = Endless()
    lines = lines_of(stream, 100)
    for _ in range(10):
        await anext(lines)

    await asyncio.sleep(0.02)  # enough for thousands, if nothing held it back

    assert stream.asked <= 10 + 17
