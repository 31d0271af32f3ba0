"""The last calibration of each judge."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.evidence import Journal, Store
from answerprobe.verdict import Outcome
from builders import NOW
from evidence.test_journal import locked
from evidence.writing import Clock, Observer, write_run


LOST = CanaryVerdict(
    number=7,
    question="Ist 'heute' offen? \udcff",
    answer='{"antwort": "日本"}',
    expected=Outcome.FAIL,
    outcome=Outcome.NOT_JUDGED,
    reason="judge default: HTTP 503",
)
CALIBRATION = Calibration(
    judge="default",
    definition="d1",
    models=("m-1", "m-2"),
    prompt_version="p1",
    at=NOW,
    passes=Agreement(agreed=19, judged=20),
    fails=Agreement(agreed=17, judged=19),
    wrong=(replace(LOST, question="Offen?", outcome=Outcome.PASS), LOST),
)


class TestCalibrations:
    """What is known of judges."""

    async def test_is_read_back_whole(self, store: Store) -> None:
        """But for what no database takes."""
        await store.save_calibration(CALIBRATION)

        found = (await store.calibrations())["default"]

        scrubbed = replace(LOST, question="Ist 'heute' offen? \ufffd")
        assert found == replace(CALIBRATION, wrong=(CALIBRATION.wrong[0], scrubbed))

    async def test_only_the_last_of_each_judge_stays(self, store: Store) -> None:
        """Of two replicas at once, the later one's."""
        later = replace(CALIBRATION, at=NOW + timedelta(hours=1), wrong=())
        other = replace(CALIBRATION, judge="strict", wrong=())

        for each in (other, later, CALIBRATION):
            await store.save_calibration(each)

        assert await store.calibrations() == {"default": later, "strict": other}

    async def test_waits_while_the_store_is_locked(
        self, file: Path, file_store: Store
    ) -> None:
        """Like everything that is written."""
        observer = Observer()
        journal = Journal(
            file_store, observer=observer, last_run_id=0, retry_seconds=0.01
        )
        with locked(file):
            await journal.save_calibration(CALIBRATION)
        await observer.wait_for(lambda: journal.up)

        assert "default" in await file_store.calibrations()
        await journal.close()

    async def test_a_store_of_the_first_version_gets_the_table(
        self, store: Store, url: str, clock: Clock
    ) -> None:
        """What it holds stays."""
        run = await write_run(store)
        await store._database.write(_back_to_the_first_version)
        await store.close()

        opened = await Store.open(url, exclusive=True, clock=clock)
        await opened.save_calibration(CALIBRATION)

        assert await opened.run(run.id) == run
        assert set(await opened.calibrations()) == {"default"}
        await opened.close()


def _back_to_the_first_version(connection: sa.Connection) -> None:
    """Make the store what it was before there were calibrations."""
    for table in ("calibrations", "experiments", "replicas", "duties"):
        connection.execute(sa.text(f"DROP TABLE {table}"))
    connection.execute(sa.text("DROP INDEX monitors_claimed"))
    for column in ("monitors.claimed_by", "monitors.epoch", "monitors.changed_at"):
        _drop(connection, column)
    for column in ("runs.reason", "runs.not_before", "runs.replica"):
        _drop(connection, column)
    connection.execute(sa.text("UPDATE answerprobe_schema SET version_num = '0001'"))


def _drop(connection: sa.Connection, column: str) -> None:
    """Drop *column*, named with its table."""
    table, name = column.split(".")
    connection.execute(sa.text(f"ALTER TABLE {table} DROP COLUMN {name}"))
