"""Targets, judges and the simulated user, kept where their settings did not change."""

import asyncio

from collections.abc import Callable, Collection
from typing import Protocol

from answerprobe import __version__
from answerprobe.config import Config
from answerprobe.conversation import SimulatedUser
from answerprobe.daemon._books import utc_now
from answerprobe.judge import Judge, JudgeObserver
from answerprobe.monitor import (
    JudgeSettings,
    Monitor,
    Price,
    SimulatedUserSettings,
    TargetSettings,
)
from answerprobe.sample import TokenRole
from answerprobe.scheduler import Equipment
from answerprobe.targets import Grants, Pace, Target, make_target


class _Model(Protocol):
    """A judge or a simulated user."""

    async def close(self) -> None:
        """Close its connections."""
        ...


class Workshop:
    """Makes what monitors need to be run."""

    def __init__(self, *, observer: JudgeObserver, scrub: Callable[[str], str]) -> None:
        self._observer = observer
        self._scrub = scrub
        self._pace = Pace()
        self._grants = Grants()
        self._targets: dict[str, tuple[TargetSettings, Target]] = {}
        self._judges: dict[str, tuple[JudgeSettings, Judge]] = {}
        self._user: tuple[SimulatedUserSettings, SimulatedUser] | None = None
        self._slots = asyncio.Semaphore()
        self._slots_size = 0
        # Runs may wait so long before they ask a judge again.
        self._longest_wait_seconds = 0.0
        self._closing: set[asyncio.Task[None]] = set()

    def equip(self, config: Config) -> tuple[Equipment, ...]:
        """
        Return every monitor of *config* with its target and judge.

        Those whose settings are the same as before are the same objects.
        """
        if self._slots_size != config.limits.judge:
            self._slots_size = config.limits.judge
            self._slots = asyncio.Semaphore(config.limits.judge)
            self._retire_judges(())
        self._retire_judges(config.judges.values())
        waits = (monitor.second_look_after_seconds for monitor in config.monitors)
        self._longest_wait_seconds = max(self._longest_wait_seconds, *waits)
        self._targets = {
            monitor.name: (monitor.target, self._target(monitor))
            for monitor in config.monitors
        }
        user = self._simulated_user(config.simulated_user)
        return tuple(
            self._equipment(config, monitor, user) for monitor in config.monitors
        )

    def _simulated_user(
        self, settings: SimulatedUserSettings | None
    ) -> SimulatedUser | None:
        """Return the simulated user, the same while its settings are."""
        if self._user and self._user[0] == settings:
            return self._user[1]
        if self._user:
            self._close_later(self._user[1], self._user[0].timeout_seconds)
            self._user = None
        if settings is None:
            return None
        user = SimulatedUser(
            settings, slots=self._slots, scrub=self._scrub, now=utc_now
        )
        self._user = (settings, user)
        return user

    def judges_of(self, config: Config) -> tuple[Judge, ...]:
        """Return the judges that monitors of *config*, which is equipped, ask."""
        used = {
            monitor.judge
            for monitor in config.monitors
            if any(case.rubrics for case in monitor.askable)
        }
        return tuple(self._judges[name][1] for name in sorted(used & set(self._judges)))

    def _target(self, monitor: Monitor) -> Target:
        """Return the target of *monitor*, the same while its settings are."""
        known = self._targets.get(monitor.name)
        if known and known[0] == monitor.target:
            return known[1]
        return make_target(
            monitor.target,
            version=__version__,
            pace=self._pace,
            grants=self._grants,
            scrub=self._scrub,
        )

    def _equipment(
        self, config: Config, monitor: Monitor, user: SimulatedUser | None
    ) -> Equipment:
        """Return *monitor* with what it needs."""
        settings = config.judges.get(monitor.judge)
        judged = any(case.rubrics for case in monitor.askable)
        prices: dict[TokenRole, Price] = {}
        if monitor.price:
            prices[TokenRole.AGENT] = monitor.price
        if settings and settings.price:
            prices[TokenRole.JUDGE] = settings.price
        if config.simulated_user and config.simulated_user.price:
            prices[TokenRole.SIMULATED_USER] = config.simulated_user.price
        talks = any(case.conversation for case in monitor.askable)
        return Equipment(
            monitor=monitor,
            target=self._targets[monitor.name][1],
            judge=self._judge(settings) if settings and judged else None,
            user=user if talks else None,
            prices=prices,
        )

    def _judge(self, settings: JudgeSettings) -> Judge:
        """Return the judge of *settings*, the same while they are."""
        known = self._judges.get(settings.name)
        if known:
            return known[1]
        judge = Judge(
            settings, slots=self._slots, observer=self._observer, scrub=self._scrub
        )
        self._judges[settings.name] = (settings, judge)
        return judge

    def _retire_judges(self, kept: Collection[JudgeSettings]) -> None:
        """Close the judges whose settings are not among *kept*, once they are idle."""
        for name, (settings, judge) in list(self._judges.items()):
            if settings not in kept:
                del self._judges[name]
                self._close_later(judge, settings.timeout_seconds * settings.attempts)

    def _close_later(self, model: _Model, longest_seconds: float) -> None:
        """Close *model* once nothing that it was asked for can go on any more."""
        patience = self._longest_wait_seconds + 2 * longest_seconds + 60
        task = asyncio.create_task(_close_after(patience, model))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close everything."""
        for task in self._closing:
            task.cancel()
        for _, target in self._targets.values():
            await target.close()
        for _, judge in self._judges.values():
            await judge.close()
        if self._user:
            await self._user[1].close()


async def _close_after(seconds: float, model: _Model) -> None:
    """Close *model* after *seconds*, or at once where this is cancelled."""
    try:
        await asyncio.sleep(seconds)
    finally:
        await model.close()
