"""Pieces of the past, as pages show them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from answerprobe.evidence import Fault, History, SampleQuery, Store, StoredDeploy
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.sample import ErrorReason
from answerprobe.verdict import Outcome
from builders import NOW
from evidence.writing import broken_sample, ended, sample, write_run


PASS, FAIL, ERROR = Outcome.PASS, Outcome.FAIL, Outcome.ERROR
DRY = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
SOME = RunRequest(monitor="shop", trigger=Trigger.MANUAL, case_ids=("refund",))
FAQ = RunRequest(monitor="faq", trigger=Trigger.SCHEDULE)


@pytest.fixture
def history(store: Store) -> History:
    """Return the past that *store* has."""
    return History(store, lambda _: None)


class TestRecentRuns:
    """The runs of a sparkline."""

    async def test_each_monitor_has_its_last_ones(
        self, store: Store, history: History
    ) -> None:
        """Oldest first, however many others there are."""
        shop = [(await write_run(store)).id for _ in range(4)]
        faq = [(await write_run(store, request=FAQ)).id]

        found = await history.recent_runs(["shop", "faq", "gone"], 3)

        ids = {name: [run.id for run in runs] for name, runs in found.items()}
        assert ids == {"shop": shop[1:], "faq": faq}

    async def test_what_moves_no_status_is_left_out(
        self, store: Store, history: History
    ) -> None:
        """Dry runs, runs of some cases, interrupted ones."""
        await write_run(store, request=DRY)
        await write_run(store, request=SOME)
        await write_run(store, state=RunState.INTERRUPTED)

        assert await history.recent_runs(["shop"], 10) == {}

    async def test_no_monitor_has_no_runs(self, history: History) -> None:
        """An empty page asks nothing."""
        assert await history.recent_runs([], 10) == {}


class TestRunSamples:
    """The samples of a run, in pages."""

    async def test_the_worst_come_first_with_their_numbers(
        self, store: Store, history: History
    ) -> None:
        """Numbers are those of the run, whatever the order."""
        run = await write_run(
            store, [sample(PASS), sample(ERROR), sample(FAIL), sample(PASS)]
        )

        page = await history.run_samples(SampleQuery(run_id=run.id))

        found = [(kept.number, kept.sample.outcome) for kept in page.samples]
        assert found == [(3, FAIL), (2, ERROR), (1, PASS), (4, PASS)]
        assert page.total == 4

    async def test_pages_follow_each_other(
        self, store: Store, history: History
    ) -> None:
        """The total is that of the whole query."""
        run = await write_run(store, [sample(PASS) for _ in range(5)])

        page = await history.run_samples(SampleQuery(run_id=run.id, offset=3, limit=2))

        assert [kept.number for kept in page.samples] == [4, 5]
        assert page.total == 5

    @pytest.mark.parametrize(
        ("outcome", "case_id", "numbers"),
        [
            pytest.param(FAIL, None, [2, 3], id="outcome"),
            pytest.param(None, "hours", [3], id="case"),
            pytest.param(PASS, "hours", [], id="both"),
        ],
    )
    async def test_they_can_be_filtered(
        self,
        store: Store,
        history: History,
        outcome: Outcome | None,
        case_id: str | None,
        numbers: list[int],
    ) -> None:
        """By outcome and by case."""
        run = await write_run(
            store, [sample(PASS), sample(FAIL), sample(FAIL, case_id="hours")]
        )

        query = SampleQuery(run_id=run.id, outcome=outcome, case_id=case_id)
        page = await history.run_samples(query)

        assert [kept.number for kept in page.samples] == numbers

    async def test_a_run_that_waits_to_be_written_reads_the_same(
        self, store: Store
    ) -> None:
        """While the store is down, what is in memory is shown."""
        run = ended(7, [sample(PASS), sample(FAIL)])

        def unwritten(run_id: int) -> Run | None:
            return run if run_id == run.id else None

        history = History(store, unwritten)
        page = await history.run_samples(SampleQuery(run_id=7))
        summary = await history.run_summary(7)
        (failing,) = await history.failing_cases(7, 5)

        assert [kept.number for kept in page.samples] == [2, 1]
        assert summary is not None
        assert summary.total == 2
        assert (failing.failed, failing.samples) == (1, 2)


class TestFailingCases:
    """What went wrong in a run."""

    async def test_the_case_that_failed_most_comes_first(
        self, store: Store, history: History
    ) -> None:
        """With the first of its samples that failed."""
        answers = (
            sample(FAIL, case_id="a", answer="once"),
            sample(PASS, case_id="a"),
            sample(PASS, case_id="b"),
            sample(FAIL, case_id="b", answer="first"),
            sample(ERROR, case_id="b"),
            sample(PASS, case_id="c"),
        )
        run = await write_run(store, answers)

        found = await history.failing_cases(run.id, 5)

        told = [(c.case_id, c.failed, c.samples, c.sample.answer) for c in found]
        assert told == [("b", 2, 3, "first"), ("a", 1, 2, "once")]

    async def test_there_are_never_more_than_asked_for(
        self, store: Store, history: History
    ) -> None:
        """Also where everything failed."""
        everything = [sample(FAIL, case_id=f"c{n}") for n in range(9)]
        run = await write_run(store, everything)

        assert len(await history.failing_cases(run.id, 5)) == 5


class TestNewestKept:
    """The newest sample of each outcome."""

    async def test_each_comes_with_its_run(
        self, store: Store, history: History
    ) -> None:
        """So that a page can link it."""
        first = await write_run(store, [sample(PASS, answer="good")])
        second = await write_run(store, [sample(FAIL, answer="bad")])

        found = await history.newest_kept("shop", ["refund"], tuple(Outcome))

        told = [(kept.run_id, kept.sample.answer) for kept in found]
        assert told == [(first.id, "good"), (second.id, "bad")]


class TestCaseHistory:
    """How a case fared, run by run."""

    async def test_it_is_in_order_and_bounded(
        self, store: Store, history: History
    ) -> None:
        """Only the last ones, the oldest of them first."""
        outcomes = (PASS, FAIL, PASS, ERROR)
        runs = [await write_run(store, [sample(outcome)]) for outcome in outcomes]

        found = await history.case_history("shop", "refund", 3)

        told = [(point.run_id, point.outcome) for point in found]
        assert told == list(zip([r.id for r in runs], outcomes, strict=True))[1:]

    async def test_dry_runs_and_second_looks_are_none_of_it(
        self, store: Store, history: History
    ) -> None:
        """As they are none of a case's status."""
        await write_run(store, request=DRY)
        await write_run(store, [replace(sample(FAIL), second_look=True)])

        assert await history.case_history("shop", "refund", 10) == ()


class TestFaults:
    """Why samples failed."""

    async def test_reasons_are_counted_with_their_cases(
        self, store: Store, history: History
    ) -> None:
        """An error by its reason, a fail by its criterion, the most frequent first."""
        run = await write_run(
            store,
            [
                sample(FAIL, case_id="a"),
                sample(FAIL, case_id="b"),
                broken_sample(),
                sample(PASS),
            ],
        )

        assert await history.faults([run.id]) == (
            Fault(error=None, criterion="contains", samples=2, cases=2),
            Fault(error=ErrorReason.EMPTY_ANSWER, criterion=None, samples=1, cases=1),
        )


class TestDeploys:
    """The versions of an agent."""

    async def test_the_newest_come_first(self, store: Store, history: History) -> None:
        """And no more than asked for."""
        await store.save_monitors({})
        for number in range(3):
            await store.record_deploy(
                "shop", f"v{number}", NOW + timedelta(hours=number)
            )

        assert await history.deploys("shop", 2) == (
            StoredDeploy(version="v2", at=NOW + timedelta(hours=2)),
            StoredDeploy(version="v1", at=NOW + timedelta(hours=1)),
        )
