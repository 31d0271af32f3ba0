"""The turnstile between samples."""

import asyncio

from answerprobe.targets import Pace


class TestPace:
    """One goes on in each pass of the loop."""

    async def test_alone_nobody_waits(self) -> None:
        """The first turn costs no pass of the loop."""
        passed = False

        def note() -> None:
            nonlocal passed
            passed = True

        asyncio.get_running_loop().call_soon(note)
        await Pace().turn()

        assert not passed

    async def test_no_two_go_on_in_one_pass(self) -> None:
        """A burst is spread over as many passes as it has samples, in order."""
        pace = Pace()
        passes = 0
        went: list[tuple[int, int]] = []

        async def sample(number: int) -> None:
            await pace.turn()
            went.append((number, passes))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(sample(number)) for number in range(5)]
            while not all(task.done() for task in tasks):
                await asyncio.sleep(0)
                passes += 1

        assert [number for number, _ in went] == [0, 1, 2, 3, 4]
        assert len({at for _, at in went}) == 5

    async def test_who_gave_up_holds_up_nobody(self) -> None:
        """A cancelled sample's turn goes to the next."""
        pace = Pace()
        tasks = [asyncio.create_task(pace.turn()) for _ in range(4)]
        await asyncio.sleep(0)

        tasks[2].cancel()

        await asyncio.wait_for(tasks[3], 5)
        assert [task.cancelled() for task in tasks] == [False, False, True, False]

    async def test_it_is_free_again_afterwards(self) -> None:
        """A later burst passes like the first."""
        pace = Pace()
        for _ in range(3):
            async with asyncio.TaskGroup() as group:
                for _ in range(3):
                    group.create_task(pace.turn())
