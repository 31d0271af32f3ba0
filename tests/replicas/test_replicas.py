"""Two real daemons on one PostgreSQL: killed, frozen, cut off, ended, and the books."""

import asyncio
import signal

from collections.abc import Sequence

import pytest

from e2e.program import eventually
from postgresql import PostgresServer
from replicas.cluster import TAKE_OVER_SECONDS, Agent, Cluster, Line, Replica


pytestmark = pytest.mark.timeout(180)
NAMES = [f"m{n}" for n in range(6)]


async def pair(cluster: Cluster, agent: Agent) -> tuple[Replica, Replica]:
    """Start two replicas that run each monitor every two seconds."""
    config = {"monitors": [agent.monitor(name) for name in NAMES]}
    return await cluster.start(config), await cluster.start(config)


async def grown(replica: Replica, seconds: float, by: int = 1) -> None:
    """Return once every monitor has *by* more completed runs, as *replica* tells."""
    before = {name: await replica.completed(name) for name in NAMES}

    async def look() -> bool | None:
        for name in NAMES:
            if await replica.completed(name) < before[name] + by:
                return None
        return True

    try:
        await eventually(look, seconds)
    except TimeoutError:
        raise AssertionError(f"no new runs:\n{replica.log()[-4000:]}") from None


async def said(replica: Replica, words: str, seconds: float) -> None:
    """Return once *words* are in the log of *replica*."""

    async def look() -> bool | None:
        return words in replica.log() or None

    await eventually(look, seconds)


async def alone(replica: Replica) -> None:
    """Return once *replica* knows that it is the only one left."""

    async def look() -> bool | None:
        told = replica.log().split("event=replica.company_changed ")[-1]
        return told.startswith("alone=true") or None

    await eventually(look, TAKE_OVER_SECONDS)


async def quiet(replica: Replica, agent: Agent) -> None:
    """Pause every monitor at *replica*, and return once nothing is asked any more."""
    for name in NAMES:
        await replica.post(f"/v1/monitors/{name}/pause")
    asked = -1
    async with asyncio.timeout(60):
        while asked != agent.asked.total():
            asked = agent.asked.total()
            await asyncio.sleep(4)


async def check_books(replica: Replica, others: Sequence[Replica], agent: Agent) -> int:
    """Compare runs, counters, status and what was asked; return the interrupted."""
    interrupted = 0
    for number, name in enumerate(NAMES):
        runs = await replica.runs(name)
        states = [run["state"] for run in runs]
        assert set(states) <= {"completed", "interrupted"}, states
        assert len({run["id"] for run in runs}) == len(runs)
        done, broken = states.count("completed"), states.count("interrupted")
        assert done <= agent.times(name) <= done + broken
        below = 0 if number % 2 else done
        await eventually(lambda: _shows_below(replica, name, below), 20)  # noqa: B023
        labels = {"monitor": name, "state": "completed"}
        counted = [
            await each.total("answerprobe_runs_total", **labels)
            for each in (replica, *others)
        ]
        assert sum(counted) <= done
        if others:
            assert sum(counted) == done
        interrupted += broken
    return interrupted


