"""The experiments of a store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from answerprobe.comparison import Experiment, ExperimentPlan, Setup
from answerprobe.evidence import _experiment_sql
from answerprobe.evidence._database import Database
from answerprobe.evidence._experiment_sql import ExperimentPage
from answerprobe.evidence._records import Increment
from answerprobe.run import RunState, SampleResult


class Experiments:
    """
    The experiments of a store. What is written is committed when a method returns.

    Every method may raise StoreUnavailable and StoreDamaged.
    """

    def __init__(self, database: Database, *, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, plan: ExperimentPlan) -> Experiment:
        """Write that an experiment starts, with a run for each setup."""
        work = partial(_experiment_sql.begin, plan=plan, at=self._clock())
        return await self._database.write(work)

    async def take(self, experiment_id: int) -> Experiment:
        """
        Go on with an experiment: from now on nobody else can add to it.

        Raises:
            StoreError: there is none of that number, or it has ended.
        """
        work = partial(_experiment_sql.take, experiment_id=experiment_id)
        return await self._database.write(work)

    async def add(
        self,
        experiment: Experiment,
        setup: Setup,
        result: SampleResult,
        ledger: Sequence[Increment],
    ) -> None:
        """
        Write one sample of *experiment*, and what was spent.

        Raises:
            StoreError: somebody else has taken it, or it was forgotten.
        """
        work = partial(
            _experiment_sql.add,
            experiment=experiment,
            setup=setup,
            result=result,
            ledger=ledger,
        )
        await self._database.write(work)

    async def end(
        self,
        experiment: Experiment,
        state: RunState,
        ledger: Sequence[Increment] = (),
    ) -> Experiment:
        """
        Write that *experiment* ended, or was cut short; return it with its result.

        Raises:
            StoreError: somebody else has taken it, or it was forgotten.
        """
        # Looked at beforehand: whoever else writes is not to wait for all of it.
        found = await self._database.read(
            partial(
                _experiment_sql.compared,
                plan=experiment.plan,
                run_ids=experiment.run_ids,
            )
        )
        ended = replace(
            experiment, state=state, finished_at=self._clock(), comparison=found
        )
        work = partial(_experiment_sql.end, ended=ended, ledger=ledger)
        return await self._database.write(work)

    async def get(self, experiment_id: int) -> Experiment | None:
        """Return one experiment as it stands; None where there is none."""
        return await self._database.read(
            partial(_experiment_sql.get, experiment_id=experiment_id)
        )

    async def page(self, *, before: int | None, limit: int) -> ExperimentPage:
        """Return at most *limit* experiments, newest first, from *before* on."""
        return await self._database.read(
            partial(_experiment_sql.page, before=before, limit=limit)
        )

    async def asked(self, experiment: Experiment) -> Mapping[tuple[Setup, str], int]:
        """Return how often each setup was asked each case already."""
        return await self._database.read(
            partial(_experiment_sql.asked, experiment=experiment)
        )

    async def recent(
        self, monitor: str, fingerprints: Mapping[str, str], limit: int
    ) -> Mapping[str, tuple[SampleResult, ...]]:
        """
        Return the newest counted samples of each case (id -> fingerprint).

        Their texts are left out.
        """
        work = partial(
            _experiment_sql.recent,
            monitor=monitor,
            fingerprints=fingerprints,
            limit=limit,
        )
        return await self._database.read(work)
