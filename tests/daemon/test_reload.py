from pathlib import Path

import pytest

from cli.program import Agent, question
from daemon.watching import watching


SUCCESS = "answerprobe_config_last_reload_successful"


class TestRefused:
    @pytest.mark.parametrize(
        "wrong",
        ["monitors: [{name: x}]", "", "\x00", "a: [", "monitors: []"],
        ids=ascii,
    )
    async def test_the_old_config_goes_on(
        self, agent: Agent, tmp_path: Path, wrong: str
    ) -> None:
        """The caller gets the errors, the metrics show it, nothing else changes."""
        path = agent.config(tmp_path)
        async with watching(path) as world:
            before = await world.get("/v1/monitors")
            path.write_text(wrong, encoding="utf-8")
            status, said = await world.post("/-/reload")

            assert status == 500
            assert "answerprobe.yml:" in str(said["error"])
            assert await world.metric(SUCCESS) == 0
            assert await world.get("/v1/monitors") == before
            assert world.daemon.ready

    async def test_a_right_one_heals_it(self, agent: Agent, tmp_path: Path) -> None:
        """The next good reload is successful again."""
        path = agent.config(tmp_path)
        right = path.read_text("utf-8")
        async with watching(path) as world:
            path.write_text("a: [", encoding="utf-8")
            await world.post("/-/reload")
            path.write_text(right, encoding="utf-8")
            status, said = await world.post("/-/reload")

            assert (status, said) == (200, {"reloaded": True})
            assert await world.metric(SUCCESS) == 1

    async def test_a_file_that_is_gone_is_named(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """And changes nothing."""
        path = agent.config(tmp_path)
        async with watching(path) as world:
            path.unlink()
            status, said = await world.post("/-/reload")

            assert status == 500
            assert "answerprobe.yml" in str(said["error"])
            assert await world.status("/v1/monitors/shop") == 200

    async def test_a_damaged_lock_is_refused(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """An empty one does not mean that every case counts."""
        path = agent.config(tmp_path)
        async with watching(path) as world:
            (tmp_path / "answerprobe.lock").touch()
            status, said = await world.post("/-/reload")

            assert status == 500
            assert "answerprobe.lock" in str(said["error"])


class TestAccepted:
    async def test_only_what_changed_changes(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """State and phase of all others stay; what left is gone, what came is there."""
        hourly = {"every": "1h"}
        same = agent.monitor("same", **hourly)
        path = agent.config(
            tmp_path, same, agent.monitor("changes", **hourly), agent.monitor("goes")
        )
        async with watching(path) as world:
            await world.run("same")
            await world.run("changes")
            before = await world.get("/v1/monitors/same")
            changed = agent.monitor("changes", **hourly, cases=[question("other")])
            agent.config(tmp_path, changed, same, agent.monitor("comes"))
            status, _ = await world.post("/-/reload")

            assert status == 200
            assert await world.get("/v1/monitors/same") == before
            runs = await world.metric("answerprobe_runs_total", monitor="same")
            assert runs == 1
            assert await world.passing("changes") == {"other": None}
            assert await world.status("/v1/monitors/goes") == 404
            goes = await world.metric("answerprobe_target_pass_ratio", monitor="goes")
            assert goes is None
            assert await world.status("/v1/monitors/comes") == 200

    async def test_tokens_are_those_of_the_new_config(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """From the next request on."""
        path = agent.config(tmp_path)
        async with watching(path) as world:
            agent.config(tmp_path, api={"tokens": {"ci": "a-new-token"}})
            first, _ = await world.post("/-/reload")
            second, _ = await world.post("/-/reload")

            assert (first, second) == (200, 401)
