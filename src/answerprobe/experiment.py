"""Two setups of one agent asked the same, in turn, so that drift meets both."""

import asyncio

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from answerprobe.case import Case
from answerprobe.comparison import Experiment, Setup
from answerprobe.errors import StoreUnavailable
from answerprobe.evidence import Increment
from answerprobe.ledger import Ledger
from answerprobe.run import RunState, SampleResult
from answerprobe.runner import Assignment, Runner


_log = structlog.get_logger()
# A daemon that shares the file may hold it for a moment.
_ATTEMPTS = 5
_PAUSE_SECONDS = 1.0


class ExperimentJournal(Protocol):
    """Where samples of an experiment are written down."""

    async def add(
        self,
        experiment: Experiment,
        setup: Setup,
        result: SampleResult,
        ledger: Sequence[Increment],
    ) -> None:
        """Write one sample, and what was spent."""
        ...

    async def end(
        self,
        experiment: Experiment,
        state: RunState,
        ledger: Sequence[Increment] = (),
    ) -> Experiment:
        """Write that the experiment ended; return it with its result."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """
    An experiment to carry out, with what each setup is.

    *asked* tells how often a setup was asked a case before. *at_once* samples of both
    are under way together. *progressed* is called after each sample.
    """

    experiment: Experiment
    assignments: Mapping[Setup, Assignment]
    asked: Mapping[tuple[Setup, str], int]
    at_once: int
    progressed: Callable[[], None]

    @property
    def schedule(self) -> Iterator[tuple[Setup, Case]]:
        """
        What is still to be asked, in its order.

        Both setups are asked each case one after the other, and take turns in who is
        first: what changes meanwhile, at the agent or around it, meets both alike.
        """
        cases = self.assignments[Setup.CURRENT].cases
        for number in range(self.experiment.plan.samples):
            setups = list(Setup) if number % 2 == 0 else list(reversed(Setup))
            for case in cases:
                for setup in setups:
                    if number >= self.asked.get((setup, case.id), 0):
                        yield setup, case


class Experimenter:
    """Carries out experiments: each sample is stored before the next one is asked."""

    def __init__(
        self,
        *,
        runner: Runner,
        journal: ExperimentJournal,
        ledger: Ledger,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._runner = runner
        self._journal = journal
        self._ledger = ledger
        self._sleep = sleep

    async def carry_out(self, trial: Trial) -> Experiment:
        """
        Ask all that *trial* still has to ask, and return what came of it.

        It is interrupted, and can be gone on with, where the token budget is used up;
        also where this is cancelled, or fails, before the exception goes on.
        """
        todo = trial.schedule
        spent = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(trial.at_once):
                    group.create_task(self._work(trial, todo, spent))
        except BaseException:
            await self._end(trial, RunState.INTERRUPTED)
            raise
        state = RunState.INTERRUPTED if spent.is_set() else RunState.COMPLETED
        return await self._end(trial, state)

    async def _work(
        self,
        trial: Trial,
        todo: Iterator[tuple[Setup, Case]],
        spent: asyncio.Event,
    ) -> None:
        """Do samples of *todo*, which other workers share, until none is left."""
        for setup, case in todo:
            result = await self._runner.ask(trial.assignments[setup], case)
            if result is None:
                spent.set()
            else:
                # What was asked is written also where this is cancelled meanwhile.
                await asyncio.shield(self._add(trial.experiment, setup, result))
                trial.progressed()
            if spent.is_set():
                return

    async def _add(
        self, experiment: Experiment, setup: Setup, result: SampleResult
    ) -> None:
        """Write one sample down; a store that is locked is asked again."""
        monitor = experiment.plan.monitor
        for attempt in range(1, _ATTEMPTS + 1):
            increments = self._ledger.take_increments(monitor)
            try:
                await self._journal.add(experiment, setup, result, increments)
            except StoreUnavailable as exc:
                self._ledger.give_back(increments)
                if attempt == _ATTEMPTS:
                    raise
                _log.warning("experiment.waited_for_store", reason=str(exc))
                await self._sleep(_PAUSE_SECONDS)
            except BaseException:
                self._ledger.give_back(increments)
                raise
            else:
                return

    async def _end(self, trial: Trial, state: RunState) -> Experiment:
        """Write that *trial* ended in *state*, with what nobody wrote yet."""
        increments = self._ledger.take_increments(trial.experiment.plan.monitor)
        return await self._journal.end(trial.experiment, state, increments)
