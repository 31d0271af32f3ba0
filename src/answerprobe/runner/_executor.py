"""A run from its claim to its place in the store, with what it says of the monitor."""

import asyncio

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from answerprobe.case import Rubric
from answerprobe.errors import ClaimLost, StoreError
from answerprobe.evidence import FinishedRun
from answerprobe.judge import Blame, at_fault
from answerprobe.ledger import Ledger, LedgerEntry
from answerprobe.monitor import Monitor
from answerprobe.run import Run, RunState
from answerprobe.runner._assignment import SecondLook
from answerprobe.runner._job import Executed, Job, RunJournal
from answerprobe.runner._runner import Runner
from answerprobe.sample import TokenRole
from answerprobe.status import (
    Cause,
    advance,
    confirmed,
    newly_regressed,
    to_confirm,
)
from answerprobe.verdict import Outcome


_log = structlog.get_logger()


class Executor:
    """
    Carries out jobs and writes them down.

    *sleep* lets seconds pass, by a clock that nobody sets.
    """

    def __init__(
        self,
        *,
        runner: Runner,
        journal: RunJournal,
        ledger: Ledger,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._runner = runner
        self._journal = journal
        self._ledger = ledger
        self._clock = clock
        self._sleep = sleep

    async def execute(self, job: Job) -> Executed:
        """
        Carry out *job*.

        A job that is cancelled, or fails by our own fault, is written down as
        interrupted before the exception goes on.

        Raises:
            ClaimLost: another replica may do it now; nothing of it counts.
        """
        job.progress.begun = True
        assignment = job.assignment
        run = await self._begun(job, total=len(assignment.plan))
        try:
            await self._runner.run(assignment, job.progress)
            if not job.progress.cut_short:
                await self._look_again(run, job)
            if not job.progress.cut_short:
                return await self._finish(run, job)
        except BaseException:
            # One that has ended in the store stays as it is: this changes nothing then.
            await self._interrupt(run, job, due_at=None)
            raise
        put_off = job.progress.called_off or job.progress.lost
        due_at = None if put_off else job.due_at()
        interrupted = await self._interrupt(run, job, due_at=due_at)
        return Executed(run=interrupted, status=None)

    async def _begun(self, job: Job, *, total: int) -> Run:
        """Write that *job* starts; where it is cancelled meanwhile, that it ended."""
        beginning = asyncio.ensure_future(self._begin(job, total=total))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            # The store has the run, or will have: nobody may find it going on for ever.
            await self._interrupt(await beginning, job, due_at=None)
            raise

    async def _look_again(self, run: Run, job: Job) -> None:
        """Ask once more, after a while, the cases that *run* has bad news of."""
        seen = self._ended(run, job, RunState.COMPLETED)
        doubtful = to_confirm(job.previous, job.monitor, seen)
        if not doubtful:
            return
        if not job.may_look_again():
            job.progress.called_off = True
            return
        log = _log.bind(monitor=job.monitor.name, run=run.id, cases=len(doubtful))
        log.info("run.doubted", seconds=job.monitor.second_look_after_seconds)
        await self._confirm(job, doubtful)
        if not job.progress.cut_short:
            seen = self._ended(run, job, RunState.COMPLETED)
            bad = confirmed(job.previous, job.monitor, seen)
            log.info("run.looked_again", confirmed=len(bad))

    async def _confirm(self, job: Job, case_ids: Collection[str]) -> None:
        """Wait, and then ask *case_ids* again."""
        asked = tuple(case for case in job.cases if case.id in case_ids)
        again = replace(job.assignment, cases=asked)
        wait = job.monitor.second_look_after_seconds
        at = self._clock() + timedelta(seconds=wait)
        look = job.progress.second_look = SecondLook(at=at, total=len(again.plan))
        # Nothing is held meanwhile: neither a slot nor a connection.
        await self._sleep(wait)
        look.waiting = False
        await self._runner.run(again, look.progress)

    async def _begin(self, job: Job, *, total: int) -> Run:
        """Write that *job* starts now, and return its run."""
        started_at = self._clock()
        run_id = job.progress.run_id
        if run_id is not None and job.claimed and job.claimed.started_at:
            started_at = job.claimed.started_at
        elif run_id is None:
            run_id = await self._journal.begin(
                job.request, started_at=started_at, total=total, claim=job.claim
            )
            job.progress.run_id = run_id
        else:
            await self._journal.start(run_id, started_at, claim=job.claim)
        return Run(
            id=run_id,
            request=job.request,
            state=RunState.RUNNING,
            queued_at=job.queued_at,
            started_at=started_at,
            total=total,
        )

    def _ended(self, run: Run, job: Job, state: RunState) -> Run:
        """Return *run* as it stands now, in *state*."""
        look = job.progress.second_look
        return Run(
            id=run.id,
            request=run.request,
            state=state,
            queued_at=run.queued_at,
            started_at=run.started_at,
            finished_at=self._clock(),
            total=run.total,
            done=job.progress.done,
            samples=job.progress.samples,
            second_look=tuple(
                replace(sample, second_look=True)
                for sample in (look.progress.samples if look else ())
            ),
        )

    async def _interrupt(self, run: Run, job: Job, *, due_at: datetime | None) -> Run:
        """Write that *run* was cut short; without *due_at* it stays due."""
        ended = self._ended(run, job, RunState.INTERRUPTED)
        increments = self._ledger.take_increments(job.monitor.name)
        await self._write(
            FinishedRun(run=ended, ledger=increments, due_at=due_at, claim=job.claim),
            increments,
        )
        return ended

    async def _write(
        self, finished: FinishedRun, increments: tuple[LedgerEntry, ...]
    ) -> bool:
        """Write *finished* down; what it spent is spent, also where it is refused."""
        try:
            counts = await self._journal.finish(finished)
        except StoreError:
            self._ledger.give_back(increments)
            raise
        if counts:
            self._ledger.written(increments)
        else:
            self._ledger.give_back(increments)
        return counts

    async def _finish(self, run: Run, job: Job) -> Executed:
        """Write *run* down as completed, with the status that follows from it."""
        ended = self._ended(run, job, RunState.COMPLETED)
        status = None
        if not ended.request.exploratory:
            causes = await self._causes(ended, job)
            status = advance(job.previous, job.monitor, ended, causes)
        increments = self._ledger.take_increments(job.monitor.name)
        finished = FinishedRun(
            run=ended,
            status=status,
            ledger=increments,
            due_at=job.due_at(),
            claim=job.claim,
        )
        # Half written it would be neither finished nor interrupted.
        if not await asyncio.shield(self._write(finished, increments)):
            raise ClaimLost(f"run {ended.id} of {job.monitor.name!r} came too late")
        return Executed(run=ended, status=status)

    async def _causes(self, run: Run, job: Job) -> Mapping[str, Cause]:
        """
        Return whose change it was, for the cases that *run* makes regress.

        Only where a judged criterion failed it can have been the judge's.
        """
        suspects = {
            case_id: rubrics
            for case_id in newly_regressed(job.previous, job.monitor, run)
            if (rubrics := _failed_rubrics(job.monitor, run, case_id))
        }
        if not suspects or job.judge is None:
            return {}
        fingerprints = {
            case.id: case.fingerprint
            for case in job.monitor.cases
            if case.id in suspects
        }
        try:
            good = await self._journal.last_good(job.monitor.name, fingerprints)
        except StoreError:
            # Without the last good answer nobody can tell: it stays the agent's.
            return {}
        blames: dict[str, Blame] = {}
        for case_id in suspects.keys() & good.keys():
            blame = await at_fault(job.judge, suspects[case_id], good[case_id])
            self._runner.account(job.assignment, {TokenRole.JUDGE: blame.usage})
            blames[case_id] = blame
        return {case_id: blame.cause for case_id, blame in blames.items()}


def _failed_rubrics(
    monitor: Monitor, run: Run, case_id: str
) -> tuple[tuple[str, Rubric], ...]:
    """Return the judged criteria that failed in samples of *case_id*."""
    failed = {
        verdict.criterion
        for sample in (*run.samples, *run.second_look)
        if sample.case_id == case_id
        for verdict in sample.verdicts
        if verdict.outcome is Outcome.FAIL
    }
    case = next(case for case in monitor.cases if case.id == case_id)
    return tuple((label, rubric) for label, rubric in case.rubrics if label in failed)
