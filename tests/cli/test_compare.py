import asyncio
import json
import signal
import sqlite3

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.calling import call, write
from cli.program import Agent, answerprobe, end, files, question, serving_agent, start


@pytest.fixture
async def other() -> AsyncIterator[Agent]:
    """Serve another agent, the changed setup."""
    async with serving_agent() as agent:
        yield agent


def changed(other: Agent) -> str:
    """Return the flag that compares with *other*."""
    return f"--set=endpoint={other.url}/chat"


class TestResult:
    async def test_a_worse_setup_is_told_and_is_1(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """A row for each criterion; nothing but the result on standard output."""
        other.answers["refund?"] = "No idea."
        config = agent.config(tmp_path)
        flags = [changed(other), "--runs=5", "--yes"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        rows = done.stdout.splitlines()
        assert done.status == 1
        assert rows[0].startswith(f"shop, endpoint: {agent.url}/chat → {other.url}")
        (row,) = [row for row in rows if "contains" in row]
        assert row.split()[:5] == ["refund", "contains", "5/5", "0/5", "-100.0%"]
        assert "Regressed" in row
        assert "2 criteria: 1 regressed, 1 no detectable difference" in rows
        assert "up to 0.1 of them would still be called" in done.stdout

    async def test_a_better_setup_is_0(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """It may be taken."""
        agent.answers["refund?"] = "No idea."
        config = agent.config(tmp_path)
        flags = [changed(other), "--runs=5", "--yes", "--format=json"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        found = json.loads(done.stdout)
        assert done.status == 0
        assert found["criteria"][0]["result"] == "improved"
        assert found["state"] == "completed"

    async def test_each_is_asked_as_often_and_only_the_cases_named(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """Whatever the case's own number of samples is."""
        shop = agent.monitor(cases=[question("refund"), question("hours")])
        config = agent.config(tmp_path, shop, agent.monitor("second"))
        flags = [changed(other), "--runs=3", "--yes", "--monitor=shop", "--case=hours"]
        await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert agent.asked == other.asked == ["hours?"] * 3

    async def test_a_budget_that_cuts_it_short_is_3(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """And what came so far is shown."""
        config = agent.config(tmp_path, agent.monitor(token_budget=60))
        flags = [changed(other), "--runs=50", "--yes"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert done.status == 3
        assert "a token budget is used up; --resume 1 goes on with it" in done.stderr
        assert "Not complete: " in done.stdout
        assert len(agent.asked) + len(other.asked) < 100

    async def test_where_no_sample_could_be_judged_it_is_3(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """As `run` ends then: what nobody judged is no proof."""
        agent.verdict = "I would rather not say."
        case = question("refund", contains="30 days", judge="Gives the window.")
        config = agent.config(tmp_path, agent.monitor(cases=[case]))
        flags = [changed(other), "--runs=2", "--yes"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert done.status == 3
        assert "no sample of a setup could be judged by judge of refund" in done.stderr
        assert "not judged" in done.stdout

    async def test_where_rules_fail_every_sample_it_is_no_matter_of_the_judge(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """Nobody was to be asked."""
        agent.verdict = "I would rather not say."
        agent.answers["refund?"] = other.answers["refund?"] = "No idea."
        case = question("refund", contains="30 days", judge="Gives the window.")
        config = agent.config(tmp_path, agent.monitor(cases=[case]))
        flags = [changed(other), "--runs=2", "--yes"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert done.status == 0


class TestEstimate:
    async def test_it_is_told_before_anything_is_asked(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """Calls, tokens by role, dollars; a closed standard input means no."""
        shop = agent.monitor(
            cases=[question("refund", judge="Gives it.")],
            price={"input": 1, "output": 10},
        )
        config = agent.config(tmp_path, shop)
        flags = [changed(other), "--runs=7"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert done.status == 2
        assert "14 calls of the agent: 7 runs of 1 case with 2 setups" in done.stderr
        assert ", judge " in done.stderr
        assert "by the texts' length" in done.stderr
        assert ", without judge, which has no price" in done.stderr
        assert done.stderr.endswith("nothing was asked\n")
        assert agent.asked == other.asked == []
        assert files(tmp_path) == ["answerprobe.yml"]

    async def test_past_runs_know_better(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """Their mean is told."""
        config = agent.config(tmp_path)
        url = "--storage.url=sqlite:///answerprobe.db"
        await answerprobe("run", config, url, cwd=tmp_path)
        done = await answerprobe("compare", config, changed(other), cwd=tmp_path)

        assert "by past runs" in done.stderr
        assert "cost unknown: no price is set" in done.stderr

    async def test_a_conversation_counts_all_its_turns(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """At most so many."""
        talk = {"persona": "A customer.", "goal": "A refund.", "max_turns": 4}
        case = {"id": "talk", "conversation": talk, "expect": [{"contains": "30"}]}
        user = {"base_url": f"{agent.url}/v1", "model": "u"}
        shop = agent.monitor(cases=[case])
        config = agent.config(tmp_path, shop, simulated_user=user)
        flags = [changed(other), "--runs=5"]
        done = await answerprobe("compare", config, *flags, cwd=tmp_path)

        assert "at most 40 calls of the agent" in done.stderr
        assert "simulated user " in done.stderr


class TestUsage:
    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param([], "say what changes, such as --set model=…", id="nothing"),
            pytest.param(["--set=modle=b"], "did you mean model?", id="unknown key"),
            pytest.param(["--set=model=b"], "--set: model: is a key of", id="chat"),
            pytest.param(["--set=endpoint=ftp://x/"], "--set: endpoint: ", id="value"),
            pytest.param(["--monitor=shpo"], "did you mean 'shop'?", id="monitor"),
            pytest.param(["--case=nope"], "there is no case 'nope'", id="case"),
            pytest.param(["--runs=0"], "--runs", id="no runs"),
            pytest.param(["--runs=201"], "--runs", id="too many runs"),
            pytest.param(["--resume=1"], "there is no store at", id="no store"),
        ],
    )
    def test_what_cannot_be_done_is_2(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        flags: list[str],
        says: str,
    ) -> None:
        """Nothing is asked, and no store is made."""
        monkeypatch.chdir(tmp_path)
        given = any(flag.startswith("--set") for flag in flags)
        change = [] if given or not flags else ["--set=endpoint=http://127.0.0.1:9/x"]
        result = call("compare", write(tmp_path), *flags, *change, "--yes")

        assert result.exit_code == 2
        assert says in result.stderr
        assert files(tmp_path) == ["answerprobe.yml"]

    @pytest.mark.parametrize(
        "setting",
        [
            pytest.param("model=gpt", id="model"),
            pytest.param("temperature=0.50", id="temperature"),
            pytest.param("system_prompt=You are Ada.", id="system prompt"),
            pytest.param("endpoint=http://127.0.0.1:9/v1", id="endpoint"),
            pytest.param("headers.X-Tenant=a", id="header"),
        ],
    )
    def test_what_is_so_already_is_nothing_to_compare_with(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
    ) -> None:
        """It would be found to make no difference, for money."""
        monkeypatch.chdir(tmp_path)
        path = write(
            tmp_path,
            type="agent",
            protocol="openai",
            endpoint="http://127.0.0.1:9/v1",
            model="gpt",
            temperature=0.5,
            system_prompt="You are Ada.",
            headers={"X-Tenant": "a"},
        )
        result = call("compare", path, f"--set={setting}", "--yes")

        assert result.exit_code == 2
        assert "is asked so already" in result.stderr
        assert files(tmp_path) == ["answerprobe.yml"]

    async def test_only_accepted_cases_are_asked(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """A draft is none yet, and is not asked by its name either."""
        cases = [question("refund"), question("hours")]
        config = agent.config(tmp_path, agent.monitor(cases=cases))
        await answerprobe("accept", config, "--case=refund", cwd=tmp_path)
        flags = [changed(other), "--runs=1", "--yes"]
        await answerprobe("compare", config, *flags, cwd=tmp_path)
        done = await answerprobe(
            "compare", config, *flags, "--case=hours", cwd=tmp_path
        )

        assert agent.asked == other.asked == ["refund?"]
        assert done.status == 2
        assert "case 'hours' is draft: only accepted ones count" in done.stderr

    def test_of_several_monitors_one_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is not guessed."""
        monkeypatch.chdir(tmp_path)
        path = write(tmp_path)
        document = json.loads(path.read_text("utf-8"))
        (shop,) = document["monitors"]
        document["monitors"].append({**shop, "name": "second"})
        path.write_text(json.dumps(document), encoding="utf-8")
        result = call("compare", path, "--set=endpoint=http://127.0.0.1:9/x", "--yes")

        assert result.exit_code == 2
        assert result.stderr == "there are 2 monitors; say which one with --monitor\n"


class TestInterruption:
    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=str)
    async def test_it_is_written_down_with_what_was_spent(
        self, agent: Agent, other: Agent, tmp_path: Path, how: signal.Signals
    ) -> None:
        """Whoever ends it: a person, or what runs the pipeline."""
        config = agent.config(tmp_path, limits={"per_monitor": 1})
        gate = other.gate = asyncio.Event()
        flags = [changed(other), "--runs=4", "--yes"]
        process = await start("compare", config, *flags, cwd=tmp_path)
        await other.reached.wait()
        process.send_signal(how)
        done = await end(process)
        gate.set()

        with closing(sqlite3.connect(tmp_path / "answerprobe.db")) as store:
            states = store.execute("SELECT state FROM experiments").fetchall()
            (spent,) = store.execute("SELECT sum(input_tokens) FROM ledger").fetchone()
        assert (done.status, states) == (130, [("interrupted",)])
        assert done.stderr.endswith("interrupted\n")
        assert spent > 0


class TestResume:
    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=str)
    async def test_nothing_is_asked_twice(
        self, agent: Agent, other: Agent, tmp_path: Path, how: signal.Signals
    ) -> None:
        """Apart from what was on its way when it ended."""
        config = agent.config(tmp_path, limits={"per_monitor": 1})
        gate = other.gate = asyncio.Event()
        flags = [changed(other), "--runs=4", "--yes"]
        process = await start("compare", config, *flags, cwd=tmp_path)
        await other.reached.wait()
        process.send_signal(how)
        await end(process)
        gate.set()
        assert (len(agent.asked), len(other.asked)) == (1, 1)
        again = ["--resume=1", "--yes", "--format=json"]
        done = await answerprobe("compare", config, *again, cwd=tmp_path)

        assert "7 calls of the agent" in done.stderr
        assert "1 of them asked already" in done.stderr
        assert json.loads(done.stdout)["progress"] == {"done": 8, "total": 8}
        assert (len(agent.asked), len(other.asked)) == (4, 5)

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param(["--resume=2"], "there is no experiment 2", id="none"),
            pytest.param(["--resume=1"], "experiment 1 is complete", id="complete"),
        ],
    )
    async def test_what_cannot_go_on(
        self, agent: Agent, tmp_path: Path, flags: list[str], says: str
    ) -> None:
        """It says why."""
        config = agent.config(tmp_path)
        change = "--set=headers.X=1"
        await answerprobe("compare", config, change, "--runs=1", "--yes", cwd=tmp_path)
        done = await answerprobe("compare", config, *flags, "--yes", cwd=tmp_path)

        assert done.status == 2
        assert says in done.stderr

    async def test_only_what_is_not_kept_is_to_be_given_again(
        self, agent: Agent, other: Agent, tmp_path: Path
    ) -> None:
        """The other changes are known."""
        config = agent.config(tmp_path, agent.monitor(token_budget=60))
        header = "--set=headers.X=1"
        flags = [changed(other), header, "--runs=50", "--yes"]
        await answerprobe("compare", config, *flags, cwd=tmp_path)
        again = ["--resume=1", "--yes", header]
        done = await answerprobe("compare", config, *again, cwd=tmp_path)

        assert done.status == 3
        assert "of them asked already" in done.stderr

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param([], "the value of headers.X is not kept", id="masked"),
            pytest.param(["--set=headers.X=2"], "not what it was", id="value"),
            pytest.param(["--set=headers.Y=1"], "--set says otherwise", id="key"),
            pytest.param(
                ["--set=headers.X=1", "--runs=9"], "has 50 runs", id="other runs"
            ),
        ],
    )
    async def test_another_experiment_is_none_to_go_on_with(
        self, agent: Agent, tmp_path: Path, flags: list[str], says: str
    ) -> None:
        """What was asked already must be what is asked now."""
        config = agent.config(tmp_path, agent.monitor(token_budget=60))
        change = ["--set=headers.X=1", "--runs=50", "--yes"]
        await answerprobe("compare", config, *change, cwd=tmp_path)
        again = ["--resume=1", "--yes", *flags]
        done = await answerprobe("compare", config, *again, cwd=tmp_path)

        assert done.status == 2
        assert says in done.stderr
