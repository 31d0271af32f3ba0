"""kill -9 at any moment: what was finished stays, what was half is none."""

import os
import random
import subprocess
import sys

from pathlib import Path

import answerprobe

from answerprobe.evidence import RunQuery, Store
from answerprobe.run import RunState
from evidence import dying
from evidence.writing import MONTH, Clock, write_run


def kill_after(url: str, *arguments: str, lines: int) -> list[str]:
    """Let the dying program print *lines* lines, kill it, return all it printed."""
    tests = Path(dying.__file__).parents[1]
    source = Path(answerprobe.__file__).parents[1]
    with subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, dying.__file__, url, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{tests}:{source}"},
    ) as process:
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        printed += process.stdout.readlines()
    # The last line may have been cut in the middle.
    return [line.strip() for line in printed if line.endswith("\n")]


class TestKilled:
    """A process that dies, and the one that comes after it."""

    async def test_no_finished_run_is_lost_and_none_counts_twice(
        self, file: Path, clock: Clock
    ) -> None:
        """Over several lives; the ledger agrees with the runs."""
        url = f"sqlite:///{file}"
        rng = random.Random(7)  # noqa: S311
        finished: set[int] = set()
        for _ in range(3):
            printed = kill_after(url, lines=rng.randint(1, 60))
            finished |= {int(line) for line in printed}

        store = await Store.open(url, exclusive=True, clock=clock)
        await store.interrupt_unfinished()

        found = {run.id: run for run in (await store.runs(RunQuery(limit=9999))).runs}
        completed = [run for run in found.values() if run.state is RunState.COMPLETED]
        assert finished <= {run.id for run in completed}
        assert {run.done for run in completed} == {3}
        assert {run.state for run in found.values()} <= {
            RunState.COMPLETED,
            RunState.INTERRUPTED,
        }
        (spent,) = await store.ledger(MONTH)
        assert spent.output_tokens == len(completed)
        await store.close()

    async def test_half_a_transaction_is_none(self, file: Path, clock: Clock) -> None:
        """And the file is free again at once."""
        url = f"sqlite:///{file}"
        store = await Store.open(url, exclusive=True, clock=clock)
        run = await write_run(store)
        await store.close()

        assert kill_after(url, "inside", lines=1) == ["inside"]

        again = await Store.open(url, exclusive=True, clock=clock, patience_seconds=0.0)
        assert await again.run(run.id) == run
        assert (await write_run(again)).id == 2
        await again.close()
