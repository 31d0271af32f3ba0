"""A deploy that makes an agent worse, watched by a real daemon."""

import asyncio

from pathlib import Path

from cli.program import Agent, question
from daemon.watching import Json, Watching, watching


async def last_deploy(world: Watching, *, runs: int) -> Json:
    """Return what is known of the latest deploy once so many runs followed it."""
    async with asyncio.timeout(20):
        while True:
            found = (await world.get("/v1/monitors/shop"))["last_deploy"]
            if isinstance(found, dict) and found["after"]["runs"] == runs:
                return found
            await asyncio.sleep(0.02)


class TestDeploy:
    async def test_answers_whether_it_made_it_worse(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """After the runs that were agreed on, in the API and in the metrics."""
        case = question("refund", contains="30 days")
        shop = agent.monitor("shop", cases=[case], samples=10)
        config = agent.config(tmp_path, shop, deploys={"compare_after": 2})
        agent.answers["refund?"] = "30 days"
        async with watching(config) as world:
            for _ in range(2):
                await world.run("shop")
            agent.answers["refund?"] = "Ask again later."

            await world.post("/v1/deploys", {"version": "2.0"})
            early = await last_deploy(world, runs=1)
            await world.run("shop")
            found = await last_deploy(world, runs=2)

            assert early["result"] is None
            assert found["version"] == "2.0"
            assert found["before"] == {"runs": 2, "passed": 20, "judged": 20}
            assert found["after"] == {"runs": 2, "passed": 0, "judged": 20}
            assert (found["result"], found["difference"]) == ("regressed", -1)
            name = "answerprobe_last_deploy_result"
            assert await world.metric(name, result="regressed") == 1
            assert await world.metric(name, result="improved") == 0
