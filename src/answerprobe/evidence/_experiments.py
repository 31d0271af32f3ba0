"""The experiments of a store."""

import asyncio

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from answerprobe.comparison import Experiment, ExperimentPlan, Setup
from answerprobe.evidence import _experiment_sql
from answerprobe.evidence._database import Database
from answerprobe.evidence._experiment_sql import Kept
from answerprobe.evidence._records import Increment
from answerprobe.run import RunState, SampleResult


# Read in well under 10 ms.
_ROWS = 500
_MOST_KNOWN = 16


class ExperimentPage(NamedTuple):
    """Experiments, newest first; *next* is the next page's `before`."""

    experiments: tuple[Experiment, ...]
    next: int | None


class Experiments:
    """
    The experiments of a store. What is written is committed when a method returns.

    Every method may raise StoreUnavailable and StoreDamaged.
    """

    def __init__(self, database: Database, *, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        # The newest looked at of those without a result, each as of its last sample.
        self._known: dict[Hashable, Experiment] = {}
        # Of several that ask for the same, one counts and the others wait for that.
        self._counting = asyncio.Lock()

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
        return await self._whole(await self._database.write(work))

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
        found = await self.get(experiment.id) or experiment
        ended = replace(
            experiment,
            state=state,
            finished_at=self._clock(),
            comparison=found.comparison,
        )
        work = partial(_experiment_sql.end, ended=ended, ledger=ledger)
        return await self._whole(await self._database.write(work))

    async def get(self, experiment_id: int) -> Experiment | None:
        """Return one experiment as it stands; None where there is none."""
        kept = await self._database.read(
            partial(_experiment_sql.get, experiment_id=experiment_id)
        )
        return None if kept is None else await self._whole(kept)

    async def of_run(self, run_id: int) -> int | None:
        """Return the id of the experiment that a run belongs to."""
        return await self._database.read(partial(_experiment_sql.of_run, run_id=run_id))

    async def page(self, *, before: int | None, limit: int) -> ExperimentPage:
        """Return at most *limit* experiments, newest first, from *before* on."""
        kept = await self._database.read(
            partial(_experiment_sql.page, before=before, limit=limit + 1)
        )
        page = tuple([await self._whole(each) for each in kept[:limit]])
        return ExperimentPage(page, page[-1].id if len(kept) > limit else None)

    async def _whole(self, kept: Kept) -> Experiment:
        """Return the experiment *kept*, others served meanwhile."""
        if kept.row["result"]:
            return await asyncio.to_thread(_experiment_sql.experiment_of, kept, {})
        async with self._counting:
            if found := self._known.get(kept.stamp):
                return found
            samples = {
                setup: await self._facts(run_id)
                for setup, run_id in kept.run_ids.items()
            }
            counted = await asyncio.to_thread(
                _experiment_sql.experiment_of, kept, samples
            )
            self._known[kept.stamp] = counted
            for old in list(self._known)[:-_MOST_KNOWN]:
                del self._known[old]
            return counted

    async def _facts(self, run_id: int) -> Sequence[sa.RowMapping]:
        """Return the samples of a run, read piece by piece."""
        found: list[sa.RowMapping] = []
        while True:
            work = partial(
                _experiment_sql.facts,
                run_id=run_id,
                after=found[-1]["id"] if found else 0,
                limit=_ROWS,
            )
            piece = await self._database.read(work)
            found += piece
            if len(piece) < _ROWS:
                return found

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
