"""The runs that go on: one task each, at most one of a monitor at a time."""

import asyncio

from collections.abc import Callable
from datetime import datetime

import structlog

from answerprobe.errors import ClaimLost
from answerprobe.evidence import StoredMonitor, summary
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.runner import Executed, Executor, Job, Progress
from answerprobe.scheduler._board import Board
from answerprobe.scheduler._budgets import Budgets
from answerprobe.scheduler._claims import Claims
from answerprobe.scheduler._watch import Going, Queued, Watch


_log = structlog.get_logger()


class Runs:
    """Starts runs of watches, shows what they say, and lets them end."""

    def __init__(
        self,
        *,
        executor: Executor,
        board: Board,
        budgets: Budgets,
        claims: Claims,
        learn: Callable[[Watch, StoredMonitor, Job | None], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._claims = claims
        self._learn = learn
        self._executor = executor
        self._board = board
        self._budgets = budgets
        self._clock = clock
        self._tasks: dict[asyncio.Task[None], Progress] = {}
        self._stopping = False

    def next(self, watch: Watch) -> None:
        """Start the run of *watch* that has waited longest, if none goes on."""
        if self._stopping or watch.going or watch.outdated:
            return
        now = asyncio.get_running_loop().time()
        if watch.owed and not watch.pause and watch.monitor.cases:
            watch.owed = False
            request = RunRequest(monitor=watch.name, trigger=Trigger.SCHEDULE)
            self.launch(watch, request, planned=now)
            return
        if not watch.queue:
            return
        queued = watch.queue.popleft()
        self.launch(watch, queued.request, planned=now, queued=queued)

    def launch(
        self,
        watch: Watch,
        request: RunRequest,
        *,
        planned: float,
        queued: Queued | None = None,
    ) -> None:
        """Start a run of *watch* that was due at the loop's time *planned*."""
        progress = Progress(run_id=queued.id if queued else None)
        job = Job(
            monitor=watch.monitor,
            target=watch.equipment.target,
            judge=watch.equipment.judge,
            user=watch.equipment.user,
            prices=watch.equipment.prices,
            request=request,
            previous=watch.status,
            progress=progress,
            queued_at=queued.queued_at if queued else self._clock(),
            due_at=lambda: watch.due,
            may_look_again=lambda: not self._stopping and not watch.paused_manually,
            total_token_budget=self._budgets.total_tokens,
        )
        task = asyncio.create_task(self._guard(watch, job, planned, queued))
        watch.going = Going(
            request=request, progress=progress, task=task, queued_at=job.queued_at
        )
        self._tasks[task] = progress
        task.add_done_callback(self._tasks.pop)

    async def _guard(
        self, watch: Watch, job: Job, planned: float, queued: Queued | None
    ) -> None:
        """Carry out *job*; whatever goes wrong in it ends here."""
        trigger = job.request.trigger
        begun = False
        try:
            claimed = await self._claim(watch, job, queued)
            if claimed is None:
                return
            begun = True
            executed = await self._executor.execute(claimed)
            await self._ended(watch, job, executed)
        except asyncio.CancelledError:
            # Cancelled by us alone: at the daemon's or the monitor's end, or while it
            # waits for a second look, by a pause.
            self._interrupted(watch, job)
        except ClaimLost as exc:
            _log.warning("run.came_too_late", monitor=watch.name, reason=str(exc))
            self._interrupted(watch, job)
        except Exception:  # noqa: BLE001  a bug must not end the schedule
            # Our own fault, never the agent's: the next run is another chance.
            self._board.internal_error()
            self._count(watch, trigger, RunState.INTERRUPTED)
            _log.exception("run.failed", monitor=watch.name, trigger=trigger.value)
        finally:
            self._claims.ended(watch)
            if job.progress.first_started is not None:
                self._board.schedule_lag(job.progress.first_started - planned)
            watch.going = None
            # What others have now is looked for again when there is news of it.
            if begun or not self._claims.shared:
                self.next(watch)

    async def _claim(self, watch: Watch, job: Job, queued: Queued | None) -> Job | None:
        """Return *job* as it may be done here; None where others may do it."""
        ruling = await self._claims.take(watch, job)
        if ruling.state is not None:
            self._learn(watch, ruling.state, ruling.job)
        if ruling.job is None and queued is not None and ruling.waiting:
            # Behind the others: one that was put off elsewhere must not hold them up.
            watch.queue.append(queued)
        return ruling.job

    def _interrupted(self, watch: Watch, job: Job) -> None:
        """Count and tell of *job* cut short, unless it was not begun here."""
        if self._claims.shared and not job.progress.begun:
            return
        trigger = job.request.trigger
        self._count(watch, trigger, RunState.INTERRUPTED)
        _log.info("run.interrupted", monitor=watch.name, trigger=trigger.value)

    def _count(self, watch: Watch, trigger: Trigger, state: RunState) -> None:
        """Count a run that moved nothing else, unless its monitor is gone."""
        if not watch.dropped:
            self._board.run_counted(watch.name, trigger, state)

    async def _ended(self, watch: Watch, job: Job, executed: Executed) -> None:
        """Show what *executed* says, unless its monitor is gone."""
        run, status = executed.run, executed.status
        _log_run(run)
        if watch.dropped:
            return
        if status is not None:
            watch.status = status.of(watch.monitor)
            watch.last_run = summary(run)
            # What the store has is what is known here: nobody else changed it.
            watch.revision += 1
            await self._board.run_finished(watch.monitor, run, status)
        else:
            self._count(watch, job.request.trigger, run.state)
        self._budgets.refresh(watch)

    def abandon(self) -> None:
        """Cut short what was claimed: others may do it now."""
        for task, progress in self._tasks.items():
            if progress.begun:
                task.cancel()

    async def drain(self, grace_seconds: float) -> None:
        """
        Start nothing more, and let what goes on end within *grace_seconds*.

        What has not ended then is interrupted and written down as that, and at once
        what only waits for a second look: that may take longer than any grace.
        """
        self._stopping = True
        self._claims.stop()
        if not self._tasks:
            return
        for task, progress in self._tasks.items():
            if progress.waiting or (self._claims.shared and not progress.begun):
                task.cancel()
        _, late = await asyncio.wait(self._tasks, timeout=grace_seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)


def _log_run(run: Run) -> None:
    """Write the one line of a run that ended."""
    finished = run.state is RunState.COMPLETED
    _log.info(
        "run.finished" if finished else "run.interrupted",
        monitor=run.request.monitor,
        run=run.id,
        trigger=run.request.trigger.value,
        seconds=round(run.duration_seconds, 3),
        **{outcome.value: count for outcome, count in run.outcomes.items()},
    )
