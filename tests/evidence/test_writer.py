"""Group commit: together where it works, each alone where it doesn't."""

import asyncio

from pathlib import Path

import pytest
import sqlalchemy as sa

from answerprobe.errors import StoreError, StoreUnavailable
from answerprobe.evidence import FinishedRun, Store
from answerprobe.evidence._operations import AddLedger, Begin
from answerprobe.run import RunState
from builders import NOW
from evidence.writing import MONTH, SCHEDULED, ended, sample, spent, write_run


class TestWriter:
    """Many writers, one transaction."""

    async def test_a_change_that_is_refused_takes_no_other_along(
        self, store: Store
    ) -> None:
        """The others that would have been committed with it are written."""
        good = [await store.begin(SCHEDULED, started_at=NOW, total=1) for _ in range(3)]
        senseless = ended(good[1], [sample()], state=RunState.RUNNING)
        runs = [ended(good[0], [sample()]), senseless, ended(good[2], [sample()])]

        written = await asyncio.gather(
            *(store.finish(FinishedRun(run=run)) for run in runs),
            return_exceptions=True,
        )

        assert isinstance(written[1], StoreError)
        assert isinstance(written[1].__cause__, ValueError)
        assert [await store.run(run_id) for run_id in good[::2]] == runs[::2]

    async def test_what_cannot_be_json_is_refused(self, store: Store) -> None:
        """Once, and the next change is written."""
        run_id = await store.begin(SCHEDULED, started_at=NOW, total=1)
        with pytest.raises(StoreError, match="AttributeError"):
            await store.write(AddLedger(entries=(object(),)))  # type: ignore[arg-type]  # on purpose

        await store.add_ledger((spent(3),))

        assert await store.ledger(MONTH) == (spent(3),)
        assert run_id == 1

    async def test_a_caller_that_is_cancelled_tears_nothing(self, store: Store) -> None:
        """Its own change is written too: it was on its way."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(write_run(store)) for _ in range(5)]
            await asyncio.sleep(0)
            tasks[2].cancel()

        assert await store.last_run_id() == 5
        assert {task.cancelled() for task in tasks} == {True, False}

    async def test_closing_waits_for_what_is_being_written(
        self, file: Path, file_store: Store
    ) -> None:
        """Nothing that was begun is lost."""
        begin = Begin(request=SCHEDULED, queued_at=NOW, total=1)
        written = [file_store.submit(begin) for _ in range(500)]

        await file_store.close()

        assert [future.result() for future in written] == list(range(1, 501))
        engine = sa.create_engine(f"sqlite:///{file}")
        with engine.connect() as connection:
            count = sa.text("SELECT count(*) FROM runs")
            assert connection.execute(count).scalar_one() == 500
        engine.dispose()

    async def test_who_queued_up_behind_a_failure_fails_at_once(
        self, file_store: Store
    ) -> None:
        """He would only wait for the same lock."""
        await file_store.close()
        begin = Begin(request=SCHEDULED, queued_at=NOW, total=1)
        written = [file_store.submit(begin) for _ in range(1000)]

        await asyncio.wait(written)

        assert {type(future.exception()) for future in written} == {StoreUnavailable}
