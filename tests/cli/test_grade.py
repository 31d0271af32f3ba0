"""The command `grade`."""

import asyncio
import json
import os

from pathlib import Path

import pytest

from answerprobe.secret import MASK
from cli.calling import call
from cli.program import ANSWERPROBE, Agent, Done, answerprobe, end, question


pytestmark = pytest.mark.usefixtures("logging_restored")
TEN = [{"id": number, "answer": f"In {number}0 days."} for number in range(10)]


def config(folder: Path, *cases: object, **more: object) -> Path:
    """Write a configuration of an agent that nobody serves, with *cases*."""
    asked = cases or (question("refund"),)
    monitor = {"name": "shop", "endpoint": "http://127.0.0.1:9/chat", "cases": asked}
    path = folder / "answerprobe.yml"
    path.write_text(json.dumps({"monitors": [monitor], **more}), encoding="utf-8")
    return path


def record(folder: Path, *answers: object) -> Path:
    """Write a file of *answers*; a text is a line as it is."""
    path = folder / "answers.jsonl"
    lines = [a if isinstance(a, str) else json.dumps(a) for a in answers]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def graded(output: str) -> list[tuple[object, str]]:
    """Return id and outcome of each line."""
    lines = [json.loads(line) for line in output.splitlines()]
    return [(line["id"], line["outcome"]) for line in lines]


