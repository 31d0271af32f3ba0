from dataclasses import replace

import pytest

from answerprobe.comparison import Experiment, Setup
from answerprobe.errors import StoreError
from answerprobe.evidence import RunQuery, Store
from answerprobe.run import RunState, Trigger
from answerprobe.verdict import Outcome
from builders import NOW
from comparing import compared_case, plan
from evidence.writing import MONTH, Clock, sample, spent, write_run


async def filled(store: Store, *, current: int = 2, changed: int = 2) -> Experiment:
    """Write an experiment with so many samples that pass, then fail."""
    begun = await store.experiments.begin(plan())
    for _ in range(current):
        await store.experiments.add(begun, Setup.CURRENT, sample(), ())
    for _ in range(changed):
        await store.experiments.add(begun, Setup.CHANGED, sample(Outcome.FAIL), ())
    return begun


class TestExperiments:
    async def test_a_new_one_is_empty(self, store: Store) -> None:
        """With a run for each setup, that goes on."""
        begun = await store.experiments.begin(plan())

        assert await store.experiments.get(begun.id) == begun
        assert (begun.state, begun.done) == (RunState.RUNNING, 0)
        runs = (await store.runs(RunQuery())).runs
        assert {run.id for run in runs} == set(begun.run_ids.values())
        assert {run.request.trigger for run in runs} == {Trigger.EXPERIMENT}
        assert {run.request.exploratory_reason for run in runs} == {"model: a → b"}

    async def test_a_run_of_it_leads_to_it(self, store: Store) -> None:
        """Either setup's; another run leads nowhere."""
        begun = await store.experiments.begin(plan())
        run_ids = [*begun.run_ids.values(), 99]

        found = [await store.experiments.of_run(run_id) for run_id in run_ids]

        assert found == [begun.id, begun.id, None]

    async def test_its_samples_are_there_before_it_ends(self, store: Store) -> None:
        """Counted as they stand."""
        begun = await filled(store, current=2, changed=1)
        found = await store.experiments.get(begun.id)

        assert found is not None
        assert found.done == 3
        (contains, _) = found.comparison.criteria
        assert (contains.current, contains.changed) == ((2, 2), (0, 1))

    async def test_it_is_counted_anew_only_once_there_are_more(
        self, store: Store
    ) -> None:
        """Who asks again and again for one that goes on costs nothing."""
        begun = await filled(store, current=2, changed=1)
        found = await store.experiments.get(begun.id)
        again = await store.experiments.get(begun.id)
        await store.experiments.add(begun, Setup.CHANGED, sample(), ())
        later = await store.experiments.get(begun.id)

        assert found is not None
        assert later is not None
        assert again is found
        assert later.comparison.criteria[0].changed == (1, 2)

    async def test_all_samples_are_counted_however_many(self, store: Store) -> None:
        """They are read piece by piece."""
        begun = await store.experiments.begin(plan(samples=1_001))
        for _ in range(1_001):
            await store.experiments.add(begun, Setup.CURRENT, sample(), ())
        found = await store.experiments.get(begun.id)

        assert found is not None
        assert found.comparison.criteria[0].current == (1_001, 1_001)

    async def test_its_end_keeps_what_came_of_it(self, store: Store) -> None:
        """The runs end with it."""
        begun = await filled(store)
        ended = await store.experiments.end(begun, RunState.COMPLETED)

        assert await store.experiments.get(begun.id) == ended
        assert (ended.state, ended.finished_at) == (RunState.COMPLETED, NOW)
        run = await store.run(begun.run_ids[Setup.CHANGED])
        assert run is not None
        assert (run.state, run.done) == (RunState.COMPLETED, 2)
        assert run.outcomes[Outcome.FAIL] == 2

    async def test_its_samples_are_never_the_last_good_ones(self, store: Store) -> None:
        """Nor the newest: they are of a setup that nobody watches."""
        await filled(store)

        assert await store.newest("shop", {"refund": "f1"}) == {}

    async def test_what_it_spent_is_in_the_ledger(self, store: Store) -> None:
        """The monitor's budget pays for it."""
        begun = await store.experiments.begin(plan())
        await store.experiments.add(begun, Setup.CURRENT, sample(), (spent(5),))

        assert await store.ledger(MONTH) == (spent(5),)

    async def test_one_that_was_cut_short_goes_on(self, store: Store) -> None:
        """It tells what was asked already."""
        begun = await filled(store, current=2, changed=1)
        await store.experiments.end(begun, RunState.INTERRUPTED)
        taken = await store.experiments.take(begun.id)

        assert taken.state is RunState.RUNNING
        assert await store.experiments.asked(taken) == {
            (Setup.CURRENT, "refund"): 2,
            (Setup.CHANGED, "refund"): 1,
        }

    async def test_only_the_last_who_took_it_may_add(self, store: Store) -> None:
        """Else two commands would ask everything twice."""
        begun = await store.experiments.begin(plan())
        taken = await store.experiments.take(begun.id)
        with pytest.raises(StoreError, match="no longer ours"):
            await store.experiments.add(begun, Setup.CURRENT, sample(), ())
        await store.experiments.add(taken, Setup.CURRENT, sample(), ())

        found = await store.experiments.get(begun.id)
        assert found is not None
        assert found.done == 1

    async def test_a_complete_one_cannot_be_taken(self, store: Store) -> None:
        """Nothing is left of it."""
        begun = await filled(store)
        await store.experiments.end(begun, RunState.COMPLETED)

        with pytest.raises(StoreError, match="is complete"):
            await store.experiments.take(begun.id)

    async def test_none_can_be_taken_that_is_not_there(self, store: Store) -> None:
        """The message has the number."""
        with pytest.raises(StoreError, match="no experiment 7"):
            await store.experiments.take(7)

    async def test_a_daemon_that_starts_leaves_it_alone(self, store: Store) -> None:
        """It shares the file with the command that carries it out."""
        begun = await store.experiments.begin(plan())

        assert await store.interrupt_unfinished() == ()
        await store.experiments.add(begun, Setup.CURRENT, sample(), ())
        run = await store.run(begun.run_ids[Setup.CURRENT])
        assert run is not None
        assert run.state is RunState.RUNNING

    async def test_pages_come_newest_first(self, store: Store) -> None:
        """And say where the next one begins."""
        ids = [(await store.experiments.begin(plan())).id for _ in range(3)]
        first = await store.experiments.page(before=None, limit=2)
        second = await store.experiments.page(before=first.next, limit=2)

        assert [each.id for each in first.experiments] == [ids[2], ids[1]]
        assert [each.id for each in second.experiments] == [ids[0]]
        assert second.next is None

    async def test_recent_samples_are_counted_ones_of_this_definition(
        self, store: Store
    ) -> None:
        """Newest first, so many of each case, without their texts."""
        for seconds in (1.0, 2.0, 3.0):
            await write_run(store, [replace(sample(), duration_seconds=seconds)])
        await write_run(store, [sample(fingerprint="f2")])
        await filled(store)
        found = await store.experiments.recent("shop", {"refund": "f1"}, 2)

        assert [each.duration_seconds for each in found["refund"]] == [3.0, 2.0]
        assert [each.answer for each in found["refund"]] == [None, None]


