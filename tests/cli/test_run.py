import asyncio
import csv
import io
import json
import signal
import xml.etree.ElementTree as ET

from pathlib import Path

import pytest

from answerprobe.daemon._books import utc_now
from answerprobe.evidence import Store
from cli.calling import call, write
from cli.program import Agent, answerprobe, end, files, question, start
from postgresql import PostgresServer


class TestExitStatus:
    async def test_all_pass_is_0(self, agent: Agent, tmp_path: Path) -> None:
        """The table goes to standard output, nothing else is said."""
        done = await answerprobe("run", agent.config(tmp_path), cwd=tmp_path)

        assert (done.status, done.stderr) == (0, "")
        assert done.stdout.splitlines()[-1] == "1 case: 1 passing"

    @pytest.mark.parametrize("answer", ["Sixty.", 500], ids=["wrong", "down"])
    async def test_a_fail_is_1(
        self, agent: Agent, tmp_path: Path, answer: str | int
    ) -> None:
        """Whether the answer was wrong or none came."""
        agent.answers["refund?"] = answer
        done = await answerprobe("run", agent.config(tmp_path), cwd=tmp_path)

        assert done.status == 1
        assert "1 failing" in done.stdout

    async def test_what_nobody_could_judge_is_3(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A judge that talks nonsense decides nothing."""
        agent.verdict = "I would rather not say."
        config = agent.config(
            tmp_path, agent.monitor(cases=[question("refund", judge="Gives it.")])
        )
        done = await answerprobe("run", config, cwd=tmp_path)

        assert done.status == 3
        assert "undecided" in done.stdout

    async def test_a_budget_that_cuts_it_short_is_said(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """What was not asked never looks like a success."""
        config = agent.config(
            tmp_path, agent.monitor(samples=20, pass_at_least=20, token_budget=60)
        )
        done = await answerprobe("run", config, cwd=tmp_path)

        assert done.status == 3
        assert "cut short" in done.stderr
        assert "token budget" in done.stderr
        assert len(agent.asked) < 20

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=str)
    async def test_told_to_end_it_is_130_in_one_line(
        self, agent: Agent, tmp_path: Path, how: signal.Signals
    ) -> None:
        """However deep in a run it comes."""
        agent.gate = asyncio.Event()
        process = await start("run", agent.config(tmp_path), cwd=tmp_path)
        await agent.reached.wait()
        process.send_signal(how)
        done = await end(process)
        agent.gate.set()

        assert (done.status, done.stdout) == (130, "")
        assert done.stderr == "interrupted\n"


@pytest.mark.usefixtures("logging_restored")
class TestRefusals:
    def test_a_damaged_lock_is_not_ignored(self, tmp_path: Path) -> None:
        """Nothing is asked."""
        (tmp_path / "answerprobe.lock").write_text("{}", encoding="utf-8")
        result = call("run", write(tmp_path))

        assert result.exit_code == 2
        assert "answerprobe.lock" in result.stderr

    def test_the_errors_of_a_config_all_come(self, tmp_path: Path) -> None:
        """With their places."""
        result = call("run", write(tmp_path, evry="1h", sample=2))

        assert result.exit_code == 2
        assert "answerprobe.yml:1:" in result.stderr
        assert "evry" in result.stderr
        assert "sample" in result.stderr

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param(
                ["--monitor", "shp"], "(did you mean 'shop'?)", id="near-monitor"
            ),
            pytest.param(["--monitor", "q"], "known: 'shop'", id="monitor"),
            pytest.param(["--case", "q"], "known: 'refund'", id="case"),
            pytest.param(
                ["--storage.url", "sqlite:////no/such/folder/x.db"], "folder", id="url"
            ),
            pytest.param(["--storage.url", "nonsense"], "no URL", id="no-url"),
        ],
    )
    def test_a_wrong_flag_is_one_line(
        self, tmp_path: Path, flags: list[str], says: str
    ) -> None:
        """With what may have been meant."""
        result = call("run", write(tmp_path), *flags)

        assert result.exit_code == 2
        assert says in result.stderr
        assert len(result.stderr.splitlines()) == 1

    @pytest.mark.parametrize(
        "flag", ["--samples=0", "--samples=201", "--samples=x", "--format=xml"]
    )
    def test_a_wrong_value_names_its_flag(self, tmp_path: Path, flag: str) -> None:
        """Before anything is asked."""
        result = call("run", write(tmp_path), flag)

        assert result.exit_code == 2
        assert flag.partition("=")[0] in result.stderr


class TestSelection:
    async def test_flags_choose_monitors_cases_and_samples(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """And such a run says that it is exploratory."""
        both = [question("a"), question("b")]
        config = agent.config(
            tmp_path, agent.monitor("x", cases=both), agent.monitor("y", cases=both)
        )
        flags = ["--monitor=y", "--case=b", "--samples=2", "--format=json"]
        done = await answerprobe("run", config, *flags, cwd=tmp_path)

        (run,) = json.loads(done.stdout)["runs"]
        assert agent.asked == ["b?", "b?"]
        assert (run["monitor"], run["exploratory"]) == ("y", True)

    async def test_a_dry_run_is_stored_as_one(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Where a storage URL is given, its file is there afterwards."""
        flags = ["--dry-run", "--format=json", "--storage.url=sqlite:///kept.db"]
        done = await answerprobe("run", agent.config(tmp_path), *flags, cwd=tmp_path)

        (run,) = json.loads(done.stdout)["runs"]
        assert (run["trigger"], run["exploratory_reason"]) == ("dry_run", "dry run")
        assert (tmp_path / "kept.db").exists()

    async def test_nothing_is_kept_unasked(self, agent: Agent, tmp_path: Path) -> None:
        """Without a storage URL the folder stays as it was."""
        config = agent.config(tmp_path)
        await answerprobe("run", config, cwd=tmp_path)

        assert files(tmp_path) == [config.name]


class TestFormats:
    async def test_answers_none_prints_no_word(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Neither of the agent nor of the question."""
        agent.answers["refund?"] = "Precious 30 days."
        config = agent.config(tmp_path, agent.monitor(answers="none"))
        done = await answerprobe("run", config, "--format=json", cwd=tmp_path)

        assert done.status == 0
        assert "Precious" not in done.stdout

    async def test_junit_can_be_read(self, agent: Agent, tmp_path: Path) -> None:
        """Hostile characters and all."""
        agent.answers["refund?"] = "no <b>idea</b> & \x1b[31m more \x00"
        config = agent.config(tmp_path)
        done = await answerprobe("run", config, "--format=junit", cwd=tmp_path)

        root = ET.fromstring(done.stdout)  # noqa: S314  written by ourselves
        assert [case.get("name") for case in root.iter("testcase")] == ["refund [1]"]
        assert len(list(root.iter("failure"))) == 1

    async def test_csv_can_be_read(self, agent: Agent, tmp_path: Path) -> None:
        """A row a sample; no cell is a formula."""
        agent.answers["refund?"] = "=1+1 30 days"
        config = agent.config(tmp_path)
        done = await answerprobe("run", config, "--format=csv", cwd=tmp_path)

        (row,) = csv.DictReader(io.StringIO(done.stdout))
        assert (row["case"], row["answer"]) == ("refund", "'=1+1 30 days")


class TestSharedStore:
    async def test_a_run_is_kept_beside_daemons(
        self, agent: Agent, tmp_path: Path, postgres: PostgresServer
    ) -> None:
        """It counts, as nobody else claimed the monitor meanwhile."""
        url = postgres.new_database()
        agent.answers["refund?"] = "Sixty."
        config = agent.config(tmp_path)
        for _ in range(2):
            flag = f"--storage.url={url}"
            done = await answerprobe("run", config, flag, cwd=tmp_path)
            assert done.status == 1, done.stderr

        store = await Store.open(url, exclusive=False, clock=utc_now)
        known = (await store.load_monitors())["shop"]
        assert known.status.runs_below_target == 2
        assert known.epoch == 0
        await store.close()
