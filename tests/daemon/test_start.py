from pathlib import Path

import pytest

from answerprobe.errors import ConfigError, StoreInUse
from cli.program import Agent
from daemon.watching import watching


class TestStart:
    async def test_it_is_ready_and_healthy(self, agent: Agent, tmp_path: Path) -> None:
        """As soon as it has started; it asks nothing by itself that is on demand."""
        async with watching(agent.config(tmp_path)) as world:
            assert await world.status("/-/ready") == 200
            assert await world.status("/-/healthy") == 200
            assert await world.metric("answerprobe_build_info") == 1
            assert agent.asked == []

    async def test_a_second_one_on_the_same_file_is_refused(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """The first one goes on."""
        path = agent.config(tmp_path)
        async with watching(path) as world:
            with pytest.raises(StoreInUse, match=r"kept\.db"):
                async with watching(path):
                    pass
            assert await world.status("/-/ready") == 200

    async def test_an_empty_lock_is_refused(self, agent: Agent, tmp_path: Path) -> None:
        """It does not mean that every case counts."""
        (tmp_path / "answerprobe.lock").touch()
        with pytest.raises(ConfigError, match=r"answerprobe\.lock"):
            async with watching(agent.config(tmp_path)):
                pass

    async def test_what_ran_before_is_known_again(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A restart neither clears nor raises an alert."""
        agent.answers["refund?"] = "Sixty."
        path = agent.config(tmp_path)
        async with watching(path) as world:
            ran = await world.run("shop")
            shown = await world.get("/v1/monitors/shop")
        async with watching(path) as world:
            assert await world.get("/v1/monitors/shop") == shown
            below = "answerprobe_consecutive_runs_below_target"
            assert await world.metric(below, monitor="shop") == 1
            assert await world.metric("answerprobe_last_run_id") == ran["id"]
            assert await world.get(f"/v1/runs/{ran['id']}") == ran


class TestStored:
    async def test_answers_none_leaves_no_word_anywhere(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Neither in the API, nor in the metrics, nor in the file."""
        agent.answers["refund?"] = "Precious sixty."
        path = agent.config(tmp_path, agent.monitor(answers="none"))
        async with watching(path) as world:
            ran = await world.run("shop")
            shown = [
                ran,
                await world.get("/v1/monitors"),
                await world.get("/v1/runs"),
            ]
            async with world.session.get("/metrics") as response:
                metrics = await response.text()

        assert "Precious" not in str(shown) + metrics
        assert b"Precious" not in (tmp_path / "kept.db").read_bytes()

    async def test_answers_none_hides_what_was_kept_before(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """From the reload on."""
        agent.answers["refund?"] = "Precious sixty."
        path = agent.config(tmp_path)
        async with watching(path) as world:
            ran = await world.run("shop")
            agent.config(tmp_path, agent.monitor(answers="none"))
            await world.post("/-/reload")
            shown = [
                await world.get(f"/v1/runs/{ran['id']}"),
                await world.get("/v1/monitors"),
            ]
            async with world.session.get("/metrics") as response:
                metrics = await response.text()

        assert "Precious" in str(ran)
        assert "Precious" not in str(shown)
        assert "Precious" not in metrics
