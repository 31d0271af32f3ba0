"""What goes with age, and what goes on request."""

from collections.abc import Sequence
from datetime import timedelta

from answerprobe.evidence import (
    Forgotten,
    Pruned,
    RunQuery,
    Store,
    StoredMonitor,
)
from answerprobe.monitor import Retention
from answerprobe.run import RunRequest, Trigger
from answerprobe.status import CaseStatus, MonitorStatus
from answerprobe.verdict import Outcome
from builders import NOW
from evidence.writing import MONTH, Clock, sample, spent, write_run


FAQ = RunRequest(monitor="faq", trigger=Trigger.SCHEDULE)
DRY = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)


async def answers(store: Store, *run_ids: int) -> Sequence[str | None]:
    """Return the answer of the first sample of each run."""
    found = [await store.run(run_id) for run_id in run_ids]
    return [run.samples[0].answer if run else "no run" for run in found]


class TestPrune:
    """Retention: texts first, rows later."""

    async def test_texts_of_passes_go_before_those_of_failures(
        self, store: Store, clock: Clock
    ) -> None:
        """After a week and a quarter; the last good answer stays."""
        passed, failed, last = [
            (await write_run(store, [sample(outcome, answer=outcome)])).id
            for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.PASS)
        ]

        clock.advance(days=8)
        first = await store.prune({})
        after_a_week = await answers(store, passed, failed, last)
        clock.advance(days=83)
        second = await store.prune({})

        assert first == Pruned(texts=1, samples=0, runs=0)
        assert after_a_week == [None, "fail", "pass"]
        assert second == Pruned(texts=1, samples=0, runs=0)
        assert await answers(store, passed, failed, last) == [None, None, "pass"]

    async def test_what_stays_are_facts(self, store: Store, clock: Clock) -> None:
        """Outcomes, times and tokens, but no word."""
        run = await write_run(store, [sample(Outcome.FAIL, answer="secret")])
        clock.advance(days=91)

        await store.prune({})

        found = await store.run(run.id)
        assert found is not None
        assert found.outcomes == run.outcomes
        assert found.samples[0].tokens == run.samples[0].tokens
        assert found.samples[0].verdicts[0].criterion == "contains"
        assert "secret" not in repr(found)
        assert not found.samples[0].whole

    async def test_each_monitor_has_its_own_retention(
        self, store: Store, clock: Clock
    ) -> None:
        """A longer one keeps what the default does not, and the other way round."""
        for _ in range(2):
            await write_run(store)
            await write_run(store, request=FAQ)
        clock.advance(days=8)

        day = Retention(passes_seconds=86400, failures_seconds=86400)
        year = Retention(passes_seconds=365 * 86400, failures_seconds=365 * 86400)
        pruned = await store.prune({"shop": year, "faq": day})

        assert pruned.texts == 1
        assert await answers(store, 1, 2) == ["Within 30 days.", None]

    async def test_a_dry_run_is_no_last_good_answer(
        self, store: Store, clock: Clock
    ) -> None:
        """Its text goes like any other."""
        dry = await write_run(store, request=DRY)
        counted = await write_run(store)
        newer = await write_run(store, request=DRY)
        clock.advance(days=8)

        await store.prune({})

        kept = await answers(store, dry.id, counted.id, newer.id)
        assert kept == [None, "Within 30 days.", None]

    async def test_rows_go_after_400_days(self, store: Store, clock: Clock) -> None:
        """But the last good answer's, and a run that is still promised."""
        await write_run(store)
        good = await write_run(store)
        await write_run(store, [sample(Outcome.FAIL)])
        await store.enqueue(FAQ, queued_at=NOW, total=1)
        clock.advance(days=401)

        pruned = await store.prune({})

        assert pruned == Pruned(texts=2, samples=2, runs=2)
        left = await store.runs(RunQuery())
        assert [run.id for run in left.runs] == [4, good.id]

    async def test_many_go_in_several_steps(self, store: Store, clock: Clock) -> None:
        """More than one transaction takes."""
        await write_run(store, [sample() for _ in range(1201)])
        await write_run(store)
        clock.advance(days=8)

        assert (await store.prune({})).texts == 1201

    async def test_the_newest_deploy_is_kept(self, store: Store, clock: Clock) -> None:
        """However long ago it was."""
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        await store.record_deploy("shop", "1", NOW)
        await store.record_deploy("shop", "2", NOW)
        clock.advance(days=401)

        await store.prune({})

        deploy = (await store.load_monitors())["shop"].deploy
        assert deploy is not None
        assert deploy.version == "2"


class TestForget:
    """Evidence deleted on request."""

    async def test_a_monitor_is_forgotten_and_no_other(self, store: Store) -> None:
        """Its number was told before."""
        await write_run(store, [sample(), sample(case_id="greeting")])
        await write_run(store)
        other = await write_run(store, request=FAQ)
        counted = await store.count_forget("shop")

        assert await store.forget("shop") == counted == Forgotten(runs=2, samples=3)
        left = await store.runs(RunQuery())
        assert [run.id for run in left.runs] == [other.id]
        assert await store.run(1) is None
        assert await store.last_good("shop", {"refund": "f1"}) == {}

    async def test_a_case_is_forgotten_and_no_other(self, store: Store) -> None:
        """A run that has nothing else goes with it."""
        both = await write_run(store, [sample(), sample(case_id="greeting")])
        await write_run(store)
        counted = await store.count_forget("shop", "refund")

        forgotten = await store.forget("shop", "refund")

        assert forgotten == counted == Forgotten(runs=1, samples=2)
        found = await store.run(both.id)
        assert found is not None
        assert [sample.case_id for sample in found.samples] == ["greeting"]
        assert await store.run(2) is None

    async def test_status_ledger_and_ids_stay(self, store: Store) -> None:
        """To forget answers is not to forget that the agent is broken."""
        status = MonitorStatus(up=True, cases={"refund": CaseStatus(fingerprint="f1")})
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        await write_run(store, status=status)

        await store.forget("shop")

        assert (await store.load_monitors())["shop"].status == status
        assert await store.ledger(MONTH) == (spent(10),)
        assert (await write_run(store)).id == 2

    async def test_a_run_that_goes_on_is_left_alone(self, store: Store) -> None:
        """It ends as if nothing had happened."""
        running = await store.begin(FAQ, started_at=NOW, total=1)

        assert await store.forget("faq") == Forgotten(runs=0, samples=0)
        assert await store.run(running) is not None

    async def test_a_daemon_can_see_it(self, store: Store, clock: Clock) -> None:
        """It asks what was forgotten since it last looked."""
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        await write_run(store)
        looked = clock.now
        clock.advance(minutes=1)
        await store.forget("shop")

        assert await store.forgotten_since(looked) == {"shop"}
        assert await store.forgotten_since(clock.now + timedelta(seconds=1)) == set()

    async def test_more_than_one_step_takes_is_forgotten(self, store: Store) -> None:
        """All of it."""
        for _ in range(3):
            await write_run(store, [sample() for _ in range(400)])

        assert (await store.forget("shop")).samples == 1200
        assert await store.count_forget("shop") == Forgotten(runs=0, samples=0)
