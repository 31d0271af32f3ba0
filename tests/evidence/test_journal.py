"""The store goes away and comes back; whoever writes does not notice."""

import asyncio
import itertools
import sqlite3

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from answerprobe.errors import StoreError, StoreUnavailable
from answerprobe.evidence import (
    BacklogLimits,
    Claim,
    FinishedRun,
    Journal,
    RunPage,
    RunQuery,
    Store,
    StoredMonitor,
    summary,
)
from answerprobe.evidence._paging import merged
from answerprobe.run import Run, RunState
from answerprobe.status import MonitorStatus
from answerprobe.verdict import Outcome
from builders import NOW
from evidence.writing import (
    MONTH,
    SCHEDULED,
    Observer,
    ended,
    overwrite,
    sample,
    spent,
)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the file's write lock, as another program might."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def gone(file: Path, instead: bytes | None = None) -> Iterator[None]:
    """Have the file elsewhere, and in its place one that is *instead*, if any."""
    aside = file.rename(file.with_name("aside.db"))
    if instead is not None:
        file.write_bytes(instead)
    try:
        yield
        assert instead is None or file.read_bytes() == instead
    finally:
        aside.rename(file)


async def write_run(journal: Journal, status: MonitorStatus | None = None) -> Run:
    """Write a run through *journal* and return it."""
    run_id = await journal.begin(SCHEDULED, started_at=NOW, total=2)
    run = ended(run_id, [sample(), sample()])
    finished = FinishedRun(run=run, status=status, ledger=(spent(10),), due_at=NOW)
    await journal.finish(finished)
    return run


@pytest.fixture
def observer() -> Observer:
    """Return somebody who is told of the store."""
    return Observer()


@pytest.fixture
async def journal(file_store: Store, observer: Observer) -> AsyncIterator[Journal]:
    """Return a journal before a new store that tries again soon."""
    made = Journal(file_store, observer=observer, last_run_id=0, retry_seconds=0.01)
    yield made
    await made.close()


