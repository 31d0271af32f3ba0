import asyncio

from datetime import timedelta

from answerprobe.evidence import StoredMonitor
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.status import Health
from builders import NOW, monitor
from scheduler.conducting import Stage
from scripted import GOOD, no_reply, reply, until


DUE = {"shop": StoredMonitor(first_seen=NOW, due_at=NOW - timedelta(days=3))}


async def waiting() -> Stage:
    """Return a stage on which a run of `shop` waits for its second look."""
    stage = Stage()
    stage.target("shop").say = lambda _: no_reply()
    await stage.watch(monitor(every_seconds=3600), stored=DUE)
    await until(lambda: stage.naps.asked)
    return stage


class TestWait:
    async def test_what_goes_on_is_told(self) -> None:
        """Done as far as the first look goes, and when the second is taken."""
        stage = await waiting()

        look = stage.scheduler.confirming(1)

        assert stage.scheduler.done(1) == 3
        assert look is not None
        assert (look.at, look.total) == (NOW + timedelta(seconds=30), 3)
        assert stage.scheduler.confirming(2) is None
        stage.naps.over.set()
        await until(lambda: stage.board.finished)
        assert stage.scheduler.confirming(1) is None
        assert stage.board.shown["shop"].health is Health.DOWN

    async def test_what_is_due_meanwhile_is_skipped(self) -> None:
        """The run goes on, and never overlaps itself."""
        stage = Stage(live=True)
        stage.target("shop").say = lambda _: no_reply()
        await stage.watch(monitor(every_seconds=0.02))
        await until(lambda: len(stage.board.skipped) >= 2)

        assert stage.naps.asked == [0.01]
        assert len(stage.target("shop").asked) == 3
        stage.naps.over.set()
        await stage.scheduler.drain(5)

    async def test_what_is_asked_for_meanwhile_comes_next(self) -> None:
        """It was promised, and counts as it is seen."""
        stage = await waiting()
        by_hand = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
        await stage.scheduler.start_run(by_hand)

        stage.naps.over.set()
        await until(lambda: len(stage.board.finished) == 2)

        assert [found.request.trigger for found in stage.board.finished] == [
            Trigger.SCHEDULE,
            Trigger.MANUAL,
        ]
        assert stage.board.shown["shop"].runs_down == 2

    async def test_a_blip_moves_nothing_that_pages(self) -> None:
        """The monitor is up, though its first look was not answered."""
        stage = await waiting()
        stage.target("shop").say = lambda _: reply(GOOD)

        stage.naps.over.set()
        await until(lambda: stage.board.finished)

        assert stage.board.shown["shop"].health is Health.UP
        assert stage.board.shown["shop"].pass_ratio == 0


class TestCalledOff:
    async def test_a_pause_ends_it(self) -> None:
        """Nothing more is asked, and what was not confirmed does not count."""
        stage = await waiting()

        await stage.scheduler.pause("shop")
        await until(lambda: stage.board.counted)

        assert stage.board.counted == [("shop", Trigger.SCHEDULE, RunState.INTERRUPTED)]
        assert len(stage.target("shop").asked) == 3
        assert stage.board.shown["shop"].up is None

    async def test_a_pause_before_it_comes_to_that(self) -> None:
        """The first look ends as usual; the second would be a new request."""
        stage = Stage()
        stage.target("shop").say = lambda _: no_reply()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor(every_seconds=3600), stored=DUE)
        await until(lambda: stage.target("shop").busy)
        await stage.scheduler.pause("shop")

        gate.set()
        await until(lambda: stage.board.counted)

        assert stage.naps.asked == []
        assert stage.journal.states == [(Trigger.SCHEDULE, RunState.INTERRUPTED)]

    async def test_a_monitor_that_leaves_ends_it(self) -> None:
        """Its run is interrupted, and shown nowhere."""
        stage = await waiting()

        await stage.watch()
        await until(lambda: stage.journal.finished)

        assert stage.journal.states == [(Trigger.SCHEDULE, RunState.INTERRUPTED)]
        assert stage.board.counted == []

    async def test_the_daemons_end_does_not_wait_for_it(self) -> None:
        """It is interrupted at once and stays due: the next daemon repeats it."""
        stage = await waiting()

        async with asyncio.timeout(5):
            await stage.scheduler.drain(600)

        assert stage.journal.states == [(Trigger.SCHEDULE, RunState.INTERRUPTED)]
        assert stage.journal.finished[0].due_at is None

    async def test_the_daemons_end_begins_none(self) -> None:
        """Where the first look ends within the grace."""
        stage = Stage()
        stage.target("shop").say = lambda _: no_reply()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor(every_seconds=3600), stored=DUE)
        await until(lambda: stage.target("shop").busy)

        asyncio.get_running_loop().call_later(0.02, gate.set)
        async with asyncio.timeout(5):
            await stage.scheduler.drain(600)

        assert stage.naps.asked == []
        assert stage.journal.states == [(Trigger.SCHEDULE, RunState.INTERRUPTED)]
