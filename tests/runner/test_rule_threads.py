"""Work in threads, within a deadline."""

import asyncio
import subprocess
import sys
import threading

import pytest

from answerprobe.runner._rule_threads import RuleThreads
from scripted import until


class Stuck:
    """Work that ends when the test lets it; it counts how often it was started."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.started = 0

    def __call__(self) -> None:
        self.started += 1
        self.release.wait(20)


class TestRun:
    async def test_work_that_ends_in_time_is_done(self) -> None:
        """In a thread of its own, the event loop goes on."""
        seen: list[threading.Thread] = []

        ended = await RuleThreads().run(lambda: seen.append(threading.current_thread()))

        assert ended
        assert seen != [threading.main_thread()]

    async def test_what_it_raises_is_raised(self) -> None:
        """A bug in a rule is told like any other."""

        def burst() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await RuleThreads().run(burst)

    async def test_work_that_does_not_end_is_left(self) -> None:
        """Nobody waits for it longer than the deadline."""
        stuck = Stuck()

        ended = await RuleThreads(deadline_seconds=0.01).run(stuck)

        assert not ended
        stuck.release.set()

    async def test_few_run_at_once(self) -> None:
        """The others wait in line."""
        stuck = Stuck()
        threads = RuleThreads(at_once=2)
        async with asyncio.TaskGroup() as group:
            for _ in range(5):
                group.create_task(threads.run(stuck))
            await until(lambda: stuck.started == 2)
            for _ in range(10):
                await asyncio.sleep(0)

            assert stuck.started == 2

            stuck.release.set()

        assert stuck.started == 5


class TestLeftThreads:
    async def test_do_not_pile_up(self) -> None:
        """While so many are left nothing more is started."""
        stuck = Stuck()
        threads = RuleThreads(deadline_seconds=0.01, most_left=2)

        ended = [await threads.run(stuck) for _ in range(10)]

        assert ended == [False] * 10
        assert stuck.started == 2
        stuck.release.set()

    async def test_make_room_once_they_end(self) -> None:
        """What they come to, even an exception, nobody wants to know."""
        stuck = Stuck()

        def fail_late() -> None:
            stuck()
            raise ZeroDivisionError

        threads = RuleThreads(deadline_seconds=0.01, most_left=1)
        assert not await threads.run(fail_late)
        assert not await threads.run(lambda: None)

        stuck.release.set()

        async with asyncio.timeout(5):
            while not await threads.run(lambda: None):  # noqa: ASYNC110  it ends a thread
                await asyncio.sleep(0.001)

    async def test_of_a_cancelled_waiter_count_too(self) -> None:
        """The thread goes on although the run it was for does not."""
        stuck = Stuck()
        threads = RuleThreads(most_left=1)
        task = asyncio.create_task(threads.run(stuck))
        await until(lambda: stuck.started)

        task.cancel()
        await asyncio.wait([task])

        assert task.cancelled()
        assert not await threads.run(lambda: None)
        stuck.release.set()

    def test_do_not_keep_the_program_from_ending(self) -> None:
        """A thread that never ends goes down with the daemon."""
        program = (
            "import asyncio, threading\n"
            "from answerprobe.runner._rule_threads import RuleThreads\n"
            "threads = RuleThreads(deadline_seconds=0.01)\n"
            "print(asyncio.run(threads.run(threading.Event().wait)))\n"
        )

        done = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )

        assert (done.stdout, done.stderr) == ("False\n", "")
