"""Experiments: two setups of an agent compared, asked for on the command line."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from answerprobe.comparison import Experiment, ExperimentPlan, Setup
from answerprobe.config import Config
from answerprobe.daemon._books import load_ledger, utc_now
from answerprobe.daemon._one_off import first_error, make_runner
from answerprobe.daemon._workshop import Workshop
from answerprobe.errors import AnswerprobeError
from answerprobe.evidence import Store
from answerprobe.experiment import Experimenter, Trial
from answerprobe.judge import Unobserved
from answerprobe.monitor import Monitor
from answerprobe.run import SampleResult
from answerprobe.runner import Assignment
from answerprobe.sample import TokenRole, TokenUsage


# Enough for a mean, and few enough to be of how the agent is now.
_RECENT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """
    What to compare, and where to keep it.

    *monitors* are the two setups, with the cases that are asked. *resume* is the number
    of an experiment to go on with; *plan* is then its own. *begun* is told the number
    before anything is asked, *progressed* is called after each sample.
    """

    config: Config
    monitors: Mapping[Setup, Monitor]
    plan: ExperimentPlan
    resume: int | None
    storage_url: str
    scrub: Callable[[str], str]
    begun: Callable[[Experiment], None]
    progressed: Callable[[], None]


class _Silent:
    """An observer of runs that tells nobody: the log has what went wrong."""

    def tokens_spent(
        self, monitor: str, role: TokenRole, usage: TokenUsage, cost: float | None
    ) -> None:
        """Tell nobody."""

    def internal_error(self) -> None:
        """Tell nobody."""


async def find_experiment(storage_url: str, number: int) -> Experiment | None:
    """
    Return experiment *number* of the store; None where there is none.

    Raises:
        StoreError: the store cannot be used, or is not there.
    """
    async with _opened(storage_url, create=False) as store:
        return await store.experiments.get(number)


async def find_asked(
    storage_url: str, experiment: Experiment
) -> Mapping[tuple[Setup, str], int]:
    """
    Return how often each setup of *experiment* was asked each case already.

    Raises:
        StoreError: the store cannot be used, or is not there.
    """
    async with _opened(storage_url, create=False) as store:
        return await store.experiments.asked(experiment)


async def find_recent(
    storage_url: str, monitor: Monitor
) -> Mapping[str, tuple[SampleResult, ...]]:
    """
    Return the newest samples of each case of *monitor*, as far as there are any.

    Raises:
        StoreError: the store cannot be used.
    """
    if not Store.exists(storage_url):
        return {}
    fingerprints = {case.id: case.fingerprint for case in monitor.cases}
    async with _opened(storage_url, create=False) as store:
        return await store.experiments.recent(monitor.name, fingerprints, _RECENT)


async def compare_once(options: CompareOptions) -> Experiment:
    """
    Carry out an experiment, or what is left of it, and return what came of it.

    Raises:
        StoreError: the store cannot be used, or has no such experiment to go on with.
    """
    async with _opened(options.storage_url, create=True) as store:
        if options.resume is None:
            experiment = await store.experiments.begin(options.plan)
        else:
            experiment = await store.experiments.take(options.resume)
        options.begun(experiment)
        return await _carry_out(options, store, experiment)


async def _carry_out(
    options: CompareOptions, store: Store, experiment: Experiment
) -> Experiment:
    """Carry out *experiment*, which is ours now."""
    config = options.config
    workshop = Workshop(observer=Unobserved(), scrub=options.scrub)
    ledger = await load_ledger(store)
    runner = make_runner(
        config.limits, ledger=ledger, observer=_Silent(), scrub=options.scrub
    )
    experimenter = Experimenter(runner=runner, journal=store.experiments, ledger=ledger)
    trial = Trial(
        experiment=experiment,
        assignments=_assignments(options, workshop),
        asked=await store.experiments.asked(experiment),
        at_once=config.limits.per_monitor,
        progressed=options.progressed,
    )
    try:
        return await experimenter.carry_out(trial)
    except* AnswerprobeError as failed:
        # One is enough to say why it ended.
        raise first_error(failed) from failed
    finally:
        await workshop.close()


def _assignments(
    options: CompareOptions, workshop: Workshop
) -> Mapping[Setup, Assignment]:
    """Return both setups with their targets, and one judge and user for both."""
    # A workshop keeps a target for each name; in all else both have the monitor's own.
    named = tuple(replace(options.monitors[setup], name=setup.value) for setup in Setup)
    equipped = workshop.equip(replace(options.config, monitors=named))
    return {
        setup: Assignment(
            monitor=options.monitors[setup],
            cases=options.monitors[setup].cases,
            target=equipment.target,
            judge=equipment.judge,
            prices=equipment.prices,
            user=equipment.user,
            samples=1,
            total_token_budget=options.config.token_budget,
        )
        for setup, equipment in zip(Setup, equipped, strict=True)
    }


@asynccontextmanager
async def _opened(url: str, *, create: bool) -> AsyncIterator[Store]:
    """Open the store at *url*, which a daemon may be using, while the block runs."""
    store = await Store.open(url, exclusive=False, create=create, clock=utc_now)
    try:
        yield store
    finally:
        await store.close()