class TestForgetting:
    async def test_a_forgotten_monitor_has_no_experiments(self, store: Store) -> None:
        """Also one whose command was killed."""
        begun = await filled(store)
        forgotten = await store.forget("shop")

        assert (forgotten.runs, forgotten.samples) == (2, 4)
        assert await store.experiments.get(begun.id) is None

    async def test_what_is_forgotten_midway_takes_no_more(self, store: Store) -> None:
        """Nothing of it comes back."""
        begun = await filled(store)
        await store.forget("shop")

        with pytest.raises(StoreError, match="forgotten"):
            await store.experiments.add(begun, Setup.CURRENT, sample(), ())

    async def test_old_ones_go_with_their_runs(
        self, store: Store, clock: Clock
    ) -> None:
        """After 400 days."""
        begun = await filled(store)
        await store.experiments.end(begun, RunState.COMPLETED)
        clock.advance(days=401)
        await store.prune({})

        assert await store.experiments.get(begun.id) is None


class TestPlans:
    async def test_a_plan_comes_back_as_it_was(self, store: Store) -> None:
        """Cases, prices and all."""
        written = plan(compared_case("a", judged=True), compared_case("b"), samples=9)
        begun = await store.experiments.begin(written)
        found = await store.experiments.get(begun.id)

        assert found is not None
        assert found.plan == written
