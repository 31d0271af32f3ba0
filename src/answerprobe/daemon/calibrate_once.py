"""Calibration without a daemon: asked for on the command line, once."""

import asyncio

from collections.abc import Callable
from dataclasses import dataclass

from answerprobe.calibration import Calibration
from answerprobe.daemon._books import utc_now
from answerprobe.judge import Judge, Unobserved, calibrate
from answerprobe.monitor import JudgeSettings
from answerprobe.sample import TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOptions:
    """Which judges to calibrate, with at most *at_once* requests of all together."""

    judges: tuple[JudgeSettings, ...]
    at_once: int
    scrub: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How one judge fared, and what that cost."""

    calibration: Calibration
    usage: TokenUsage


async def calibrate_once(options: CalibrateOptions) -> tuple[Calibrated, ...]:
    """Calibrate all judges of *options*, in their order, and keep nothing."""
    slots = asyncio.Semaphore(options.at_once)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_calibrate(settings, slots, options))
            for settings in options.judges
        ]
    return tuple(task.result() for task in tasks)


async def _calibrate(
    settings: JudgeSettings, slots: asyncio.Semaphore, options: CalibrateOptions
) -> Calibrated:
    """Calibrate the judge of *settings*, whose requests are made in *slots*."""
    judge = Judge(settings, slots=slots, observer=Unobserved(), scrub=options.scrub)
    spent: list[TokenUsage] = []
    try:
        calibration = await calibrate(
            judge,
            slots=asyncio.Semaphore(options.at_once),
            clock=utc_now,
            spend=spent.append,
        )
    finally:
        await judge.close()
    return Calibrated(calibration=calibration, usage=sum(spent, TokenUsage()))
