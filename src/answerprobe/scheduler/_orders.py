"""Runs that are asked for: by hand, by a deploy, or before a restart."""

import asyncio

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from answerprobe.errors import RequestError
from answerprobe.evidence import FinishedRun
from answerprobe.monitor import Monitor
from answerprobe.run import (
    DeployRequest,
    Run,
    RunRequest,
    RunState,
    Trigger,
    impossible,
)
from answerprobe.scheduler._board import Board, StateJournal
from answerprobe.scheduler._runs import Runs
from answerprobe.scheduler._watch import Delayed, Going, Queued, Watch


# A full queue has room for one more after about this long.
_QUEUE_SECONDS = 10.0
_LONGEST_QUEUE = 20


class Orders:
    """Takes orders for runs, promises their ids, and queues them."""

    def __init__(
        self,
        *,
        runs: Runs,
        journal: StateJournal,
        board: Board,
        clock: Callable[[], datetime],
        shared: bool = False,
    ) -> None:
        # Where others queue runs too, only the store knows what waits.
        self._shared = shared
        self._runs = runs
        self._journal = journal
        self._board = board
        self._clock = clock

    async def start(self, watch: Watch, request: RunRequest) -> int:
        """
        Queue *request*, which starts at once if nothing of its monitor goes on.

        Returns the run's id; that of a waiting run where one waits for the same.

        Raises:
            RequestError: no such case (404), it does not run like this (409), too few
                samples for a threshold (400), or too many runs wait (429).
        """
        if unknown := _unknown_cases(request, watch.monitor):
            message = f"monitor {watch.name!r} has no case {unknown[0]!r}"
            raise RequestError(404, message)
        if fault := request.fault_for(watch.monitor):
            raise RequestError(409, fault)
        if impossible_bar := _impossible(request, watch.monitor):
            raise RequestError(400, impossible_bar)
        async with watch.ordering:
            for queued in () if self._shared else watch.queue:
                if queued.request == request:
                    return queued.id
            if len(watch.queue) + len(watch.delayed) >= _LONGEST_QUEUE:
                message = f"{_LONGEST_QUEUE} runs of {watch.name!r} wait already"
                raise RequestError(429, message, retry_after_seconds=_QUEUE_SECONDS)
            return await self._enqueue(watch, request)

    async def deploy(
        self, watches: Iterable[Watch], deploy: DeployRequest
    ) -> Mapping[str, int]:
        """
        Run each of *watches* that matches *deploy*, after its delay; name -> run id.

        A deploy's run that waits already serves, with the newer version. A monitor that
        was paused by hand, or has no case that counts, learns of the deploy and does
        not run.
        """
        # All at once: the journal then writes them in few transactions.
        async with asyncio.TaskGroup() as group:
            tasks = {
                watch.name: group.create_task(self._deploy(watch, deploy))
                for watch in watches
                if _matches(deploy, watch.monitor)
            }
        ids = {name: task.result() for name, task in tasks.items()}
        return {name: run_id for name, run_id in ids.items() if run_id is not None}

    async def _deploy(self, watch: Watch, deploy: DeployRequest) -> int | None:
        """Tell *watch* of a deploy; return the run it makes, None where paused."""
        now = self._clock()
        await self._journal.record_deploy(watch.name, deploy.version, now)
        if watch.dropped:
            return None
        self._board.deployed(watch.name, deploy.version, now)
        if watch.paused_manually or not watch.monitor.cases:
            return None
        return await self._queue(watch, deploy)

    async def _queue(self, watch: Watch, deploy: DeployRequest) -> int:
        """Queue a deploy's run of *watch*, or hand the one that waits the version."""
        request = RunRequest(
            monitor=watch.name, trigger=Trigger.DEPLOY, version=deploy.version
        )
        async with watch.ordering:
            waiting = _take_deploy(watch)
            if waiting is None or self._shared:
                return await self._enqueue(watch, request, deploy.delay_seconds)
            not_before = self._after(deploy.delay_seconds)
            await self._journal.change_version(waiting.id, deploy.version, not_before)
            queued = replace(waiting, request=request, not_before=not_before)
            await self.line_up(watch, queued)
            return queued.id

    async def _enqueue(
        self, watch: Watch, request: RunRequest, delay_seconds: float = 0.0
    ) -> int:
        """Write *request* down as queued, and start it when its turn comes."""
        queued_at, not_before = self._clock(), self._after(delay_seconds)
        run_id = await self._journal.enqueue(
            request,
            queued_at=queued_at,
            total=_total(request, watch.monitor),
            not_before=not_before,
        )
        queued = Queued(
            id=run_id, request=request, queued_at=queued_at, not_before=not_before
        )
        await self.line_up(watch, queued)
        return run_id

    def _after(self, delay_seconds: float) -> datetime | None:
        """Return the instant *delay_seconds* from now; None where that is now."""
        if delay_seconds <= 0:
            return None
        return self._clock() + timedelta(seconds=delay_seconds)

    async def line_up(self, watch: Watch, queued: Queued) -> None:
        """Let *queued* start when its turn comes, after its delay."""
        left_seconds = 0.0
        if queued.not_before is not None:
            left_seconds = (queued.not_before - self._clock()).total_seconds()
        if watch.dropped:
            await self.interrupt(queued)
        elif watch.awaits(queued.id):
            # The store had it already, and another order of it came first.
            return
        elif left_seconds > 0:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(left_seconds, self._arrive, watch, queued.id)
            watch.delayed[queued.id] = Delayed(queued=queued, timer=timer)
        else:
            watch.queue.append(queued)
            self._runs.next(watch)

    def _arrive(self, watch: Watch, run_id: int) -> None:
        """Put a run whose delay is over into the queue."""
        watch.queue.append(watch.delayed.pop(run_id).queued)
        self._runs.next(watch)

    async def requeue(self, watch: Watch | None, queued: Queued) -> None:
        """Take up a run that an earlier process promised, or another replica."""
        deploy = queued.request.trigger is Trigger.DEPLOY
        if self._shared and (watch is None or watch.outdated):
            # Another replica may know it.
            return
        if (
            watch is None
            or _unknown_cases(queued.request, watch.monitor)
            or queued.request.fault_for(watch.monitor)
            or (deploy and watch.paused_manually)
        ):
            await self.interrupt(queued)
        else:
            await self.line_up(watch, queued)

    async def cancel_unbegun(self, going: Going) -> None:
        """Interrupt a run that was cancelled before it did anything, if *going* is."""
        run_id = going.progress.run_id
        if run_id is not None and not going.progress.begun:
            await self.interrupt(
                Queued(id=run_id, request=going.request, queued_at=going.queued_at)
            )

    async def cancel_deploy(self, watch: Watch) -> None:
        """Interrupt a deploy's run of *watch* that waits: it was paused by hand."""
        if waiting := _take_deploy(watch):
            await self.interrupt(waiting)

    async def cancel(self, watch: Watch) -> None:
        """Interrupt whatever of *watch* waits."""
        waiting = [
            *watch.queue,
            *(delayed.queued for delayed in watch.delayed.values()),
        ]
        for delayed in watch.delayed.values():
            delayed.timer.cancel()
        watch.queue.clear()
        watch.delayed.clear()
        for queued in waiting:
            await self.interrupt(queued)

    async def interrupt(self, queued: Queued) -> None:
        """Write that a run that waited will never start."""
        run = Run(
            id=queued.id,
            request=queued.request,
            state=RunState.INTERRUPTED,
            queued_at=queued.queued_at,
            finished_at=self._clock(),
            total=0,
        )
        await self._journal.finish(FinishedRun(run=run))


