"""A scheduler with scripted targets, a journal in memory and a board that remembers."""

import random

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from answerprobe.evidence import StoredMonitor
from answerprobe.ledger import Ledger
from answerprobe.monitor import Monitor
from answerprobe.run import Run, RunState, Trigger
from answerprobe.runner import Executor, Grader, Runner, Slots
from answerprobe.sample import TokenRole
from answerprobe.scheduler import Equipment, LeasedClaims, Remembered, Scheduler
from answerprobe.status import MonitorStatus, Pause
from scripted import FakeClock, MemoryJournal, Naps, ScriptedTarget, Spending


@dataclass
class Board:
    """What was shown of monitors."""

    shown: dict[str, MonitorStatus] = field(default_factory=dict)
    finished: list[Run] = field(default_factory=list)
    counted: list[tuple[str, Trigger, RunState]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    due: dict[str, datetime | None] = field(default_factory=dict)
    pauses: dict[tuple[str, Pause], bool] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    lags: list[float] = field(default_factory=list)
    internal_errors: int = 0

    def declare(
        self, monitor: Monitor, *, first_seen: datetime, priced: Collection[TokenRole]
    ) -> None:
        """Note a monitor."""
        del first_seen, priced
        self.shown[monitor.name] = MonitorStatus()

    def remove(self, name: str) -> None:
        """Forget a monitor."""
        del self.shown[name]

    def withhold(self, name: str) -> None:
        """Forget a monitor for a while."""
        del self.shown[name]

    async def show_status(self, monitor: Monitor, status: MonitorStatus) -> None:
        """Note a status."""
        self.shown[monitor.name] = status

    async def run_finished(
        self, monitor: Monitor, run: Run, status: MonitorStatus
    ) -> None:
        """Note a run."""
        self.finished.append(run)
        self.shown[monitor.name] = status

    def run_counted(self, name: str, trigger: Trigger, state: RunState) -> None:
        """Note a run that moved nothing."""
        self.counted.append((name, trigger, state))

    def run_skipped(self, name: str) -> None:
        """Note a skipped run."""
        self.skipped.append(name)

    def next_run(self, name: str, at: datetime | None) -> None:
        """Note a due time."""
        self.due[name] = at

    def paused(self, name: str, reason: Pause, *, on: bool) -> None:
        """Note a pause."""
        self.pauses[name, reason] = on

    def budget(self, monitor: Monitor) -> None:
        """Note nothing."""

    def total_budget(self, limit_tokens: int | None) -> None:
        """Note nothing."""

    def deployed(self, name: str, version: str, at: datetime) -> None:
        """Note a version."""
        del at
        self.versions[name] = version

    def schedule_lag(self, seconds: float) -> None:
        """Note a lag."""
        self.lags.append(seconds)

    def internal_error(self) -> None:
        """Count a fault."""
        self.internal_errors += 1


def _true_clock() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


class Stage:
    """
    A scheduler with everything around it.

    Its wall clock stands still, unless it is *live*, for what needs timers to fire, or
    is *clock*. A run waits for its second look until its *naps* are over. *claims* of a
    replica ask a store of their own.
    """

    def __init__(
        self,
        *,
        live: bool = False,
        clock: Callable[[], datetime] | None = None,
        claims: LeasedClaims | None = None,
    ) -> None:
        self.time = FakeClock()
        self.clock = clock or (_true_clock if live else self.time)
        self.naps = Naps()
        self.board = Board()
        self.journal = MemoryJournal()
        self.ledger = Ledger((), clock=self.clock)
        self.targets: dict[str, ScriptedTarget] = {}
        runner = Runner(
            slots=Slots(in_flight=50, per_host=50, monotonic=lambda: 0.0),
            per_monitor=5,
            ledger=self.ledger,
            observer=Spending(),
            scrub=str,
            clock=self.clock,
            monotonic=lambda: 0.0,
            rng=random.Random(1),  # noqa: S311  a seed makes it repeatable
        )
        self.scheduler = Scheduler(
            executor=Executor(
                runner=runner,
                journal=self.journal,
                ledger=self.ledger,
                clock=self.clock,
                sleep=self.naps,
            ),
            journal=self.journal,
            board=self.board,
            ledger=self.ledger,
            clock=self.clock,
            claims=claims,
        )

    def target(self, name: str) -> ScriptedTarget:
        """Return the target of the monitor *name*."""
        return self.targets.setdefault(name, ScriptedTarget())

    async def watch(
        self,
        *monitors: Monitor,
        stored: Mapping[str, StoredMonitor] | None = None,
        judge: Grader | None = None,
        total_token_budget: int | None = None,
    ) -> None:
        """Watch *monitors* from now on."""
        equipment = [
            Equipment(
                monitor=watched,
                target=self.target(watched.name),
                judge=judge,
                prices={},
            )
            for watched in monitors
        ]
        known = {
            name: Remembered(state=state) for name, state in (stored or {}).items()
        }
        await self.scheduler.apply(
            equipment, known, total_token_budget=total_token_budget
        )