class TestUp:
    """While the store works."""

    async def test_what_is_written_is_committed(
        self, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """When the method returns, not later."""
        run = await write_run(journal)

        assert await file_store.run(run.id) == run
        assert (journal.up, journal.waiting) == (True, 0)
        assert (observer.ups, observer.failures) == ([True], 0)

    async def test_what_makes_no_sense_is_the_callers_fault(
        self, journal: Journal
    ) -> None:
        """It is raised, and the store is up all the same."""
        run_id = await journal.begin(SCHEDULED, started_at=NOW, total=1)
        going = ended(run_id, [], state=RunState.RUNNING)

        with pytest.raises(StoreError):
            await journal.finish(FinishedRun(run=going))

        assert journal.up


class TestLocked:
    """Another process has the file, or took it away."""

    async def test_everything_is_written_later_and_nothing_twice(
        self, file: Path, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """Runs that began before, during and after; the ledger, the due time."""
        await journal.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        early = await journal.begin(SCHEDULED, started_at=NOW, total=1)
        with locked(file):
            runs = [await write_run(journal) for _ in range(5)]
            runs.append(ended(early, [sample()]))
            await journal.finish(FinishedRun(run=runs[-1], ledger=(spent(10),)))
            await journal.save_pause("shop", paused=True)
            assert not journal.up
        await observer.wait_for(lambda: journal.up)

        runs.append(await write_run(journal))

        found = await file_store.runs(RunQuery())
        by_id = sorted(runs, key=lambda run: run.id, reverse=True)
        assert found.runs == tuple(map(summary, by_id))
        assert [await file_store.run(run.id) for run in runs] == runs
        assert (await file_store.ledger(MONTH))[0].output_tokens == len(runs)
        monitor = (await file_store.load_monitors())["shop"]
        assert (monitor.paused_manually, monitor.due_at) == (True, NOW)

    async def test_a_file_that_is_gone_is_missed_until_it_is_back(
        self, file: Path, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """SQLite alone would write on into what nobody finds any more."""
        early = await write_run(journal)
        with capture_logs() as logs:
            with gone(file):
                run = await write_run(journal)
                assert not journal.up
            await observer.wait_for(lambda: journal.up)

        assert "evidence.db: it was deleted or replaced" in logs[0]["reason"]
        assert [await file_store.run(each.id) for each in (early, run)] == [early, run]

    async def test_another_file_in_its_place_is_not_written(
        self, file: Path, journal: Journal
    ) -> None:
        """It may be a backup that somebody wants to have."""
        await write_run(journal)
        with gone(file, instead=b"a backup"):
            await write_run(journal)
            assert not journal.up

    async def test_ids_are_higher_than_any_before(
        self, file: Path, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """With room for those that a command takes meanwhile."""
        first = await write_run(journal)
        with locked(file):
            during = [await write_run(journal) for _ in range(2)]
        await observer.wait_for(lambda: journal.up)
        after = await write_run(journal)

        ids = [run.id for run in (first, *during, after)]
        assert ids == [1, 1002, 1003, 1004]
        assert await file_store.last_run_id() == 1004

    async def test_it_is_told_once_and_counted_each_time(
        self, file: Path, journal: Journal, observer: Observer
    ) -> None:
        """The log is no metric."""
        with capture_logs() as logs:
            with locked(file):
                await write_run(journal)
                await observer.wait_for(lambda: observer.failures >= 4)
            await observer.wait_for(lambda: journal.up)

        events = [entry["event"] for entry in logs]
        assert events == ["store.became_unavailable", "store.recovered"]
        assert "evidence.db: it is locked" in logs[0]["reason"]
        assert observer.ups == [True, False, True]

    async def test_a_run_that_waits_can_be_read(
        self, file: Path, journal: Journal
    ) -> None:
        """An id that was promised is never unknown."""
        with locked(file):
            done = await write_run(journal)
            queued = await journal.enqueue(SCHEDULED, queued_at=NOW, total=1)
            found = await journal.run(queued)
            await journal.start(queued, NOW)
            started = await journal.run(queued)

            assert await journal.run(done.id) == done
            assert found is not None
            assert started is not None
            assert (found.state, started.state) == (
                RunState.QUEUED,
                RunState.RUNNING,
            )

    async def test_closing_tries_once_more(
        self, file: Path, file_store: Store, observer: Observer
    ) -> None:
        """A store that came back just then gets everything."""
        journal = Journal(
            file_store, observer=observer, last_run_id=0, retry_seconds=3600
        )
        with locked(file):
            run = await write_run(journal)

        await journal.close()

        assert await file_store.run(run.id) == run

    async def test_closing_says_what_is_lost(
        self, file: Path, file_store: Store, observer: Observer
    ) -> None:
        """It does not wait for ever."""
        journal = Journal(
            file_store, observer=observer, last_run_id=0, retry_seconds=3600
        )
        with locked(file), capture_logs() as logs:
            await write_run(journal)
            await journal.close()

        assert logs[-1]["event"] == "store.changes_lost"
        assert logs[-1]["changes"] == 2

    async def test_memory_is_bounded_and_the_books_stay_right(
        self, file: Path, file_store: Store, observer: Observer
    ) -> None:
        """Of runs that had to be dropped the ledger and the status are written."""
        limits = BacklogLimits(operations=20)
        journal = Journal(
            file_store,
            observer=observer,
            last_run_id=0,
            limits=limits,
            retry_seconds=0.01,
        )
        await journal.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        with locked(file):
            for count in range(50):
                await write_run(journal, MonitorStatus(runs_down=count))
            waiting = journal.waiting
        await observer.wait_for(lambda: journal.up)

        assert waiting <= 21
        page = await file_store.runs(RunQuery(limit=100))
        assert len(page.runs) == 50 - journal.dropped_runs >= 9
        assert (await file_store.ledger(MONTH))[0].output_tokens == 50
        assert (await file_store.load_monitors())["shop"].status.runs_down == 49


class TestFull:
    """The disk is full."""

    async def test_runs_are_kept_until_there_is_room(
        self, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """What was written before is there, and what came after."""
        first = await write_run(journal)
        await _limit_pages(file_store, 1)
        for _ in itertools.takewhile(lambda _: journal.up, range(500)):
            await write_run(journal)
        assert not journal.up
        kept = await write_run(journal)

        await _limit_pages(file_store, 1_000_000)
        await observer.wait_for(lambda: journal.up)

        assert await file_store.run(first.id) == first
        assert await file_store.run(kept.id) == kept
        found = (await file_store.runs(RunQuery(limit=999))).runs
        assert {run.state for run in found} == {RunState.COMPLETED}
        assert (await file_store.ledger(MONTH))[0].output_tokens == len(found)


async def _limit_pages(store: Store, pages: int) -> None:
    """Let the store's file have no more than *pages*, or what it has."""
    await _execute(store, f"PRAGMA max_page_count = {pages}")


async def _execute(store: Store, statement: str) -> None:
    """Carry out *statement* on the connection that writes."""
    await store._database.write(
        lambda connection: connection.exec_driver_sql(statement).close()
    )


class TestDamaged:
    """The file breaks while it is in use."""

    async def test_it_is_no_crash_and_said_once(
        self, file: Path, journal: Journal, file_store: Store
    ) -> None:
        """Probing goes on; the file is left as it is."""
        for _ in range(20):
            await write_run(journal)
        await file_store._database.tidy()

        with capture_logs() as logs:
            overwrite(file, b"\xff" * 100_000)
            await _execute(file_store, "PRAGMA shrink_memory")
            for _ in itertools.takewhile(lambda _: journal.up, range(50)):
                await write_run(journal)
            for _ in range(5):
                await write_run(journal)

        assert not journal.up
        assert [entry["event"] for entry in logs] == ["store.became_unavailable"]


class TestRefused:
    """A change that can never be written."""

    async def test_it_does_not_hold_up_the_others(
        self, file: Path, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """It is logged, counted and left out."""
        with capture_logs() as logs:
            with locked(file):
                run_id = await journal.begin(SCHEDULED, started_at=NOW, total=1)
                going = ended(run_id, [], state=RunState.RUNNING)
                await journal.finish(FinishedRun(run=going))
                run = await write_run(journal)
            await observer.wait_for(lambda: journal.up)

        events = [entry["event"] for entry in logs]
        assert events.count("store.change_refused") == 1
        assert await file_store.run(run.id) == run


class TestUnclear:
    """A commit that happened, though it seemed to have failed."""

    async def test_a_run_begun_twice_is_there_once(
        self, file: Path, journal: Journal, file_store: Store, observer: Observer
    ) -> None:
        """The twin that nobody knows the number of is removed."""
        twin = await file_store.begin(SCHEDULED, started_at=NOW, total=2)
        with locked(file):
            run = await write_run(journal)
        await observer.wait_for(lambda: journal.up)

        found = await file_store.runs(RunQuery())
        assert [r.id for r in found.runs] == [run.id]
        assert twin != run.id


class TestListing:
    """Runs that wait to be written are listed with the others."""

    async def test_runs_that_wait_are_listed_while_the_store_is_down(
        self, file: Path, journal: Journal
    ) -> None:
        """Newest first, those of before after them."""
        before = await write_run(journal)
        with locked(file):
            during = [await write_run(journal) for _ in range(2)]

            page = await journal.runs(RunQuery())

        newest_first = (*during[::-1], before)
        assert page == RunPage(runs=tuple(map(summary, newest_first)), next=None)

    async def test_a_run_that_began_before_is_listed_as_it_is_now(
        self, file: Path, journal: Journal
    ) -> None:
        """Once: its end waits, its beginning is written."""
        run_id = await journal.begin(SCHEDULED, started_at=NOW, total=1)
        with locked(file):
            run = ended(run_id, [sample()])
            await journal.finish(FinishedRun(run=run))

            page = await journal.runs(RunQuery())

        assert page.runs == (summary(run),)

    async def test_filters_hold_for_them_too(
        self, file: Path, journal: Journal
    ) -> None:
        """By monitor and by outcome."""
        with locked(file):
            run = await write_run(journal)

            for query, found in (
                (RunQuery(outcome=Outcome.PASS), (summary(run),)),
                (RunQuery(outcome=Outcome.FAIL), ()),
                (RunQuery(monitor="faq"), ()),
                (RunQuery(before=run.id), ()),
            ):
                assert (await journal.runs(query)).runs == found

    async def test_one_that_cannot_be_read_leaves_those_that_wait(
        self, journal: Journal, file_store: Store
    ) -> None:
        """The page after them is where the store would be asked."""
        await file_store.close()
        run = await write_run(journal)

        page = await journal.runs(RunQuery())

        assert page == RunPage(runs=(summary(run),), next=run.id)
        with pytest.raises(StoreUnavailable):
            await journal.runs(RunQuery(before=run.id))


@st.composite
def _histories(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw ids of runs in a store and of runs that wait, some in both."""
    ids = st.lists(st.integers(1, 60), unique=True, max_size=25)
    return draw(ids), draw(ids)


class TestMergedPages:
    @given(_histories(), st.integers(1, 7))
    def test_every_run_comes_once_newest_first(
        self, history: tuple[list[int], list[int]], limit: int
    ) -> None:
        """Whatever is written and whatever waits, however long a page is."""
        stored, waiting = ([summary(ended(i, [])) for i in ids] for ids in history)
        seen: list[int] = []
        query, pages = RunQuery(limit=limit), 0
        while pages == 0 or query.before is not None:
            left, right = (
                sorted(
                    (r for r in runs if query.before is None or r.id < query.before),
                    key=lambda run: -run.id,
                )
                for runs in (stored, waiting)
            )
            more = left[limit - 1].id if len(left) > limit else None
            page = RunPage(runs=tuple(left[:limit]), next=more)
            page = merged(right[: limit + 1], page, query)
            seen += [run.id for run in page.runs]
            assert len(page.runs) <= limit
            query, pages = replace(query, before=page.next), pages + 1

        assert seen == sorted({*history[0], *history[1]}, reverse=True)


class TestAmongOthers:
    """A journal that may keep nothing, as other replicas go on meanwhile."""

    @pytest.fixture
    async def strict(
        self, file_store: Store, observer: Observer
    ) -> AsyncIterator[Journal]:
        """Return one that tries again soon."""
        made = Journal(
            file_store,
            observer=observer,
            last_run_id=0,
            retry_seconds=0.01,
            may_keep=lambda: False,
        )
        yield made
        await made.close()

    async def test_orders_are_refused_while_the_store_is_away(
        self, file: Path, strict: Journal
    ) -> None:
        """Nobody else could do what was promised."""
        with locked(file):
            for _ in range(2):
                with pytest.raises(StoreUnavailable):
                    await strict.enqueue(SCHEDULED, queued_at=NOW, total=1)
            with pytest.raises(StoreUnavailable):
                await strict.save_pause("shop", paused=True)
            with pytest.raises(StoreUnavailable):
                await strict.record_deploy("shop", "v1", NOW)

        assert strict.waiting == 0

    async def test_the_end_of_a_claimed_run_waits_for_the_store(
        self, file: Path, strict: Journal, file_store: Store
    ) -> None:
        """Only the store knows whether it counts."""
        await file_store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        run_id = await strict.begin(SCHEDULED, started_at=NOW, total=1)
        finished = FinishedRun(
            run=ended(run_id, [sample()]), claim=Claim(replica="a", epoch=0)
        )
        with locked(file):
            ending = asyncio.create_task(strict.finish(finished))
            await asyncio.sleep(0.05)
            waits = not ending.done()

        assert waits
        assert await ending

    async def test_the_end_of_a_run_whose_claim_is_lost_is_refused(
        self, strict: Journal, file_store: Store
    ) -> None:
        """Whether it waited or not."""
        await file_store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        run_id = await strict.begin(SCHEDULED, started_at=NOW, total=1)
        late = FinishedRun(
            run=ended(run_id, [sample()]), claim=Claim(replica="a", epoch=-1)
        )
        cut_short = ended(run_id, [sample()], state=RunState.INTERRUPTED)

        assert not await strict.finish(late)
        assert not await strict.finish(replace(late, run=cut_short))

    async def test_what_a_late_run_spent_is_written_even_so(
        self, file: Path, strict: Journal, file_store: Store, observer: Observer
    ) -> None:
        """Its tokens are gone, whoever's run counts."""
        await file_store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        run_id = await strict.begin(SCHEDULED, started_at=NOW, total=1)
        run = ended(run_id, [], state=RunState.INTERRUPTED)
        late = FinishedRun(
            run=run, ledger=(spent(10),), claim=Claim(replica="a", epoch=-1)
        )
        with locked(file):
            await strict.finish(late)
        await observer.wait_for(lambda: strict.up)

        assert [entry.input_tokens for entry in await file_store.ledger(MONTH)] == [10]