class TestReplicas:
    """What is promised of several daemons on one database."""

    async def test_each_due_run_happens_once_and_both_do_some(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """Counters add up to the runs, and history is the same from either."""
        one, two = await pair(cluster, agent)
        await grown(one, 30, by=3)
        await quiet(two, agent)

        assert await check_books(one, [two], agent) == 0
        assert [await one.runs(n) for n in NAMES] == [await two.runs(n) for n in NAMES]
        shares = [await r.total("answerprobe_runs_total") for r in (one, two)]
        assert min(shares) > 0

    async def test_a_killed_one_is_replaced(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """Its half runs are interrupted, and done again."""
        agent.delay_seconds = 0.3
        one, two = await pair(cluster, agent)
        await grown(one, 30)
        two.process.kill()
        await two.process.wait()

        await grown(one, TAKE_OVER_SECONDS)
        await quiet(one, agent)
        await check_books(one, [], agent)

    async def test_a_frozen_one_is_replaced_and_cannot_write_when_it_wakes(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """What it had begun counts nowhere."""
        agent.delay_seconds = 0.6
        one, two = await pair(cluster, agent)
        await grown(one, 30)
        two.signal(signal.SIGSTOP)
        await grown(one, TAKE_OVER_SECONDS)
        await alone(one)
        two.signal(signal.SIGCONT)
        await grown(two, 30)

        await said(two, "replica.lease_lost", 20)
        await quiet(one, agent)
        await check_books(one, [two], agent)

    async def test_one_that_is_cut_off_is_replaced_and_comes_back(
        self, cluster: Cluster, agent: Agent, postgres: PostgresServer
    ) -> None:
        """It says that its store is away, takes no orders, shows what it knows."""
        config = {"monitors": [agent.monitor(name) for name in NAMES]}
        async with Line(postgres.port).running() as line:
            one = await cluster.start(config)
            through = cluster.url.replace(f":{postgres.port}/", f":{line.port}/")
            two = await cluster.start(config, url=through)
            await grown(one, 30, by=2)
            await eventually(lambda: _shows(two, "m1"), 20)
            line.cut()

            await grown(one, TAKE_OVER_SECONDS)
            await eventually(lambda: _is_down(two), 20)
            assert await two.status_of_post("/v1/monitors/m1/runs") == 503
            assert await _shows(two, "m1")
            await alone(one)
            line.mend()
            await eventually(lambda: _is_up(two), 40)
            await grown(two, 30)
            await quiet(one, agent)
            await check_books(one, [two], agent)

    async def test_connections_that_died_without_a_word_are_replaced(
        self, cluster: Cluster, agent: Agent, postgres: PostgresServer
    ) -> None:
        """As a failover, or a firewall that forgets, leaves them."""
        config = {"monitors": [agent.monitor(name) for name in NAMES]}
        async with Line(postgres.port).running() as line:
            through = cluster.url.replace(f":{postgres.port}/", f":{line.port}/")
            one = await cluster.start(config, url=through)
            await grown(one, 30)
            line.drop()

            await eventually(lambda: _is_down(one), 20)
            await eventually(lambda: _is_up(one), 30)
            await grown(one, 30)
            await quiet(one, agent)
            await check_books(one, [], agent)

    @pytest.mark.parametrize("known", [True, False], ids=["two", "one and a newcomer"])
    async def test_a_restart_of_the_database_is_survived(
        self, cluster: Cluster, agent: Agent, postgres: PostgresServer, *, known: bool
    ) -> None:
        """Nothing is counted twice over it, whoever thought to be alone."""
        one, two = await pair(cluster, agent)
        if known:
            await grown(one, 30)
            await said(one, "alone=false", 20)
        await asyncio.to_thread(postgres.stop, "fast")
        await eventually(lambda: _is_down(one), 20)
        await asyncio.to_thread(postgres.start)
        await eventually(lambda: _is_up(one), 40)
        await eventually(lambda: _is_up(two), 40)

        await grown(one, 30, by=2)
        await quiet(two, agent)
        await check_books(one, [two], agent)

    async def test_what_one_began_alone_is_not_done_again_by_a_newcomer(
        self, cluster: Cluster, agent: Agent, postgres: PostgresServer
    ) -> None:
        """The store learns whose it is when it is back."""
        config = {"monitors": [agent.monitor("m1", every="manual", within="60s")]}
        one = await cluster.start(config)
        await asyncio.to_thread(postgres.stop, "fast")
        agent.delay_seconds = 15.0
        try:
            await eventually(lambda: _is_down(one), 20)
            run = (await one.post("/v1/monitors/m1/runs"))["run"]
            await eventually(lambda: _was_asked(agent, "m1"), 20)
        finally:
            await asyncio.to_thread(postgres.start)
        await eventually(lambda: _is_up(one), 40)
        two = await cluster.start(config)
        await said(one, "alone=false", 20)
        await eventually(lambda: _has_completed(two, "m1"), 40)

        assert [r["id"] for r in await two.runs("m1")] == [run]
        assert agent.times("m1") == 1

    async def test_sigterm_hands_over_within_ten_seconds(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """What it had begun is finished, and nobody waits for its lease."""
        agent.delay_seconds = 0.2
        one, two = await pair(cluster, agent)
        await grown(one, 30)

        assert await two.end() == 0
        await grown(one, 10)
        await quiet(one, agent)
        await check_books(one, [], agent)

    async def test_one_started_at_the_address_of_a_killed_one_takes_its_place(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """It need not wait for the lease of the one that was."""
        agent.delay_seconds = 0.7
        config = {"monitors": [agent.monitor(name) for name in NAMES]}
        one = await cluster.start(config)
        await grown(one, 30)
        one.process.kill()
        await one.process.wait()

        again = await cluster.start(config, port=one.port)
        await grown(again, 10)
        await quiet(again, agent)
        await check_books(again, [], agent)


async def _shows(replica: Replica, monitor: str) -> bool | None:
    """Whether *replica* shows the last run of *monitor*."""
    shown = await replica.total("answerprobe_last_run_id", monitor=monitor)
    return True if shown > 0 else None


async def _shows_below(replica: Replica, monitor: str, runs: int) -> bool | None:
    """
    Whether *replica* shows that so many runs in a row were below the target.

    A run is in the store before it is shown.
    """
    name = "answerprobe_consecutive_runs_below_target"
    return await replica.total(name, monitor=monitor) == runs or None


async def _was_asked(agent: Agent, monitor: str) -> bool | None:
    """Whether *agent* was asked what *monitor* asks."""
    return agent.times(monitor) > 0 or None


async def _has_completed(replica: Replica, monitor: str) -> bool | None:
    """Whether *replica* tells of a completed run of *monitor*."""
    return await replica.completed(monitor) > 0 or None


async def _is_up(replica: Replica) -> bool | None:
    """Whether *replica* says that its store works."""
    return True if await replica.total("answerprobe_storage_up") == 1 else None


async def _is_down(replica: Replica) -> bool | None:
    """Whether *replica* says that its store is away."""
    return True if await replica.total("answerprobe_storage_up") == 0 else None
