import asyncio
import random
import time

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from answerprobe.case import Case
from answerprobe.comparison import Experiment, Setup, compare
from answerprobe.errors import StoreError, StoreUnavailable
from answerprobe.evidence import Increment
from answerprobe.experiment import Experimenter, Trial
from answerprobe.ledger import Ledger
from answerprobe.monitor import Monitor
from answerprobe.run import RunState, SampleResult
from answerprobe.runner import Assignment, Runner, Slots
from answerprobe.sample import Reply
from builders import NOW, case, monitor
from comparing import compared_case, plan
from scripted import GOOD, ScriptedTarget, Spending, reply, until


@dataclass
class Notebook:
    """A journal of experiments in memory; *faults* are raised first, one each time."""

    kept: list[tuple[Setup, SampleResult]] = field(default_factory=list)
    tokens: int = 0
    ends: list[RunState] = field(default_factory=list)
    faults: list[StoreError] = field(default_factory=list)

    async def add(
        self,
        experiment: Experiment,
        setup: Setup,
        result: SampleResult,
        ledger: Sequence[Increment],
    ) -> None:
        """Keep a sample."""
        del experiment
        if self.faults:
            raise self.faults.pop(0)
        self.kept.append((setup, result))
        self.tokens += sum(e.input_tokens + e.output_tokens for e in ledger)

    async def end(
        self, experiment: Experiment, state: RunState, ledger: Sequence[Increment] = ()
    ) -> Experiment:
        """Keep how it ended."""
        self.ends.append(state)
        self.tokens += sum(e.input_tokens + e.output_tokens for e in ledger)
        return replace(experiment, state=state)


class Bench:
    """An experiment of two scripted targets with everything that it needs."""

    def __init__(
        self, *cases: Case, samples: int = 3, watched: Monitor | None = None
    ) -> None:
        self.order: list[str] = []
        self.targets = {setup: self._target(setup) for setup in Setup}
        self.journal = Notebook()
        self.ledger = Ledger((), clock=lambda: NOW)
        self.steps = 0
        self.asked: dict[tuple[Setup, str], int] = {}
        self.at_once = 1
        self._watched = watched or monitor(cases=cases or (case(),))
        ids = [compared_case(each.id) for each in self._watched.cases]
        self._plan = plan(*ids, samples=samples)

    def _target(self, setup: Setup) -> ScriptedTarget:
        def say(_message: str) -> Reply:
            self.order.append(setup.value)
            return reply(GOOD)

        return ScriptedTarget(say=say)

    async def _no_sleep(self, _seconds: float) -> None:
        await asyncio.sleep(0)

    def _step(self) -> None:
        self.steps += 1

    @property
    def trial(self) -> Trial:
        """Return what is to be carried out."""
        experiment = Experiment(
            id=1,
            epoch=1,
            plan=self._plan,
            state=RunState.RUNNING,
            started_at=NOW,
            finished_at=None,
            run_ids={Setup.CURRENT: 1, Setup.CHANGED: 2},
            done=0,
            comparison=compare(self._plan, {}),
        )
        assignments = {
            setup: Assignment(
                monitor=self._watched,
                cases=self._watched.cases,
                target=target,
                judge=None,
                prices={},
            )
            for setup, target in self.targets.items()
        }
        return Trial(
            experiment=experiment,
            assignments=assignments,
            asked=self.asked,
            at_once=self.at_once,
            progressed=self._step,
        )

    async def carry_out(self) -> Experiment:
        """Carry it out."""
        runner = Runner(
            slots=Slots(in_flight=50, per_host=50, monotonic=time.monotonic),
            per_monitor=5,
            ledger=self.ledger,
            observer=Spending(),
            scrub=lambda text: text,
            clock=lambda: NOW,
            monotonic=time.monotonic,
            rng=random.Random(1),  # noqa: S311  a seed makes it repeatable
        )
        experimenter = Experimenter(
            runner=runner,
            journal=self.journal,
            ledger=self.ledger,
            sleep=self._no_sleep,
        )
        return await experimenter.carry_out(self.trial)


class TestSchedule:
    async def test_setups_take_turns(self) -> None:
        """And in who is first: drift meets both alike."""
        bench = Bench()
        await bench.carry_out()

        first = ["current", "changed"]
        assert bench.order == [*first, *reversed(first), *first]

    async def test_every_case_is_asked_once_before_any_is_again(self) -> None:
        """So that what is cut short tells something of all of them."""
        bench = Bench(case("a"), case("b"), samples=2)
        await bench.carry_out()

        cases = [sample.case_id for _, sample in bench.journal.kept]
        assert cases == ["a", "a", "b", "b"] * 2

    async def test_what_was_asked_before_is_not_asked_again(self) -> None:
        """Each setup and case goes on where it was."""
        bench = Bench(samples=3)
        bench.asked = {(Setup.CURRENT, "refund"): 2, (Setup.CHANGED, "refund"): 1}
        await bench.carry_out()

        assert sorted(bench.order) == ["changed", "changed", "current"]


class TestExperimenter:
    async def test_each_sample_is_written_as_it_comes(self) -> None:
        """With what it spent."""
        bench = Bench()
        ended = await bench.carry_out()

        assert ended.state is RunState.COMPLETED
        assert (len(bench.journal.kept), bench.steps) == (6, 6)
        assert bench.journal.tokens == 60

    async def test_no_more_than_its_share_at_once(self) -> None:
        """Both setups together."""
        bench = Bench(samples=10)
        bench.at_once = 2
        await bench.carry_out()

        assert max(target.most for target in bench.targets.values()) <= 2
        assert len(bench.journal.kept) == 20

    async def test_the_budget_ends_it(self) -> None:
        """What is left can be asked another time."""
        bench = Bench(samples=50, watched=monitor(token_budget=100))
        ended = await bench.carry_out()

        assert ended.state is RunState.INTERRUPTED
        assert bench.journal.ends == [RunState.INTERRUPTED]
        assert len(bench.journal.kept) == 10

    async def test_cancelled_it_is_interrupted(self) -> None:
        """With all samples that came."""
        bench = Bench()
        gate = bench.targets[Setup.CHANGED].gate = asyncio.Event()
        task = asyncio.create_task(bench.carry_out())
        await until(lambda: bench.targets[Setup.CHANGED].busy)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert not gate.is_set()
        assert bench.journal.ends == [RunState.INTERRUPTED]
        assert [setup for setup, _ in bench.journal.kept] == [Setup.CURRENT]

    async def test_a_store_that_is_locked_is_asked_again(self) -> None:
        """A daemon writes there too; nothing that was spent is lost."""
        bench = Bench()
        bench.journal.faults = [StoreUnavailable("locked"), StoreUnavailable("locked")]
        ended = await bench.carry_out()

        assert ended.state is RunState.COMPLETED
        assert len(bench.journal.kept) == 6
        assert bench.journal.tokens == 60

    async def test_an_experiment_that_is_lost_asks_no_more(self) -> None:
        """Another command has it, or it was forgotten."""
        bench = Bench()
        bench.journal.faults = [StoreError("it is no longer ours")]
        with pytest.raises(ExceptionGroup) as raised:
            await bench.carry_out()

        assert str(raised.value.exceptions[0]) == "it is no longer ours"
        assert len(bench.order) == 1
