"""More than it can do at once: limits hold, others run on, /metrics answers."""

import asyncio
import gc
import resource

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from answerprobe.targets._http import HttpTarget
from cli.program import question
from daemon.watching import Watching, watching
from reliability.crowd import Crowd, gathering


_MONITORS = 500
_CONNECTIONS = 1000
_DESCRIPTORS = 4096


@pytest.fixture
async def crowd() -> AsyncIterator[Crowd]:
    """Serve a crowd."""
    async with gathering() as crowd:
        yield crowd


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    """Let this process, which is both ends of all connections, have enough of them."""
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _DESCRIPTORS:
        pytest.skip(f"no more than {hard} descriptors may be had")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before, _DESCRIPTORS), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


async def _until(look: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    """Wait until *look* finds it so."""
    async with asyncio.timeout(seconds):
        while not await look():  # noqa: ASYNC110  what it looks at is no event
            await asyncio.sleep(0.02)


async def _completed(world: Watching, **labels: str) -> float:
    """Return how many runs were completed."""
    name = "answerprobe_runs_total"
    return await world.metric(name, state="completed", **labels) or 0.0


def _descriptors() -> int:
    """Return how many file descriptors this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


class TestAllAtOnce:
    """Five hundred monitors are due in the same moment."""

    async def test_limits_hold_and_every_run_ends(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """Waiting in line is no failure of the agent, and the line gets empty."""
        crowd.open.clear()
        monitors = [crowd.monitor(f"m{n}", "gated") for n in range(_MONITORS)]
        limits = {"in_flight": 20, "per_host": 500}
        config = crowd.config(tmp_path, *monitors, limits=limits)
        async with watching(config) as world:
            status, _ = await world.post("/v1/deploys", {"version": "1"})
            assert status == 202

            async def full() -> bool:
                return crowd.busy == 20

            async def done() -> bool:
                await asyncio.sleep(0.2)
                return await _completed(world, trigger="deploy") == _MONITORS

            await _until(full)
            assert await world.metric("answerprobe_samples_in_flight") == 20
            crowd.open.set()
            await _until(done)

            assert crowd.most <= 20
            assert crowd.asked == _MONITORS
            assert not await world.metric("answerprobe_samples_total", outcome="error")
            assert await world.metric("answerprobe_samples_in_flight") == 0
            assert await world.metric("answerprobe_queue_length") == 0
            assert await world.metric("answerprobe_internal_errors_total") == 0


class TestHangingAgent:
    """An agent takes questions and never answers."""

    async def test_it_holds_its_hosts_share_and_no_more(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """The agent next door is asked as if nothing was."""
        crowd.open.clear()
        hanging = [
            crowd.monitor(f"hang{n}", "gated", "localhost", samples=5) for n in range(6)
        ]
        limits = {"in_flight": 10, "per_host": 4}
        config = crowd.config(tmp_path, *hanging, crowd.monitor("good"), limits=limits)
        async with watching(config) as world:
            for number in range(6):
                await world.post(f"/v1/monitors/hang{number}/runs")

            async def full() -> bool:
                return crowd.busy == 4

            await _until(full)
            for _ in range(3):
                await world.run("good")

            assert crowd.busy == 4
            assert await world.metric("answerprobe_samples_in_flight") == 4
            assert await world.metric("answerprobe_up", monitor="good") == 1
            crowd.open.set()


class TestHangingJudge:
    """A judge takes requests and never answers."""

    async def test_nobody_waits_for_it_who_does_not_need_it(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """What it should have judged is not judged, and no agent's failure."""
        crowd.judge_open.clear()
        rubric = question("refund", judge="Names the 30 days.")
        judged = [crowd.monitor(f"judged{n}", cases=[rubric]) for n in range(6)]
        limits = {"in_flight": 4, "judge": 2}
        config = crowd.config(tmp_path, *judged, crowd.monitor("plain"), limits=limits)
        async with watching(config) as world:
            for number in range(6):
                await world.post(f"/v1/monitors/judged{number}/runs")
            for _ in range(3):
                await world.run("plain")
            early = await _completed(world, monitor="judged0")

            async def done() -> bool:
                return await _completed(world) == 9

            await _until(done)

            assert early == 0
            samples = "answerprobe_samples_total"
            assert await world.metric(samples, outcome="not_judged") == 6
            assert await world.metric(samples, outcome="fail") == 0
            assert await world.metric("answerprobe_judge_up") == 0


class TestReloadStorm:
    """The configuration is written again and again."""

    async def test_runs_end_and_nothing_is_left_behind(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """Neither targets nor tasks of configurations that are gone."""
        crowd.open.clear()
        gated = crowd.monitor("gated", "gated")

        def write(number: int) -> Path:
            changing = crowd.monitor("changes", headers={"X-Try": str(number)})
            guest = crowd.monitor(f"guest{number}")
            return crowd.config(tmp_path, gated, changing, guest)

        async with watching(write(0)) as world:
            await world.run("changes")
            await world.post("/v1/monitors/gated/runs")
            tasks = len(asyncio.all_tasks())
            for number in range(1, 50):
                write(number)
                replies = await asyncio.gather(
                    world.post("/-/reload"), world.post("/-/reload")
                )
                assert [status for status, _ in replies] == [200, 200]
            crowd.open.set()

            async def done() -> bool:
                return await _completed(world, monitor="gated") == 1

            await _until(done)
            await world.run("changes")

            assert _targets(crowd) == 3
            assert len(asyncio.all_tasks()) <= tasks + 3
            assert len(await _names(world)) == 3
            assert await world.metric("answerprobe_internal_errors_total") == 0


def _targets(crowd: Crowd) -> int:
    """Return how many targets of *crowd* this process still has."""
    gc.collect()
    end = f":{crowd.port}"
    return sum(
        isinstance(found, HttpTarget) and found.host.endswith(end)
        for found in gc.get_objects()
    )


async def _names(world: Watching) -> list[object]:
    """Return what is watched."""
    found = (await world.get("/v1/monitors"))["monitors"]
    assert isinstance(found, list)
    return found


class TestConnections:
    """Callers that cost something and want nothing."""

    @pytest.mark.usefixtures("many_descriptors")
    async def test_a_thousand_of_them_keep_nobody_out(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """And when they go, so do their descriptors."""
        async with watching(crowd.config(tmp_path, crowd.monitor("good"))) as world:
            await world.run("good")
            before = _descriptors()
            writers = []
            for _ in range(_CONNECTIONS):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1",
                    world.session._base_url.port,  # type: ignore[union-attr]  # it has one
                )
                writers.append(writer)
            await world.run("good")
            assert await world.status("/metrics") == 200
            for writer in writers:
                writer.close()

            async def gone() -> bool:
                return _descriptors() <= before + 5

            await _until(gone)

    async def test_scrapers_that_do_not_read_hold_up_nobody(
        self, crowd: Crowd, tmp_path: Path
    ) -> None:
        """Neither those that send half a request."""
        monitors = [crowd.monitor(f"m{number}") for number in range(50)]
        async with watching(crowd.config(tmp_path, *monitors)) as world:
            port = world.session._base_url.port  # type: ignore[union-attr]  # it has one
            writers = []
            for number in range(100):
                _, writer = await asyncio.open_connection("127.0.0.1", port, limit=64)
                end = b"\r\n" if number % 2 else b""
                writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + end)
                writers.append(writer)
            for _ in range(3):
                await world.run("m1")

            assert await world.status("/metrics") == 200
            assert await world.status("/-/healthy") == 200
            for writer in writers:
                writer.close()
