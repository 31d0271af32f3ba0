"""The monitors as the web application sees them: the scheduler, looked at."""

from collections.abc import Mapping, Sequence

from answerprobe.errors import RequestError
from answerprobe.ledger import Ledger
from answerprobe.run import DeployRequest, RunRequest
from answerprobe.scheduler import Scheduler, Watch
from answerprobe.shapes import BudgetView, GoingView, MonitorView, SecondLookView


class Fleet:
    """A scheduler's monitors and what can be asked of them."""

    def __init__(self, scheduler: Scheduler, ledger: Ledger) -> None:
        self._scheduler = scheduler
        self._ledger = ledger

    def monitors(self) -> Sequence[MonitorView]:
        """Return every monitor, in the configuration's order."""
        return [self._view(watch) for watch in self._scheduler.watches.values()]

    def monitor(self, name: str) -> MonitorView:
        """
        Return the monitor *name*.

        Raises:
            RequestError: there is none (404).
        """
        watch = self._scheduler.watches.get(name)
        if watch is None:
            raise RequestError(404, f"there is no monitor {name!r}")
        return self._view(watch)

    def _view(self, watch: Watch) -> MonitorView:
        """Return *watch* as it stands now."""
        limit = watch.monitor.token_budget
        return MonitorView(
            monitor=watch.monitor,
            status=watch.status,
            health=watch.health,
            pause=watch.pause,
            next_run_at=None if watch.pause else watch.due,
            last_run=watch.last_run,
            budget=None
            if limit is None
            else BudgetView(
                limit_tokens=limit,
                used_tokens=self._ledger.used_tokens(watch.name),
                reset_at=self._ledger.reset_at,
            ),
            going=_going(watch),
            waiting=(*watch.delayed, *(queued.id for queued in watch.queue)),
        )

    def done(self, run_id: int) -> int | None:
        """Return how many samples a run that goes on has done; else None."""
        return self._scheduler.done(run_id)

    def confirming(self, run_id: int) -> SecondLookView | None:
        """Return the second look that a run which goes on waits for, or takes."""
        look = self._scheduler.confirming(run_id)
        if look is None:
            return None
        return SecondLookView(at=look.at, done=look.progress.done, total=look.total)

    async def start_run(self, request: RunRequest) -> int:
        """Queue *request*; see Scheduler.start_run."""
        return await self._scheduler.start_run(request)

    async def deploy(self, deploy: DeployRequest) -> Mapping[str, int]:
        """Run what *deploy* matches; see Scheduler.deploy."""
        return await self._scheduler.deploy(deploy)

    async def pause(self, name: str) -> None:
        """Pause *name*; see Scheduler.pause."""
        await self._scheduler.pause(name)

    async def resume(self, name: str) -> None:
        """Resume *name*; see Scheduler.resume."""
        await self._scheduler.resume(name)


def _going(watch: Watch) -> GoingView | None:
    """Return the run of *watch* that goes on."""
    if watch.going is None:
        return None
    progress = watch.going.progress
    return GoingView(
        run_id=progress.run_id,
        trigger=watch.going.request.trigger,
        done=progress.done,
        total=len(progress.results),
    )
