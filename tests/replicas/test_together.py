"""What replicas do for each other: orders, pauses, budgets, judges, definitions."""

import asyncio

import pytest

from e2e.program import eventually
from postgresql import PostgresServer
from replicas.cluster import Agent, Cluster, Replica


pytestmark = pytest.mark.timeout(120)


async def state_becomes(replica: Replica, run: object, state: str) -> None:
    """Return once *replica* tells that *run* is in *state*."""

    async def look() -> bool | None:
        return (await replica.get(f"/v1/runs/{run}"))["state"] == state or None

    await eventually(look, 30)


async def shown(replica: Replica, name: str, value: float, **labels: str) -> None:
    """Return once *replica* shows *value* for a series."""

    async def look() -> bool | None:
        return await replica.total(name, **labels) == value or None

    try:
        await eventually(look, 20)
    except TimeoutError:
        found = await replica.total(name, **labels)
        message = f"{name}{labels} is {found}, not {value}:\n{replica.log()[-3000:]}"
        raise AssertionError(message) from None


class TestOrders:
    """What is asked for at one replica and done or seen at another."""

    async def test_a_run_that_one_promised_is_done_after_its_death(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """Whoever is left does it, after the delay that was asked for."""
        config = {"monitors": [agent.monitor("m1", every="manual")]}
        one, two = await cluster.start(config), await cluster.start(config)
        body = {"version": "v7", "monitors": ["m1"], "delay": "3s"}
        promised = (await two.post("/v1/deploys", body))["runs"]
        assert isinstance(promised, dict)
        two.process.kill()

        await state_becomes(one, promised["m1"], "completed")
        metrics = await one.metrics()
        assert metrics.total("answerprobe_last_deploy_timestamp_seconds", version="v7")
        assert agent.times("m1") == 1

    async def test_the_same_order_at_both_is_one_run(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """One more is queued while a run goes on, and one only."""
        agent.delay_seconds = 1.5
        config = {"monitors": [agent.monitor("m1", every="manual")]}
        one, two = await cluster.start(config), await cluster.start(config)
        first = await one.post("/v1/monitors/m1/runs")
        await state_becomes(two, first["run"], "running")

        again = [await r.post("/v1/monitors/m1/runs") for r in (one, two, one)]
        assert len({answer["run"] for answer in again}) == 1
        await state_becomes(two, again[0]["run"], "completed")
        assert agent.times("m1") == 2

    async def test_a_pause_at_one_is_a_pause_at_both(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """So is its end."""
        config = {"monitors": [agent.monitor("m1")]}
        one, two = await cluster.start(config), await cluster.start(config)
        labels = {"monitor": "m1", "reason": "manual"}
        await one.post("/v1/monitors/m1/pause")
        await shown(two, "answerprobe_paused", 1.0, **labels)
        assert (await two.get("/v1/monitors/m1"))["status"] == "paused"

        await two.post("/v1/monitors/m1/resume")
        await shown(one, "answerprobe_paused", 0.0, **labels)
        asked = agent.times("m1")
        await eventually(lambda: _more(agent, asked), 20)


class TestBudget:
    """Tokens that several replicas spend."""

    async def test_all_together_spend_no_more_than_one_sample_too_much(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """Each sample is granted before it starts, with what others hold."""
        # Less than a first sample is held to take: nothing of it comes as a surprise.
        agent.usage = {"prompt_tokens": 5, "completion_tokens": 195}
        agent.delay_seconds = 0.05
        case = {"response": {"answer": "answer", "usage": "usage"}, "samples": 5}
        config = {
            "token_budget": 4_100,
            "monitors": [
                agent.monitor(f"m{n}", every="manual", pass_at_least=1, **case)
                for n in range(8)
            ],
        }
        one, two = await cluster.start(config), await cluster.start(config)
        async with asyncio.TaskGroup() as group:
            for number in range(8):
                path = f"/v1/monitors/m{number}/runs"
                group.create_task((one, two)[number % 2].post(path))

        for replica in (one, two):
            await shown(replica, "answerprobe_total_token_budget_used_tokens", 4_200)
        assert agent.asked.total() == 21
        for replica in (one, two):
            await shown(replica, "answerprobe_paused", 8.0, reason="budget")

    async def test_a_monitors_own_budget_holds_wherever_it_runs(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """What one has spent the other knows when it claims."""
        agent.usage = {"prompt_tokens": 900, "completion_tokens": 100}
        more = {"response": {"answer": "answer", "usage": "usage"}}
        monitor = agent.monitor("m1", token_budget=3500, every="1s", **more)
        monitor["within"] = "900ms"
        config = {"monitors": [monitor]}
        one, two = await cluster.start(config), await cluster.start(config)

        for replica in (one, two):
            labels = {"monitor": "m1", "reason": "budget"}
            await shown(replica, "answerprobe_paused", 1.0, **labels)
        assert agent.times("m1") == 4


class TestJudges:
    """Judges that several replicas ask."""

    async def test_one_calibrates_and_the_others_know(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """Each canary is asked once."""
        judge = {
            "base_url": f"{agent.url}/v1",
            "model": "judge",
            "auth": {"bearer": "secret.JUDGE_KEY"},
            "canaries": [
                {
                    "question": f"What about {n}?",
                    "answer": "30 days" if n % 2 else "no idea",
                    "rubric": "Tells the period.",
                    "verdict": "pass" if n % 2 else "fail",
                }
                for n in range(6)
            ],
        }
        monitor = agent.monitor("m1", every="manual")
        case = {"id": "refund", "ask": "Question of m1", "expect": [{"judge": "Good."}]}
        config = {
            "judges": {"default": judge},
            "monitors": [{**monitor, "cases": [case]}],
        }
        one, two = await cluster.start(config), await cluster.start(config)

        for replica in (one, two):
            await shown(replica, "answerprobe_judge_canary_samples", 6.0)
        assert agent.asked["judge"] == 6


class TestDefinitions:
    """Replicas whose configurations differ."""

    async def test_only_the_newest_definition_is_run_and_shown(
        self, cluster: Cluster, agent: Agent
    ) -> None:
        """The older one comes back when its configuration does, with its counters."""
        older = {"monitors": [agent.monitor("m1"), agent.monitor("m3")]}
        one = await cluster.start(older)
        await eventually(lambda: _counted(one), 30)
        before = await one.total("answerprobe_runs_total", monitor="m1")
        newer = [agent.monitor("m1", every="3s"), agent.monitor("m3")]
        two = await cluster.start({"monitors": newer})

        await eventually(lambda: _gone(one, "m1"), 20)
        assert await one.total("answerprobe_runs_total", monitor="m3") > 0
        assert await two.total("answerprobe_run_interval_seconds", monitor="m1") == 3
        await one.reload({"monitors": newer})
        assert await one.total("answerprobe_run_interval_seconds", monitor="m1") == 3
        assert await one.total("answerprobe_runs_total", monitor="m1") >= before


class TestAlone:
    """A single daemon on a PostgreSQL."""

    async def test_goes_on_while_the_database_is_away_and_writes_it_later(
        self, cluster: Cluster, agent: Agent, postgres: PostgresServer
    ) -> None:
        """Like one with a file."""
        one = await cluster.start({"monitors": [agent.monitor("m1")]})
        await eventually(lambda: _counted(one), 30)
        await asyncio.to_thread(postgres.stop, "fast")
        try:
            await shown(one, "answerprobe_storage_up", 0.0)
            asked = agent.times("m1")
            await eventually(lambda: _more(agent, asked + 2), 20)
        finally:
            await asyncio.to_thread(postgres.start)
        await shown(one, "answerprobe_storage_up", 1.0)
        await one.post("/v1/monitors/m1/pause")
        await asyncio.sleep(2.5)

        runs = await one.runs("m1")
        assert {run["state"] for run in runs} == {"completed"}
        assert len(runs) == agent.times("m1")
        assert await one.total("answerprobe_runs_total") == len(runs)
        below = "answerprobe_consecutive_runs_below_target"
        assert await one.total(below, monitor="m1") == 0


async def _more(agent: Agent, than: int) -> bool | None:
    """Whether m1 asked more often *than* that."""
    return agent.times("m1") > than or None


async def _counted(replica: Replica) -> bool | None:
    """Whether *replica* has run both of its monitors, or the one."""
    return await replica.total("answerprobe_runs_total", state="completed") > 3 or None


async def _gone(replica: Replica, monitor: str) -> bool | None:
    """Whether *replica* shows nothing of *monitor*."""
    found = (await replica.metrics()).total("answerprobe_runs_total", monitor=monitor)
    return True if found is None else None
