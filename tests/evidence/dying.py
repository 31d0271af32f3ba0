"""
A program that writes runs until it is killed: `dying.py URL [inside]`.

It prints a run's id once its end is committed. With `inside` it ends up in the middle
of a transaction, says so, and stays there.
"""

import asyncio
import sys
import time

import sqlalchemy as sa

from answerprobe.evidence import FinishedRun, Store
from answerprobe.evidence._schema import runs
from builders import NOW
from evidence.writing import SCHEDULED, Clock, ended, sample, spent


async def main(url: str) -> None:
    """Write runs for ever, several at a time."""
    store = await Store.open(url, exclusive=True, clock=Clock())
    if "inside" in sys.argv:
        await store._database.write(_stay)
    await store.interrupt_unfinished()
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(_write(store))


async def _write(store: Store) -> None:
    """Write one run after the other."""
    while True:
        run_id = await store.begin(SCHEDULED, started_at=NOW, total=3)
        run = ended(run_id, [sample(), sample(), sample()])
        await store.finish(FinishedRun(run=run, ledger=(spent(10),)))
        sys.stdout.write(f"{run_id}\n")
        sys.stdout.flush()


def _stay(connection: sa.Connection) -> None:
    """Change everything, and never commit."""
    connection.execute(sa.update(runs).values(state="completed", failed=99))
    sys.stdout.write("inside\n")
    sys.stdout.flush()
    time.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
