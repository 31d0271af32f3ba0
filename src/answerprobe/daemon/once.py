"""Runs without a daemon: asked for on the command line, once."""

import asyncio

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from answerprobe.config import Config
from answerprobe.daemon._books import load_ledger, utc_now
from answerprobe.daemon._one_off import first_error, make_runner
from answerprobe.daemon._workshop import Workshop
from answerprobe.errors import AnswerprobeError
from answerprobe.evidence import Claim, FinishedRun, Store, StoredMonitor
from answerprobe.judge import Unobserved
from answerprobe.run import Run, RunRequest, SampleResult
from answerprobe.runner import Claimed, Executor, Job, Progress, RunJournal
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.scheduler import Equipment
from answerprobe.status import MonitorStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OnceOptions:
    """
    What to run.

    *storage_url* is None to keep nothing. *progressed* is called after each sample.
    """

    config: Config
    requests: tuple[RunRequest, ...]
    storage_url: str | None
    scrub: Callable[[str], str]
    progressed: Callable[[], None]


class _Notebook:
    """A journal that keeps nothing but the count of runs."""

    def __init__(self) -> None:
        self._runs = 0

    async def begin(
        self,
        request: RunRequest,
        *,
        started_at: datetime,
        total: int,
        claim: Claim | None = None,
    ) -> int:
        """Return the next number."""
        del request, started_at, total, claim
        self._runs += 1
        return self._runs

    async def start(
        self, run_id: int, started_at: datetime, *, claim: Claim | None = None
    ) -> None:
        """Keep nothing."""

    async def finish(self, finished: FinishedRun) -> bool:
        """Keep nothing."""
        del finished
        return True

    async def last_good(
        self, monitor: str, case_ids: Mapping[str, str]
    ) -> Mapping[str, SampleResult]:
        """Know of none."""
        del monitor, case_ids
        return {}


class _Counter:
    """Calls back once for each sample: each spends the agent's tokens once."""

    def __init__(self, progressed: Callable[[], None]) -> None:
        self._progressed = progressed

    def tokens_spent(
        self, monitor: str, role: TokenRole, usage: TokenUsage, cost: float | None
    ) -> None:
        """Count a sample."""
        del monitor, usage, cost
        if role is TokenRole.AGENT:
            self._progressed()

    def internal_error(self) -> None:
        """Count nothing: the log has it."""


async def run_once(options: OnceOptions) -> tuple[Run, ...]:
    """
    Carry out all requests, at once as far as the limits go, and return their runs.

    Raises:
        StoreError: the store cannot be used.
    """
    if options.storage_url is None:
        return await _run(options, None)
    store = await Store.open(options.storage_url, exclusive=True, clock=utc_now)
    try:
        await store.interrupt_unfinished()
        return await _run(options, store)
    finally:
        await store.close()


async def _run(options: OnceOptions, store: Store | None) -> tuple[Run, ...]:
    """Carry out all requests with *store*, or without one."""
    config = options.config
    workshop = Workshop(observer=Unobserved(), scrub=options.scrub)
    known = await store.load_monitors() if store else {}
    ledger = await load_ledger(store)
    runner = make_runner(
        config.limits,
        ledger=ledger,
        observer=_Counter(options.progressed),
        scrub=options.scrub,
    )
    journal: RunJournal = store or _Notebook()
    executor = Executor(runner=runner, journal=journal, ledger=ledger, clock=utc_now)
    equipment = {item.monitor.name: item for item in workshop.equip(config)}
    shared = store is not None and store.cluster is not None
    jobs = [
        _job(config, equipment[request.monitor], request, known, shared=shared)
        for request in options.requests
    ]
    if store:
        now = utc_now()
        new = {job.monitor.name: StoredMonitor(first_seen=now) for job in jobs}
        await store.save_monitors(new)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(executor.execute(job)) for job in jobs]
    except* AnswerprobeError as failed:
        # One is enough to say why it ended.
        raise first_error(failed) from failed
    finally:
        await workshop.close()
    return tuple(task.result().run for task in tasks)


def _job(
    config: Config,
    equipment: Equipment,
    request: RunRequest,
    known: Mapping[str, StoredMonitor],
    *,
    shared: bool,
) -> Job:
    """Return the job that *request* makes; *shared*: daemons may be at it too."""
    stored = known.get(request.monitor)
    # It counts if no daemon claims the monitor meanwhile.
    claim = Claim(replica="", epoch=stored.epoch if stored else 0)
    return Job(
        monitor=equipment.monitor,
        target=equipment.target,
        judge=equipment.judge,
        user=equipment.user,
        prices=equipment.prices,
        request=request,
        previous=stored.status if stored else MonitorStatus(),
        progress=Progress(),
        queued_at=utc_now(),
        total_token_budget=config.token_budget,
        claimed=Claimed(claim=claim, started_at=None) if shared else None,
    )
