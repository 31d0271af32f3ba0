"""Clocks that jump, zones, months that turn, and machines that sleep."""

import asyncio
import itertools
import os
import subprocess
import sys
import time

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import answerprobe

from answerprobe.daemon._upkeep import asleep_seconds, notice_sleep
from answerprobe.run import RunRequest, Trigger
from answerprobe.status import Pause
from builders import monitor
from scheduler.conducting import Stage
from scripted import GOOD, reply, until


_EVERY_SECONDS = 0.05
_DAY_SECONDS = 86_400.0
_DUE_TIMES = """
from datetime import UTC, datetime
from answerprobe.ledger import month_of
from answerprobe.scheduler._grid import next_due
due = datetime(2026, 10, 20, tzinfo=UTC).timestamp()
for day in range(200):
    due = next_due("shop", 86400.0, due=due, now=due)
    print(due, month_of(datetime.fromtimestamp(due).astimezone()))
"""


@dataclass
class JumpingClock:
    """The true wall clock, set wrong by so many seconds."""

    offset_seconds: float = 0.0

    def __call__(self) -> datetime:
        """Return what it shows."""
        return datetime.now(UTC) + timedelta(seconds=self.offset_seconds)


class TestJump:
    """Somebody sets the wall clock while the daemon runs."""

    @pytest.mark.parametrize(
        "days",
        [
            pytest.param(7, id="a week ahead"),
            pytest.param(-7, id="a week back"),
            pytest.param(0.04, id="an hour ahead"),
            pytest.param(-0.04, id="an hour back"),
        ],
    )
    async def test_it_neither_floods_nor_stalls(self, days: float) -> None:
        """Runs come at the pace of before; a daily monitor makes up for nothing."""
        clock = JumpingClock()
        stage = Stage(clock=clock)
        await stage.watch(
            monitor(every_seconds=_EVERY_SECONDS),
            monitor("daily", every_seconds=_DAY_SECONDS),
        )
        await until(lambda: len(stage.board.finished) >= 2)

        clock.offset_seconds = days * _DAY_SECONDS
        began, before = time.monotonic(), len(stage.board.finished)
        await until(lambda: len(stage.board.finished) >= before + 5)
        took = time.monotonic() - began
        await stage.scheduler.drain(5)

        assert took > 3 * _EVERY_SECONDS
        assert len(stage.target("daily").asked) <= 3
        assert not stage.scheduler.stalled
        assert stage.board.internal_errors == 0


class TestZones:
    """Daylight saving time ends and begins."""

    @pytest.mark.parametrize(
        "zone",
        [
            pytest.param("Europe/Berlin", id="an hour"),
            pytest.param("Australia/Lord_Howe", id="half an hour"),
        ],
    )
    def test_due_times_are_the_same_everywhere(self, zone: str) -> None:
        """Half a year of days: each a whole one, months those of UTC."""
        source = Path(answerprobe.__file__).parents[1]

        def printed(name: str) -> str:
            return subprocess.run(  # noqa: S603  our own words
                [sys.executable, "-c", _DUE_TIMES],
                env={**os.environ, "TZ": name, "PYTHONPATH": str(source)},
                check=True,
                capture_output=True,
                text=True,
            ).stdout

        lines = printed(zone).splitlines()

        assert lines == printed("UTC").splitlines()
        due = [float(line.split()[0]) for line in lines]
        steps = {round(b - a, 3) for a, b in itertools.pairwise(due)}
        assert steps == {_DAY_SECONDS}


class TestMonthsTurn:
    """A budget is used up on the last day."""

    async def test_a_pause_ends_by_itself(self) -> None:
        """Nobody resumes it, nobody reloads."""
        last = datetime(2026, 11, 30, 23, 59, 59, 500_000, tzinfo=UTC)
        began = time.monotonic()
        stage = Stage(clock=lambda: last + timedelta(seconds=time.monotonic() - began))
        stage.target("shop").say = lambda _: reply(GOOD, tokens=100)
        await stage.watch(monitor(token_budget=150))
        await stage.scheduler.start_run(
            RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        )
        await until(lambda: stage.board.pauses.get(("shop", Pause.BUDGET)))

        await until(lambda: not stage.board.pauses["shop", Pause.BUDGET])

        assert stage.ledger.used_tokens("shop") == 0
        await stage.scheduler.drain(5)


class TestSleep:
    """The machine is suspended: the clock of timers stands still."""

    async def test_what_was_missed_runs_once_at_once(self) -> None:
        """Not as long after waking up as was left before going to sleep."""
        clock = JumpingClock()
        stage = Stage(clock=clock)
        await stage.watch(monitor(every_seconds=3600))
        clock.offset_seconds = 8 * 3600

        stage.scheduler.wake()
        await until(lambda: stage.board.finished)

        assert len(stage.board.finished) == 1
        due = stage.scheduler.watches["shop"].due
        assert due is not None
        assert clock() < due <= clock() + timedelta(hours=1)
        await stage.scheduler.drain(5)

    @pytest.mark.parametrize(
        ("slept", "wakes"),
        [
            pytest.param([0.0, 0.0, 0.0], 0, id="never"),
            pytest.param([0.0, 600.0, 600.0], 1, id="once"),
            pytest.param([5.0, 5.2, 5.4], 0, id="drift of clocks"),
        ],
    )
    async def test_only_sleep_wakes(self, slept: list[float], wakes: int) -> None:
        """Each nap once."""
        woken: list[None] = []
        looks = iter(slept)
        over = asyncio.Event()

        def asleep() -> float:
            found = next(looks, None)
            if found is None:
                over.set()
            return slept[-1] if found is None else found

        task = asyncio.create_task(
            notice_sleep(asleep, lambda: woken.append(None), look_seconds=0.0)
        )
        await over.wait()
        task.cancel()

        assert len(woken) == wakes

    def test_the_machine_tells_how_long_it_slept(self) -> None:
        """The same at two looks in a row, never less than nothing."""
        first = asleep_seconds()

        assert first >= -0.001
        assert abs(asleep_seconds() - first) < 0.5
