"""What is written is read back, from SQLite and from PostgreSQL alike."""

import asyncio

from dataclasses import replace
from datetime import timedelta

from answerprobe.evidence import (
    FinishedRun,
    RunQuery,
    Store,
    StoredDeploy,
    StoredMonitor,
    UnfinishedRun,
    summary,
)
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.sample import TokenRole
from answerprobe.status import CaseStatus, MonitorStatus
from answerprobe.verdict import Outcome
from builders import NOW
from evidence.writing import (
    MONTH,
    SCHEDULED,
    Clock,
    broken_sample,
    ended,
    sample,
    spent,
    write_run,
)


STATUS = MonitorStatus(up=True, cases={"refund": CaseStatus(fingerprint="f1")})
LATER = NOW + timedelta(hours=1)


class TestRuns:
    """Runs, from their beginning to their end."""

    async def test_a_finished_run_is_read_back_whole(self, store: Store) -> None:
        """Every fact and every text of it."""
        run = await write_run(store, [sample(), broken_sample()])

        assert await store.run(run.id) == run

    async def test_a_second_look_is_read_back_apart(self, store: Store) -> None:
        """It is in the evidence, and in no count of the run."""
        first = await write_run(store, [sample(Outcome.FAIL)])
        looked = replace(
            first, second_look=(replace(sample(Outcome.PASS), second_look=True),)
        )
        run_id = await store.begin(SCHEDULED, started_at=NOW, total=1)
        await store.finish(FinishedRun(run=replace(looked, id=run_id)))

        found = await store.run(run_id)

        assert found == replace(looked, id=run_id)
        assert found.outcomes[Outcome.PASS] == 0
        (listed, _) = (await store.runs(RunQuery())).runs
        assert listed.outcomes == found.outcomes

    async def test_text_that_no_database_takes_is_scrubbed(self, store: Store) -> None:
        """Half a surrogate pair becomes a replacement character."""
        run = await write_run(store, [sample(answer="30 days \udcff\0 — 日本")])

        found = await store.run(run.id)

        assert found is not None
        assert found.samples[0].answer == "30 days \ufffd\0 — 日本"

    async def test_ids_count_up_from_one(self, store: Store) -> None:
        """The number in /runs/{id} is short, and the store knows the last one."""
        first = await store.begin(SCHEDULED, started_at=NOW, total=1)
        second = await store.enqueue(SCHEDULED, queued_at=NOW, total=1)

        assert (first, second, await store.last_run_id()) == (1, 2, 2)

    async def test_many_at_once_get_an_id_each(self, store: Store) -> None:
        """Runs that are begun in one transaction do not share anything."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(write_run(store)) for _ in range(30)]

        runs = {task.result().id: task.result() for task in tasks}
        assert sorted(runs) == list(range(1, 31))
        assert [await store.run(run_id) for run_id in runs] == list(runs.values())

    async def test_a_run_written_twice_counts_once(self, store: Store) -> None:
        """After a commit that seemed to have failed the caller tries again."""
        run = await write_run(store)
        again = FinishedRun(run=run, ledger=(spent(10),))

        await store.finish(again)
        await asyncio.gather(store.finish(again), store.finish(again))

        assert await store.run(run.id) == run
        assert await store.ledger(MONTH) == (spent(10),)

    async def test_an_interrupted_run_keeps_its_samples(self, store: Store) -> None:
        """What was asked before it was cut short is evidence too."""
        run = await write_run(store, state=RunState.INTERRUPTED)

        found = await store.runs(RunQuery())

        assert await store.run(run.id) == run
        assert found.runs == (summary(run),)
        assert found.runs[0].pass_ratio is None

    async def test_a_queued_run_starts_later(self, store: Store) -> None:
        """It is queued, then running, for the version that came last."""
        request = RunRequest(
            monitor="shop",
            trigger=Trigger.DEPLOY,
            case_ids=("refund", "größe"),
            samples=2,
            version="1",
        )
        run_id = await store.enqueue(request, queued_at=NOW, total=4)

        await store.change_version(run_id, "2")
        await store.start(run_id, LATER)

        changed = RunRequest(
            monitor="shop",
            trigger=Trigger.DEPLOY,
            case_ids=("refund", "größe"),
            samples=2,
            version="2",
        )
        assert await store.run(run_id) == Run(
            id=run_id,
            request=changed,
            state=RunState.RUNNING,
            queued_at=NOW,
            started_at=LATER,
            total=4,
        )

    async def test_what_a_process_left_is_sorted_out(
        self, store: Store, clock: Clock
    ) -> None:
        """Running runs become interrupted, queued ones stay promised."""
        running = await store.begin(SCHEDULED, started_at=NOW, total=3)
        queued = await store.enqueue(SCHEDULED, queued_at=NOW, total=3)
        await write_run(store)
        clock.advance(minutes=1)

        found = await store.interrupt_unfinished()

        left = UnfinishedRun(
            id=running,
            request=SCHEDULED,
            state=RunState.RUNNING,
            queued_at=NOW,
            total=3,
        )
        assert found == (left, replace(left, id=queued, state=RunState.QUEUED))
        page = await store.runs(RunQuery())
        assert [run.state.value for run in page.runs] == [
            "completed",
            "queued",
            "interrupted",
        ]
        assert page.runs[2].finished_at == clock.now

    async def test_an_unknown_run_is_none(self, store: Store) -> None:
        """There is no error in asking."""
        assert await store.run(999) is None


class TestMonitors:
    """What is known of monitors between runs."""

    async def test_a_run_moves_status_and_due_time_together(self, store: Store) -> None:
        """With its end, not before."""
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW, due_at=NOW)})
        run_id = await store.begin(SCHEDULED, started_at=NOW, total=1)
        before = await store.load_monitors()

        await store.finish(
            FinishedRun(run=ended(run_id, [sample()]), status=STATUS, due_at=LATER)
        )

        after = await store.load_monitors()
        assert before["shop"] == StoredMonitor(first_seen=NOW, due_at=NOW, revision=1)
        assert after["shop"] == StoredMonitor(
            first_seen=NOW, due_at=LATER, status=STATUS, revision=2
        )

    async def test_a_run_that_says_nothing_leaves_them_alone(
        self, store: Store
    ) -> None:
        """An exploratory run has neither status nor due time."""
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW, due_at=LATER)})
        await write_run(store, status=STATUS)

        await write_run(store)

        monitors = await store.load_monitors()
        assert (monitors["shop"].status, monitors["shop"].due_at) == (STATUS, LATER)

    async def test_saving_a_known_one_keeps_status_and_pause(
        self, store: Store
    ) -> None:
        """A reload changes when it is due, not what is known of it."""
        await store.save_monitors({"shop": StoredMonitor(first_seen=NOW)})
        await store.save_pause("shop", paused=True)
        await write_run(store, status=STATUS)

        await store.save_monitors(
            {"shop": StoredMonitor(first_seen=LATER, due_at=LATER, definition="d2")}
        )

        assert await store.load_monitors() == {
            "shop": StoredMonitor(
                first_seen=NOW,
                due_at=LATER,
                paused_manually=True,
                status=STATUS,
                definition="d2",
                revision=4,
            )
        }

    async def test_the_newest_deploy_is_known(self, store: Store) -> None:
        """Of each monitor."""
        await store.save_monitors(
            {name: StoredMonitor(first_seen=NOW) for name in ("shop", "faq")}
        )
        await store.record_deploy("shop", "1", NOW)
        await store.record_deploy("faq", "7", NOW)
        await store.record_deploy("shop", "2", LATER)

        monitors = await store.load_monitors()

        assert monitors["shop"].deploy == StoredDeploy(version="2", at=LATER)
        assert monitors["faq"].deploy == StoredDeploy(version="7", at=NOW)


class TestLedger:
    """Tokens spent, by month."""

    async def test_increments_add_up_by_month_monitor_and_role(
        self, store: Store
    ) -> None:
        """Whether they come with a run or alone."""
        await write_run(store)
        await store.add_ledger((spent(5), spent(1, role=TokenRole.JUDGE), spent(2)))

        shop, judge = await store.ledger(MONTH)

        assert (shop.input_tokens, shop.output_tokens) == (17, 3)
        assert judge == spent(1, role=TokenRole.JUDGE)
        assert await store.ledger("2026-12") == ()


class TestNewest:
    """The newest sample of each case, and the last good one."""

    async def test_the_newest_of_each_case_is_found(self, store: Store) -> None:
        """Of several outcomes the newest sample, of many runs the last."""
        old, new = sample(Outcome.FAIL), sample(Outcome.ERROR, answer="Sixty.")
        other = sample(case_id="greeting")
        await write_run(store, [sample(), old, other])
        await write_run(store, [new])

        found = await store.newest("shop", {"refund": "f1", "greeting": "f1", "x": ""})

        assert found == {"refund": new, "greeting": other}

    async def test_the_last_good_one_passed(self, store: Store) -> None:
        """Whatever came after it."""
        good = sample(answer="Thirty days.")
        await write_run(store, [sample(), good])
        await write_run(store, [sample(Outcome.FAIL)])

        assert await store.last_good("shop", {"refund": "f1"}) == {"refund": good}

    async def test_another_definition_has_none(self, store: Store) -> None:
        """What passed was another question."""
        await write_run(store)

        assert await store.last_good("shop", {"refund": "f2"}) == {}

    async def test_exploratory_runs_do_not_count(self, store: Store) -> None:
        """A dry run may have asked another model."""
        dry = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        await write_run(store, request=dry)

        assert await store.newest("shop", {"refund": "f1"}) == {}
