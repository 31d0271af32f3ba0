"""What others do to a monitor, as the store tells it."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol

import structlog

from answerprobe.evidence import StoredMonitor, Told
from answerprobe.run import Trigger
from answerprobe.runner import Job
from answerprobe.scheduler._board import Board
from answerprobe.scheduler._budgets import Budgets
from answerprobe.scheduler._grid import restored_due
from answerprobe.scheduler._watch import Watch
from answerprobe.status import Pause


_log = structlog.get_logger()
# How soon a due run that another replica has is looked for again.
_LOOK_AGAIN_SECONDS = 2.0


class Arm(Protocol):
    """Sets the timer of a watch."""

    def __call__(self, watch: Watch, at_least_seconds: float = 0.0) -> None:
        """Let *watch* be due at its due time, in *at_least_seconds*."""
        ...


class Following:
    """Keeps watches true to what the store has of their monitors."""

    def __init__(
        self,
        *,
        board: Board,
        budgets: Budgets,
        clock: Callable[[], datetime],
        show: Callable[[Watch], Awaitable[None]],
        arm: Arm,
        disarm: Callable[[Watch], None],
    ) -> None:
        self._board = board
        self._budgets = budgets
        self._clock = clock
        self._show = show
        self._arm = arm
        self._disarm = disarm

    def learn(self, watch: Watch, state: StoredMonitor, job: Job | None) -> None:
        """Know what the store has of *watch*; *job* is its run that was claimed."""
        if job is not None:
            watch.status = job.previous
            watch.revision, watch.epoch = state.revision, state.epoch
        if job is None or job.request.trigger is not Trigger.SCHEDULE:
            self._follow_due(watch, state, refused=job is None)

    def _follow_due(
        self, watch: Watch, state: StoredMonitor, *, refused: bool = False
    ) -> None:
        """Set the timer of *watch* to when the store has it due."""
        due_at = None if state.due_at is None else state.due_at.timestamp()
        every = watch.monitor.every_seconds
        if every is None or due_at is None or watch.dropped:
            return
        now = self._clock().timestamp()
        watch.due_at = restored_due(due_at, every, now=now)
        if refused and watch.due_at <= now:
            # Somebody else is at it: look now and then whether they still are.
            self._arm(watch, at_least_seconds=_LOOK_AGAIN_SECONDS)
        else:
            self._arm(watch)

    async def follow(self, watch: Watch, told: Told) -> None:
        """Know what the store has of *watch*: others may have changed it."""
        name, state = watch.name, told.state
        if state.revision < watch.revision:
            # It was read before a run ended here, whose end the store has meanwhile.
            return
        watch.revision = state.revision
        if state.definition != watch.monitor.definition:
            self.outdate(watch)
            return
        if watch.outdated:
            watch.outdated = False
            _log.info("monitor.taken_up", monitor=name)
            await self._show(watch)
        await self._follow_pause(watch, paused=state.paused_manually)
        if state.deploy:
            self._board.deployed(name, state.deploy.version, state.deploy.at)
        going = watch.going and watch.going.progress.begun
        # Another epoch: the claim is lost, and the run that is begun here can't count.
        if not going or state.epoch != watch.epoch:
            watch.epoch = state.epoch
            watch.status = state.status.of(watch.monitor)
            watch.last_run = told.last_run
            await self._board.show_status(watch.monitor, watch.status)
            if not watch.going:
                self._follow_due(watch, state)
        self._budgets.refresh(watch)

    def outdate(self, watch: Watch) -> None:
        """Neither run nor show *watch*: another replica has a newer definition."""
        if watch.outdated:
            return
        watch.outdated = True
        _log.warning("monitor.outdated", monitor=watch.name)
        self._disarm(watch)
        self._board.withhold(watch.name)

    async def _follow_pause(self, watch: Watch, *, paused: bool) -> None:
        """Pause or resume *watch* as somebody did at another replica."""
        if paused == watch.paused_manually:
            return
        watch.paused_manually = paused
        if paused and watch.going and watch.going.progress.waiting:
            watch.going.task.cancel()
        self._board.paused(watch.name, Pause.MANUAL, on=paused)
