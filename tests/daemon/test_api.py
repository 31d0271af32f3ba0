"""A real daemon and its API, over real sockets: nothing is faked but the agent."""

import json

from pathlib import Path

import yaml

from cli.program import Agent
from daemon.watching import Watching, watching


def write(folder: Path, agent: Agent) -> Path:
    """Write a configuration of one monitor with a key and return where it is."""
    case = {"id": "refund", "ask": "How long?", "expect": [{"contains": "days"}]}
    monitor = {
        "name": "shop",
        "endpoint": f"{agent.url}/chat",
        "every": "manual",
        "samples": 3,
        "auth": {"bearer": "literal-key-5e1f"},
        "token_budget": "1k",
        "price": {"input": 1, "output": 2},
        "cases": [case],
    }
    file = folder / "answerprobe.yml"
    file.write_text(json.dumps({"monitors": [monitor]}))
    return file


async def text(watched: Watching, method: str, path: str) -> str:
    """Return what *method* of *path* says, which must work."""
    async with watched.session.request(method, path) as response:
        found = await response.text()
        assert response.status == 200, found
        return found


class TestProbe:
    async def test_a_get_never_asks_the_agent(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Before the first run neither."""
        async with watching(write(tmp_path, agent)) as watched:
            await text(watched, "GET", "/probe?monitor=shop")
            await text(watched, "GET", "/probe?monitor=shop&debug=true")

        assert agent.asked == []

    async def test_a_post_asks_it_and_counts_for_nothing(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Its run is a dry one, which GET then shows too."""
        async with watching(write(tmp_path, agent)) as watched:
            told = await text(watched, "POST", "/probe?monitor=shop")
            again = await text(watched, "GET", "/probe?monitor=shop")
            runs = json.loads(await text(watched, "GET", "/v1/runs"))["runs"]
            passing = await watched.passing("shop")

        assert 'answerprobe_run_pass_ratio{monitor="shop"}' in told
        assert (again, len(agent.asked)) == (told, 3)
        assert [run["trigger"] for run in runs] == ["dry_run"]
        assert passing == {"refund": None}

    async def test_debug_has_no_secret(self, agent: Agent, tmp_path: Path) -> None:
        """Beside the log stands the monitor as it is configured."""
        async with watching(write(tmp_path, agent)) as watched:
            await watched.run("shop")
            debug = await text(watched, "GET", "/probe?monitor=shop&debug=true")

        assert "literal-key" not in debug
        assert "bearer: <secret>" in debug
        assert "contains" in debug


class TestConfig:
    async def test_it_is_the_one_that_is_in_use(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Not the file as it is now; after a reload the new one."""
        file = write(tmp_path, agent)
        async with watching(file) as watched:
            before = await text(watched, "GET", "/config")
            file.write_text(file.read_text().replace("How long?", "How so?"))
            meanwhile = await text(watched, "GET", "/config")
            await text(watched, "POST", "/-/reload")
            after = await text(watched, "GET", "/config")

        assert before == meanwhile
        asked = [
            yaml.safe_load(shown)["monitors"][0]["cases"][0]["ask"]
            for shown in (before, after)
        ]
        assert asked == ["How long?", "How so?"]


class TestEstimate:
    async def test_it_learns_from_what_runs_took(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A guess before, the mean afterwards; the budget has what is left."""
        path = "/v1/monitors/shop/estimate"
        async with watching(write(tmp_path, agent)) as watched:
            before = await watched.get(path)
            run = await watched.run("shop")
            after = await watched.get(path)

        spent = sum(
            usage["input"] + usage["output"]
            for sample in run["samples"]  # type: ignore[attr-defined]  # JSON
            for usage in sample["tokens"].values()
        )
        assert (before["seconds_expected"], before["budget_left"]) == (None, 1000)
        assert after["tokens"] == {"expected": spent, "at_most": None}
        assert after["budget_left"] == 1000 - spent
        assert after["seconds_expected"] is not None


class TestCsv:
    async def test_it_has_the_run(self, agent: Agent, tmp_path: Path) -> None:
        """A row for each sample."""
        async with watching(write(tmp_path, agent)) as watched:
            run = await watched.run("shop")
            rows = await text(watched, "GET", f"/v1/runs/{run['id']}.csv")

        assert len(rows.splitlines()) == 4
