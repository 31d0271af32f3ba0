"""A question where nobody can answer."""

import asyncio

from pathlib import Path

from cli.calling import write
from cli.program import ANSWERPROBE, Done, end


async def closed(*args: str | Path, cwd: Path) -> Done:
    """Return what `answerprobe` with *args* says, started without standard input."""
    process = await asyncio.create_subprocess_exec(
        "sh",
        *("-c", 'exec "$@" <&-', "sh", ANSWERPROBE),
        *map(str, args),
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    return await end(process)


class TestQuestion:
    async def test_a_closed_standard_input_means_no(self, tmp_path: Path) -> None:
        """Also one that is not there at all."""
        change = "--set=endpoint=http://127.0.0.1:1/"
        done = await closed("compare", write(tmp_path), change, cwd=tmp_path)

        assert done.status == 2
        assert done.stderr.endswith("nothing was asked\n")
