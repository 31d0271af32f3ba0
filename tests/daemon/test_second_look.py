"""An agent that is away for a moment, watched by a real daemon."""

import asyncio

from pathlib import Path

from cli.program import Agent, question
from daemon.watching import Json, Watching, watching


# A monitor of this name is due at once when it is new: its place in the spread of first
# runs is the hash of its name.
NAME = "shop-340"


def shop(agent: Agent, confirm: str) -> dict[str, object]:
    """Return a monitor that is asked once an hour, and again after *confirm*."""
    case = question("refund", contains="30 days")
    return agent.monitor(NAME, cases=[case], every="1h", confirm=confirm)


async def ended(world: Watching, *, state: str = "completed") -> Json:
    """Return the first run that ended in *state*, whole."""
    async with asyncio.timeout(20):
        while True:
            page = await world.get("/v1/runs")
            runs = page["runs"]
            assert isinstance(runs, list)
            found = [run for run in runs if run["state"] == state]
            if found:
                return await world.get(f"/v1/runs/{found[-1]['id']}")
            await asyncio.sleep(0.02)


async def counted(world: Watching, run_id: object) -> None:
    """Wait until the metrics show run *run_id*."""
    async with asyncio.timeout(20):
        while True:
            if await world.metric("answerprobe_last_run_id") == run_id:
                return
            await asyncio.sleep(0.02)


async def doubted(world: Watching, agent: Agent) -> Json:
    """Return the first run of all once it waits for its second look."""
    await agent.reached.wait()
    async with asyncio.timeout(20):
        while True:
            run = await world.get("/v1/runs/1")
            if run["confirming"]:
                return run
            await asyncio.sleep(0.02)


class TestBlip:
    async def test_a_moment_away_pages_nobody(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Both looks are in the evidence; only the first one in the counters."""
        agent.answers["refund?"] = 500
        async with watching(agent.config(tmp_path, shop(agent, "500ms"))) as world:
            # It has made up its mind by then: that answer is the old one.
            await agent.reached.wait()
            agent.answers["refund?"] = "Within 30 days."
            run = await ended(world)
            await counted(world, run["id"])

            assert isinstance(run["samples"], list)
            assert isinstance(run["second_look"], list)
            assert [s["outcome"] for s in run["samples"]] == ["error"]
            assert [s["outcome"] for s in run["second_look"]] == ["pass"]
            assert run["pass_ratio"] == 0
            assert await world.metric("answerprobe_up") == 1
            assert await world.metric("answerprobe_consecutive_runs_down") == 0
            assert await world.metric("answerprobe_run_pass_ratio") == 0
            samples = "answerprobe_samples_total"
            assert await world.metric(samples, outcome="error") == 1
            assert await world.metric(samples, outcome="pass") == 0
            assert await world.passing(NAME) == {"refund": True}

    async def test_one_that_stays_away_is_down(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """After the second look, and with one run in the count."""
        agent.answers["refund?"] = 500
        async with watching(agent.config(tmp_path, shop(agent, "500ms"))) as world:
            run = await ended(world)
            await counted(world, run["id"])

            assert agent.asked == ["refund?", "refund?"]
            assert await world.metric("answerprobe_up") == 0
            assert await world.metric("answerprobe_consecutive_runs_down") == 1
            assert await world.metric("answerprobe_samples_total", outcome="error") == 1

    async def test_while_it_waits_it_runs_and_shows_until_when(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Nothing is in flight; what was seen does not count yet."""
        agent.answers["refund?"] = 500
        async with watching(agent.config(tmp_path, shop(agent, "10m"))) as world:
            run = await doubted(world, agent)

            assert run["state"] == "running"
            assert run["progress"] == {"done": 1, "total": 1}
            assert await world.metric("answerprobe_samples_in_flight") == 0
            assert await world.metric("answerprobe_up") is None

    async def test_an_end_in_between_loses_nothing_and_counts_nothing(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """The next daemon has the run as interrupted, and repeats it."""
        agent.answers["refund?"] = 500
        path = agent.config(tmp_path, shop(agent, "10m"))
        async with watching(path) as world:
            await doubted(world, agent)
        agent.answers["refund?"] = "Within 30 days."

        async with watching(path) as world:
            cut = await ended(world, state="interrupted")
            run = await ended(world)
            await counted(world, run["id"])

            assert cut["outcomes"] == {
                "pass": 0,
                "fail": 0,
                "error": 1,
                "not_judged": 0,
            }
            assert await world.metric("answerprobe_consecutive_runs_down") == 0
            assert run["pass_ratio"] == 1
