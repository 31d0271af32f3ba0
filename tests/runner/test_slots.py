import asyncio
import time

from answerprobe.runner import Slots


def slots(in_flight: int = 10, per_host: int = 10) -> Slots:
    return Slots(in_flight=in_flight, per_host=per_host, monotonic=time.monotonic)


class Crowd:
    """Samples that hold places until they are let go."""

    def __init__(self, places: Slots) -> None:
        self.places = places
        self.go = asyncio.Event()
        self.inside: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def enter(self, *hosts: str) -> None:
        self.tasks += [asyncio.create_task(self._hold(host)) for host in hosts]
        for _ in range(10):
            await asyncio.sleep(0)

    async def _hold(self, host: str) -> None:
        async with self.places.take(host):
            self.inside.append(host)
            await self.go.wait()

    async def leave(self) -> None:
        self.go.set()
        await asyncio.gather(*self.tasks)


class TestSlots:
    async def test_a_hanging_host_holds_no_more_than_its_share(self) -> None:
        """Samples that wait for a host hold nothing that others could use."""
        crowd = Crowd(slots(in_flight=3, per_host=2))

        await crowd.enter("slow", "slow", "slow", "slow", "quick")

        assert crowd.inside == ["slow", "slow", "quick"]
        await crowd.leave()

    async def test_counts_what_is_in_flight_and_what_waits(self) -> None:
        """Both numbers are right at any moment, and 0 in the end."""
        crowd = Crowd(slots(in_flight=2))

        await crowd.enter("a", "b", "c")

        assert (crowd.places.in_flight, crowd.places.waiting) == (2, 1)
        await crowd.leave()
        assert (crowd.places.in_flight, crowd.places.waiting) == (0, 0)

    async def test_the_oldest_is_the_first_that_is_still_there(self) -> None:
        """Without any sample in flight the age is 0."""
        now = 100.0
        places = Slots(in_flight=2, per_host=2, monotonic=lambda: now)
        crowd = Crowd(places)
        assert places.oldest_seconds == 0

        await crowd.enter("a")
        now = 103.0
        await crowd.enter("b")

        assert places.oldest_seconds == 3
        await crowd.leave()

    async def test_a_waiter_that_is_cancelled_leaves_its_place_in_line(self) -> None:
        """A run that is interrupted while it waits takes nothing with it."""
        crowd = Crowd(slots(in_flight=1))
        await crowd.enter("a", "b")

        crowd.tasks.pop().cancel()
        await asyncio.sleep(0)

        assert crowd.places.waiting == 0
        await crowd.leave()

    async def test_more_places_count_from_now_on(self) -> None:
        """A reload that raises the limit lets further samples in."""
        crowd = Crowd(slots(in_flight=1))
        await crowd.enter("a")

        crowd.places.resize(in_flight=2, per_host=10)
        await crowd.enter("b")

        assert crowd.inside == ["a", "b"]
        await crowd.leave()
