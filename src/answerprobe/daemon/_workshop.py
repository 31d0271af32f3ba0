"""Targets and judges made from the configuration, kept where it did not change."""

import asyncio

from collections.abc import Callable, Collection

from answerprobe import __version__
from answerprobe.config import Config
from answerprobe.judge import Judge, JudgeObserver
from answerprobe.monitor import JudgeSettings, Monitor, Price, TargetSettings
from answerprobe.sample import TokenRole
from answerprobe.scheduler import Equipment
from answerprobe.targets import Pace, Target, make_target


class Workshop:
    """Makes what monitors need to be run."""

    def __init__(self, *, observer: JudgeObserver, scrub: Callable[[str], str]) -> None:
        self._observer = observer
        self._scrub = scrub
        self._pace = Pace()
        self._targets: dict[str, tuple[TargetSettings, Target]] = {}
        self._judges: dict[str, tuple[JudgeSettings, Judge]] = {}
        self._slots = asyncio.Semaphore()
        self._slots_size = 0
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
        self._targets = {
            monitor.name: (monitor.target, self._target(monitor))
            for monitor in config.monitors
        }
        return tuple(self._equipment(config, monitor) for monitor in config.monitors)

    def judges_of(self, config: Config) -> tuple[Judge, ...]:
        """Return the judges that monitors of *config*, which is equipped, ask."""
        used = {
            monitor.judge
            for monitor in config.monitors
            if any(case.rubrics for case in monitor.cases)
        }
        return tuple(self._judges[name][1] for name in sorted(used & set(self._judges)))

    def _target(self, monitor: Monitor) -> Target:
        """Return the target of *monitor*, the same while its settings are."""
        known = self._targets.get(monitor.name)
        if known and known[0] == monitor.target:
            return known[1]
        return make_target(
            monitor.target, version=__version__, pace=self._pace, scrub=self._scrub
        )

    def _equipment(self, config: Config, monitor: Monitor) -> Equipment:
        """Return *monitor* with what it needs."""
        settings = config.judges.get(monitor.judge)
        judged = any(case.rubrics for case in monitor.cases)
        prices: dict[TokenRole, Price] = {}
        if monitor.price:
            prices[TokenRole.AGENT] = monitor.price
        if settings and settings.price:
            prices[TokenRole.JUDGE] = settings.price
        return Equipment(
            monitor=monitor,
            target=self._targets[monitor.name][1],
            judge=self._judge(settings) if settings and judged else None,
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
                task = asyncio.create_task(_close_later(settings, judge))
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


async def _close_later(settings: JudgeSettings, judge: Judge) -> None:
    """Close *judge* after the longest time that a verdict asked for now can take."""
    try:
        await asyncio.sleep(2 * settings.timeout_seconds * settings.attempts + 60)
    finally:
        await judge.close()