def _take_deploy(watch: Watch) -> Queued | None:
    """Take the deploy's run that waits out of its line; None where none does."""
    for queued in watch.queue:
        if queued.request.trigger is Trigger.DEPLOY:
            watch.queue.remove(queued)
            return queued
    for run_id, delayed in watch.delayed.items():
        if delayed.queued.request.trigger is Trigger.DEPLOY:
            delayed.timer.cancel()
            return watch.delayed.pop(run_id).queued
    return None


def _unknown_cases(request: RunRequest, monitor: Monitor) -> tuple[str, ...]:
    """Return the cases that *request* names and *monitor* does not have."""
    known = {case.id for case in (*monitor.cases, *monitor.uncounted)}
    return tuple(c for c in request.case_ids or () if c not in known)


def _impossible(request: RunRequest, monitor: Monitor) -> str | None:
    """Return why a case cannot be decided by the samples that *request* asks for."""
    if request.samples is None:
        return None
    chosen = request.cases_of(monitor)
    found = (impossible(case, request.samples) for case in chosen)
    return next(filter(None, found), None)


def _total(request: RunRequest, monitor: Monitor) -> int:
    """Return how many samples *request* makes."""
    return sum(request.samples or case.samples for case in request.cases_of(monitor))


def _matches(deploy: DeployRequest, monitor: Monitor) -> bool:
    """Whether *deploy* is about *monitor*."""
    if deploy.monitors is not None and monitor.name not in deploy.monitors:
        return False
    return all(monitor.labels.get(k) == v for k, v in deploy.labels.items())
