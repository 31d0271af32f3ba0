"""A daemon beside a lock."""

import os

from pathlib import Path

from answerprobe.daemon._upkeep import ConfigFiles
from cli.calling import call
from cli.program import Agent, question
from daemon.watching import Watching, watching


async def cases_of(world: Watching, monitor: str) -> list[dict[str, object]]:
    """Return the cases of *monitor* as the API has them."""
    async with world.session.get(f"/v1/monitors/{monitor}") as response:
        cases: list[dict[str, object]] = (await response.json())["cases"]
    return cases


class TestDrafts:
    async def test_a_draft_has_no_series(self, agent: Agent, tmp_path: Path) -> None:
        """Nor any say in those of its monitor."""
        path = agent.config(
            tmp_path,
            agent.monitor(cases=[question("window"), question("tone", contains="x")]),
        )
        call("accept", path, "--case", "window")
        async with watching(path) as world:
            await world.run("shop")

            assert await world.metric("answerprobe_samples_total", case="tone") is None
            assert await world.metric("answerprobe_run_pass_ratio") == 1
            async with world.session.get("/metrics") as response:
                assert "tone" not in await response.text()

    async def test_a_monitor_of_drafts_alone_is_quiet(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Nothing is due, nothing can be stale; by hand it is refused."""
        path = agent.config(
            tmp_path,
            agent.monitor("other"),
            agent.monitor(every="1h", cases=[question("tone")]),
        )
        call("accept", path, "--all", "--monitor", "other")
        async with watching(path) as world:
            shop = await world.get("/v1/monitors/shop")
            status, said = await world.post("/v1/monitors/shop/runs")

            assert (shop["interval_seconds"], shop["next_run_at"]) == (None, None)
            assert status == 409
            assert "no case of 'shop' is accepted" in str(said["error"])
            gauge = "answerprobe_run_interval_seconds"
            assert await world.metric(gauge, monitor="shop") is None

    async def test_an_acceptance_holds_from_the_reload_on(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Then the monitor is watched on its schedule."""
        path = agent.config(
            tmp_path,
            agent.monitor("other"),
            agent.monitor(every="1h", cases=[question("tone")]),
        )
        call("accept", path, "--all", "--monitor", "other")
        async with watching(path) as world:
            call("accept", path, "--case", "tone")
            await world.post("/-/reload")
            shop = await world.get("/v1/monitors/shop")

            assert shop["interval_seconds"] == 3600
            assert shop["next_run_at"] is not None
            (case,) = await cases_of(world, "shop")
            assert case["state"] == "accepted"

    async def test_bad_news_end_with_the_last_case(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """What is retired cannot pass any more."""
        agent.answers["window?"] = 500
        path = agent.config(tmp_path, agent.monitor(cases=[question("window")]))
        call("accept", path, "--all")
        async with watching(path) as world:
            await world.run("shop")
            assert await world.metric("answerprobe_up") == 0
            call("retire", path, "--case", "window", "--reason", "closed")
            await world.post("/-/reload")

            assert await world.metric("answerprobe_up") is None
            (case,) = await cases_of(world, "shop")
            assert (case["state"], case["reason"]) == ("retired", "closed")


class TestConfigFiles:
    def test_the_lock_is_looked_at_too(self, tmp_path: Path) -> None:
        """Accepting is a change of the configuration."""
        path = tmp_path / "c.yml"
        path.touch()
        files = ConfigFiles(path)
        looks = [files.changed()]
        (tmp_path / "answerprobe.lock").touch()
        looks += [files.changed(), files.changed()]

        assert looks == [False, True, False]

    def test_a_lock_that_is_gone_is_missed_twice(self, tmp_path: Path) -> None:
        """Git takes a file away before it puts the new one there."""
        path, lock = tmp_path / "c.yml", tmp_path / "answerprobe.lock"
        path.touch()
        lock.touch()
        files = ConfigFiles(path)
        lock.unlink()

        assert [files.changed() for _ in range(3)] == [False, True, False]

    def test_a_config_that_is_gone_is_waited_for(self, tmp_path: Path) -> None:
        """It is being replaced."""
        path = tmp_path / "c.yml"
        path.touch()
        files = ConfigFiles(path)
        path.unlink()
        looks = [files.changed(), files.changed()]
        path.touch()
        os.utime(path, (1, 1))

        assert [*looks, files.changed()] == [False, False, True]