async def piped(*args: str | Path, cwd: Path, typed: str) -> Done:
    """Run `answerprobe` with *typed* as its standard input."""
    process = await asyncio.create_subprocess_exec(
        ANSWERPROBE,
        *map(str, args),
        cwd=cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    process.stdin.write(typed.encode())
    process.stdin.close()
    return await end(process)


class TestLines:
    def test_one_for_each_answer_in_their_order(self, tmp_path: Path) -> None:
        """With every criterion and its reason."""
        result = call(
            "grade",
            config(tmp_path, question("refund", contains="30 days", max_words=3)),
            "--case=refund",
            record(tmp_path, {"id": "é日本", "answer": "In 30 days."}),
        )

        assert json.loads(result.stdout) == {
            "id": "é日本",
            "outcome": "pass",
            "criteria": [
                {
                    "criterion": "answered",
                    "outcome": "pass",
                    "reason": "answered in 0 s, limit 20 s",
                },
                {
                    "criterion": "contains",
                    "outcome": "pass",
                    "reason": '"30 days" is there',
                },
                {
                    "criterion": "max_words",
                    "outcome": "pass",
                    "reason": "3 words, limit 3",
                },
            ],
        }
        assert "é日本" in result.stdout

    def test_no_character_ends_one_early(self, tmp_path: Path) -> None:
        """Not even those that some programs take for a line's end."""
        names = [f"a{char}b" for char in "\u2028\u0085\x0b\x1c\r\n"]
        answers = [{"id": name, "answer": "30 days"} for name in names]

        result = call(
            "grade", config(tmp_path), "--case=refund", record(tmp_path, *answers)
        )

        assert graded(result.stdout) == [(name, "pass") for name in names]

    def test_a_secret_in_an_answer_is_masked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Reasons may quote the answer, but no secret."""
        monkeypatch.setenv("SHOP_KEY", "sk-planted-4711")
        path = config(
            tmp_path,
            question("refund", starts_with="30 days"),
            api={"tokens": {"ci": "secret.SHOP_KEY"}},
        )

        result = call(
            "grade",
            path,
            "--case=refund",
            record(tmp_path, {"id": 1, "answer": "It is sk-planted-4711"}),
        )

        assert "planted" not in result.output
        assert MASK in result.output


class TestExitStatus:
    @pytest.mark.parametrize(
        ("answers", "status"),
        [
            pytest.param(["30 days", "In 30 days"], 0, id="all pass"),
            pytest.param(["30 days", "no idea"], 1, id="one fails"),
            pytest.param(["30 days", None], 1, id="one is none"),
        ],
    )
    def test_is_that_of_run(
        self, tmp_path: Path, answers: list[str | None], status: int
    ) -> None:
        """An error fails like a wrong answer."""
        rows = [{"id": 1, "answer": answer} for answer in answers]
        path = record(tmp_path, *rows)

        result = call("grade", config(tmp_path), "--case=refund", path)

        assert result.exit_code == status

    def test_without_the_judge_what_passes_is_not_judged(self, tmp_path: Path) -> None:
        """And needs neither the judge's key nor the agent's."""
        path = config(tmp_path, question("refund", contains="30", judge="Is so."))
        answers = record(tmp_path, *TEN[3:5])

        refused = call("grade", path, "--case=refund", answers)
        result = call("grade", path, "--case=refund", "--no-judge", answers)

        assert (refused.exit_code, result.exit_code) == (2, 1)
        assert "OPENAI_API_KEY" in refused.stderr
        assert graded(result.stdout) == [(3, "not_judged"), (4, "fail")]

    @pytest.mark.parametrize(
        ("lines", "says"),
        [
            pytest.param([TEN[3], '{"id":'], "answers.jsonl: line 2: ", id="line"),
            pytest.param(["", ""], "there is no answer to grade", id="nothing"),
        ],
    )
    def test_bad_input_is_2_and_nothing_is_graded(
        self, tmp_path: Path, lines: list[object], says: str
    ) -> None:
        """A judge is not paid for half a file."""
        path = record(tmp_path, *lines)

        result = call("grade", config(tmp_path), "--case=refund", path)

        assert (result.exit_code, result.stdout) == (2, "")
        assert says in result.stderr


class TestChoice:
    def shops(self, folder: Path) -> Path:
        """Write a configuration of two monitors with a case of one id."""
        path = config(folder)
        document = json.loads(path.read_text())
        (first,) = document["monitors"]
        second = {**first, "name": "other", "cases": [question("refund", contains="0")]}
        path.write_text(json.dumps({"monitors": [first, second]}))
        return path

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param(["--case=refnud"], "did you mean 'refund'?", id="case"),
            pytest.param(["--case=refund"], "'shop', 'other'", id="several"),
            pytest.param(
                ["--case=refund", "--monitor=shp"], "did you mean 'shop'?", id="name"
            ),
            pytest.param([], "Missing option '--case'", id="none"),
        ],
    )
    def test_of_no_or_several_cases_is_2(
        self, tmp_path: Path, flags: list[str], says: str
    ) -> None:
        """With what there is."""
        path = record(tmp_path, *TEN)

        result = call("grade", self.shops(tmp_path), *flags, path)

        assert result.exit_code == 2
        assert says in result.stderr

    def test_a_monitor_tells_two_cases_apart(self, tmp_path: Path) -> None:
        """That have the same id."""
        path = record(tmp_path, TEN[4])

        result = call(
            "grade", self.shops(tmp_path), "--case=refund", "--monitor=other", path
        )

        assert graded(result.stdout) == [(4, "pass")]


class TestProgram:
    async def test_standard_input_is_read_as_it_comes(self, tmp_path: Path) -> None:
        """What stands before a bad line is graded."""
        typed = '{"id": 1, "answer": "30 days"}\n{"id": 2\n'

        done = await piped(
            "grade", config(tmp_path), "--case=refund", "-", cwd=tmp_path, typed=typed
        )

        assert graded(done.stdout) == [(1, "pass")]
        assert done.status == 2
        assert done.stderr.startswith("standard input: line 2: no JSON")

    async def test_samples_of_a_run_come_out_as_they_were(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Whatever their outcome; agent and judge are asked once in all."""
        agent.answers.update({"b?": "Sixty.", "c?": 500})
        cases = [question(name) for name in "abc"]
        path = agent.config(tmp_path, agent.monitor(cases=cases))
        ran = await answerprobe("run", path, "--format=json", cwd=tmp_path)
        samples = json.loads(ran.stdout)["runs"][0]["samples"]

        done = await answerprobe(
            "grade", path, "--case=a", record(tmp_path, *samples), cwd=tmp_path
        )

        assert graded(done.stdout) == [(s["id"], s["outcome"]) for s in samples]
        assert sorted(s["outcome"] for s in samples) == ["error", "fail", "pass"]
        assert len(agent.asked) == 3

    async def test_the_judge_is_asked_where_rules_pass(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """By the case's own rubric."""
        agent.verdict = '{"reason": "no policy", "verdict": "fail"}'
        cases = [question("a", contains="30", judge="Links the policy.")]
        path = agent.config(tmp_path, agent.monitor(cases=cases))

        done = await answerprobe(
            "grade", path, "--case=a", record(tmp_path, *TEN[2:4]), cwd=tmp_path
        )

        (_, judged) = map(json.loads, done.stdout.splitlines())
        assert graded(done.stdout) == [(2, "fail"), (3, "fail")]
        assert judged["criteria"][-1]["reason"] == "no policy"
        assert not agent.asked

    async def test_who_reads_no_more_ends_it_quietly(self, tmp_path: Path) -> None:
        """As `head` does."""
        path, many = config(tmp_path), record(tmp_path, *TEN * 2000)
        end_to_read, end_to_write = os.pipe()
        process = await asyncio.create_subprocess_exec(
            ANSWERPROBE,
            *("grade", path, "--case=refund", many),
            stdout=end_to_write,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(end_to_write)

        with os.fdopen(end_to_read, "rb") as head:
            assert await asyncio.to_thread(head.readline)

        _, stderr = await process.communicate()
        assert (process.returncode, stderr) == (1, b"")
