"""Which monitors are watched, and when they are due: one timer a monitor."""

import asyncio

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from answerprobe.errors import RequestError
from answerprobe.evidence import StoredMonitor, Told
from answerprobe.ledger import Ledger
from answerprobe.run import DeployRequest, RunRequest, Trigger
from answerprobe.runner import Executor, Progress, SecondLook
from answerprobe.scheduler._board import Board, Remembered, StateJournal
from answerprobe.scheduler._budgets import Budgets
from answerprobe.scheduler._claims import Claims, SoleClaims
from answerprobe.scheduler._following import Following
from answerprobe.scheduler._grid import first_due, next_due, restored_due
from answerprobe.scheduler._orders import Orders
from answerprobe.scheduler._runs import Runs
from answerprobe.scheduler._watch import Equipment, Queued, Watch
from answerprobe.status import MonitorStatus, Pause


# A loop that is busy fires timers late; a timer that is lost never fires.
_STALLED_SECONDS = 30.0


class Scheduler:
    """Watches monitors: starts what is due or asked for, one run of each at a time."""

    def __init__(
        self,
        *,
        executor: Executor,
        journal: StateJournal,
        board: Board,
        ledger: Ledger,
        clock: Callable[[], datetime],
        claims: Claims | None = None,
    ) -> None:
        self._journal = journal
        self._board = board
        self._clock = clock
        self._budgets = Budgets(ledger=ledger, board=board, clock=clock)
        self._claims = claims = claims or SoleClaims()
        self._following = Following(
            board=board,
            budgets=self._budgets,
            clock=clock,
            show=self._show,
            arm=self._arm,
            disarm=self._disarm,
        )
        self._runs = Runs(
            executor=executor,
            board=board,
            budgets=self._budgets,
            claims=claims,
            learn=self._following.learn,
            clock=clock,
        )
        self._orders = Orders(
            runs=self._runs,
            journal=journal,
            board=board,
            clock=clock,
            shared=claims.shared,
        )
        self._watches: dict[str, Watch] = {}
        self._stopping = False

    @property
    def watches(self) -> Mapping[str, Watch]:
        """What is watched, by name."""
        return self._watches

    @property
    def stalled(self) -> bool:
        """Whether a monitor is long overdue and nothing will start it."""
        now = asyncio.get_running_loop().time()
        return not self._stopping and any(
            watch.due_at is not None
            and not watch.outdated
            and (watch.timer is None or watch.timer.when() < now - _STALLED_SECONDS)
            for watch in self._watches.values()
        )

    def done(self, run_id: int) -> int | None:
        """Return how many samples a run that goes on has done; else None."""
        progress = self._progress(run_id)
        return progress.done if progress else None

    def confirming(self, run_id: int) -> SecondLook | None:
        """Return the second look that a run which goes on waits for, or takes."""
        progress = self._progress(run_id)
        return progress.second_look if progress else None

    def _progress(self, run_id: int) -> Progress | None:
        """Return how far a run that goes on has come."""
        for watch in self._watches.values():
            if watch.going and watch.going.progress.run_id == run_id:
                return watch.going.progress
        return None

    async def apply(
        self,
        equipment: Sequence[Equipment],
        known: Mapping[str, Remembered],
        *,
        total_token_budget: int | None,
    ) -> None:
        """
        Watch the monitors of *equipment* and no others from now on.

        One that did not change keeps state and phase; *known* has what the store knows
        of new ones. A run of a monitor that is gone is interrupted.
        """
        self._budgets.total_tokens = total_token_budget
        wanted = {item.monitor.name for item in equipment}
        for name in self._watches.keys() - wanted:
            await self._drop(self._watches[name])
        changed = []
        for item in equipment:
            watch = self._watches.get(item.monitor.name)
            if watch is None:
                changed.append(await self._add(item, known.get(item.monitor.name)))
            elif await self._change(watch, item):
                changed.append(watch)
        # In the order of the configuration, which is also that of the API.
        ordered = {
            item.monitor.name: self._watches[item.monitor.name] for item in equipment
        }
        self._watches = ordered
        for watch in changed:
            watch.revision += 1
        await self._journal.save_monitors({w.name: _stored(w) for w in changed})
        self._budgets.keep(self._present)

    def _present(self) -> Iterable[Watch]:
        """Return what is watched, at the moment of asking."""
        return self._watches.values()

    async def _add(self, equipment: Equipment, known: Remembered | None) -> Watch:
        """Start to watch a monitor that wasn't watched."""
        now = self._clock()
        stored = known.state if known else None
        watch = Watch(
            equipment=equipment,
            last_run=known.last_run if known else None,
            first_seen=stored.first_seen if stored else now,
            status=(stored.status if stored else MonitorStatus()).of(equipment.monitor),
            paused_manually=stored.paused_manually if stored else False,
            revision=stored.revision if stored else 0,
            epoch=stored.epoch if stored else 0,
        )
        self._watches[watch.name] = watch
        await self._show(watch)
        if stored and stored.deploy:
            deploy = stored.deploy
            self._board.deployed(watch.name, deploy.version, deploy.at)
        every = watch.monitor.every_seconds
        if every is not None:
            at = now.timestamp()
            due = stored.due_at if stored else None
            watch.due_at = (
                first_due(watch.name, every, now=at)
                if due is None
                else restored_due(due.timestamp(), every, now=at)
            )
        self._arm(watch)
        return watch

    async def _change(self, watch: Watch, equipment: Equipment) -> bool:
        """
        Watch *watch* as configured now; what did not change is left alone.

        Returns whether it has another definition.
        """
        before, after = watch.monitor, equipment.monitor
        priced = watch.equipment.prices.keys() == equipment.prices.keys()
        watch.equipment = equipment
        watch.status = watch.status.of(after)
        redefined = before.definition != after.definition
        if not redefined and priced:
            return False
        # The one that was loaded last is the newest.
        watch.outdated = watch.outdated and not redefined
        if watch.outdated:
            return False
        await self._show(watch)
        if before.every_seconds != after.every_seconds:
            now = self._clock().timestamp()
            every = after.every_seconds
            watch.due_at = (
                None if every is None else next_due(after.name, every, due=now, now=now)
            )
        self._arm(watch)
        return redefined

    async def _show(self, watch: Watch) -> None:
        """Show what is known of *watch*."""
        self._board.declare(
            watch.monitor,
            first_seen=watch.first_seen,
            priced=watch.equipment.prices.keys(),
        )
        await self._board.show_status(watch.monitor, watch.status)
        self._board.paused(watch.name, Pause.MANUAL, on=watch.paused_manually)
        self._budgets.refresh(watch)

    async def show_again(self, name: str) -> None:
        """Show what is known of *name* anew: its evidence changed behind us."""
        watch = self._watches.get(name)
        if watch and not watch.outdated:
            await self._board.show_status(watch.monitor, watch.status)

    async def _drop(self, watch: Watch) -> None:
        """Stop watching *watch*; its run and what waits for it are interrupted."""
        watch.dropped = True
        del self._watches[watch.name]
        self._disarm(watch)
        self._board.remove(watch.name)
        if watch.going:
            watch.going.task.cancel()
            await self._orders.cancel_unbegun(watch.going)
        await self._orders.cancel(watch)

    def wake(self) -> None:
        """Set every timer anew by the wall clock: the machine has slept, they too."""
        for watch in self._watches.values():
            self._arm(watch)

    def _arm(self, watch: Watch, at_least_seconds: float = 0.0) -> None:
        """Set the timer to *watch*'s due time: it runs on the monotonic clock."""
        self._disarm(watch)
        self._board.next_run(watch.name, watch.due)
        if self._stopping or watch.due_at is None or watch.outdated:
            return
        delay = max(at_least_seconds, watch.due_at - self._clock().timestamp())
        watch.timer = asyncio.get_running_loop().call_later(delay, self._due, watch)

    def _disarm(self, watch: Watch) -> None:
        """Stop the timer of *watch*."""
        if watch.timer:
            watch.timer.cancel()
            watch.timer = None

    def _due(self, watch: Watch) -> None:
        """Start the scheduled run of *watch*, or skip it while another goes on."""
        every, due, timer = watch.monitor.every_seconds, watch.due_at, watch.timer
        if every is None or due is None or timer is None:
            return
        planned = timer.when()
        now = self._clock().timestamp()
        watch.due_at = next_due(watch.name, every, due=due, now=now)
        self._arm(watch)
        if watch.out_of_budget:
            self._budgets.refresh(watch)
        if watch.pause:
            return
        if watch.going and watch.going.request.exploratory:
            # It says nothing of the monitor: the scheduled run follows on it.
            watch.owed = True
            return
        if watch.going and self._claims.shared and not watch.going.progress.begun:
            # Not known yet whose it is.
            return
        if watch.going:
            self._board.run_skipped(watch.name)
            return
        request = RunRequest(monitor=watch.name, trigger=Trigger.SCHEDULE)
        self._runs.launch(watch, request, planned=planned)

    def _find(self, name: str) -> Watch:
        """Return the watch of *name*; RequestError (404) where there is none."""
        watch = self._watches.get(name)
        if watch is None:
            raise RequestError(404, f"there is no monitor {name!r}")
        return watch

    async def start_run(self, request: RunRequest) -> int:
        """
        Queue *request* and return its run's id; see Orders.start.

        Raises:
            RequestError: no such monitor or case (404), too many runs wait (429).
        """
        return await self._orders.start(self._find(request.monitor), request)

    async def deploy(self, deploy: DeployRequest) -> Mapping[str, int]:
        """
        Run every monitor that matches *deploy*; see Orders.deploy.

        Raises:
            RequestError: it names a monitor that does not exist (404).
        """
        for name in deploy.monitors or ():
            self._find(name)
        return await self._orders.deploy(list(self._watches.values()), deploy)

    async def follow(self, name: str, told: Told) -> None:
        """Know what the store has of the monitor *name*: others may have changed it."""
        if watch := self._watches.get(name):
            await self._following.follow(watch, told)

    def kick(self) -> None:
        """Try to start what waits, and stop what there are no tokens for any more."""
        self._budgets.follow_total(self._watches.values())
        for watch in self._watches.values():
            if watch.queue:
                self._runs.next(watch)

    def abandon(self) -> None:
        """Cut short what goes on: its claims are lost."""
        self._runs.abandon()

    def withhold(self) -> None:
        """Show nothing of any monitor until it is followed again."""
        for watch in self._watches.values():
            watch.revision = -1
            self._following.outdate(watch)

    async def requeue(self, waiting: Iterable[Queued]) -> None:
        """Take up runs that were promised before the daemon was started."""
        for queued in waiting:
            watch = self._watches.get(queued.request.monitor)
            await self._orders.requeue(watch, queued)

    async def pause(self, name: str) -> None:
        """
        Start no more scheduled runs of *name*; one that goes on ends as usual.

        One that waits for a second look is interrupted: it would have to ask again.
        """
        watch = self._find(name)
        if watch.going and watch.going.progress.waiting:
            watch.going.task.cancel()
        await self._pause_manually(watch, paused=True)

    async def resume(self, name: str) -> None:
        """
        Start scheduled runs of *name* again.

        Raises:
            RequestError: no such monitor (404), or its budget is used up (409).
        """
        watch = self._find(name)
        self._budgets.refresh(watch)
        if not watch.paused_manually and watch.out_of_budget:
            raise RequestError(409, self._budgets.explain(watch))
        await self._pause_manually(watch, paused=False)

    async def _pause_manually(self, watch: Watch, *, paused: bool) -> None:
        """Pause or resume *watch*, and write it down."""
        await self._journal.save_pause(watch.name, paused=paused)
        watch.paused_manually = paused
        if paused:
            await self._orders.cancel_deploy(watch)
        self._board.paused(watch.name, Pause.MANUAL, on=paused)

    async def drain(self, grace_seconds: float) -> None:
        """
        Start nothing more, and let what goes on end within *grace_seconds*.

        What has not ended then is interrupted, and at once what only waits for a second
        look; what is queued stays promised.
        """
        self._stopping = True
        self._budgets.stop()
        for watch in self._watches.values():
            self._disarm(watch)
            for delayed in watch.delayed.values():
                delayed.timer.cancel()
        await self._runs.drain(grace_seconds)


def _stored(watch: Watch) -> StoredMonitor:
    """Return what the store keeps of *watch*."""
    return StoredMonitor(
        definition=watch.monitor.definition,
        first_seen=watch.first_seen,
        due_at=watch.due,
        paused_manually=watch.paused_manually,
        status=watch.status,
    )
