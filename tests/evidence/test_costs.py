"""What the last runs of a monitor took."""

from dataclasses import replace
from datetime import timedelta

from answerprobe.evidence import Costs, FinishedRun, RunTime, SampleCost, Store
from answerprobe.run import RunRequest, Trigger
from builders import NOW
from evidence.writing import ended, sample, write_run


COST = SampleCost(case_id="refund", fingerprint="f1", tokens=sample().tokens)


class TestCosts:
    async def test_the_last_runs_and_their_samples_are_told(self, store: Store) -> None:
        """Of this monitor alone, dry runs too."""
        other = RunRequest(monitor="faq", trigger=Trigger.MANUAL)
        dry = RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        await write_run(store, [sample(), sample()])
        await write_run(store, [sample()], request=other)
        await write_run(store, [sample()], request=dry)

        found = await store.costs("shop")

        assert [run.samples for run in found.runs] == [1, 2]
        assert found.samples == (COST, COST, COST)

    async def test_a_run_takes_from_its_start_to_its_end(self, store: Store) -> None:
        """In seconds."""
        request = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        start = NOW - timedelta(seconds=12.5)
        run_id = await store.begin(request, started_at=start, total=1)
        run = replace(ended(run_id, [sample()]), finished_at=NOW)
        await store.finish(FinishedRun(run=run))

        (told,) = (await store.costs("shop")).runs

        assert told == RunTime(samples=1, seconds=12.5)

    async def test_experiments_tell_nothing(self, store: Store) -> None:
        """They asked another model."""
        experiment = RunRequest(monitor="shop", trigger=Trigger.EXPERIMENT)
        await write_run(store, request=experiment)

        assert await store.costs("shop") == Costs()

    async def test_one_that_never_ran_took_nothing(self, store: Store) -> None:
        """Nobody knows anything of it."""
        assert await store.costs("shop") == Costs()
