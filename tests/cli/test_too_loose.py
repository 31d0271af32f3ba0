"""The flag `--too-loose` of the command `grade`."""

import json

from pathlib import Path

import pytest

from cli.calling import call
from cli.program import Agent, answerprobe, question
from cli.test_grade import graded


pytestmark = pytest.mark.usefixtures("logging_restored")


def asking(folder: Path, *criteria: object) -> Path:
    """Write a configuration of one case, `refund`, with *criteria*."""
    ask = "What is your refund window?"
    monitor = {
        "name": "shop",
        "endpoint": "http://127.0.0.1:9/chat",
        "response": {"tool_calls": "calls"},
        "cases": [{"id": "refund", "ask": ask, "expect": list(criteria)}],
    }
    path = folder / "answerprobe.yml"
    path.write_text(json.dumps({"monitors": [monitor]}), encoding="utf-8")
    return path


def passed(output: str) -> list[object]:
    """Return the ids of the answers that pass."""
    return [name for name, outcome in graded(output) if outcome == "pass"]


class TestRules:
    def test_a_case_that_asks_for_a_fact_lets_none_pass(self, tmp_path: Path) -> None:
        """Exit 0, and each answer has its line with its reasons."""
        path = asking(tmp_path, {"contains": "30 days"})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert (result.exit_code, passed(result.stdout)) == (0, [])
        assert result.stderr == "none of 10 wrong answers passes\n"
        first = json.loads(result.stdout.splitlines()[0])
        assert list(first) == ["id", "answer", "outcome", "criteria"]
        assert first["criteria"][-1]["reason"].startswith('"30 days" is not in')

    def test_what_only_forbids_lets_all_pass(self, tmp_path: Path) -> None:
        """They are named, and the exit status is 1."""
        path = asking(tmp_path, {"not_contains": "60 days"}, {"no_pii": True})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert result.exit_code == 1
        assert len(passed(result.stdout)) == 10
        assert "too loose: 10 of 10 wrong answers pass: platitude-1," in result.stderr

    def test_no_refusal_stops_refusals_alone(self, tmp_path: Path) -> None:
        """All wordings of them."""
        path = asking(tmp_path, {"no_refusal": {"dont_know": "fail"}})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert {str(name)[:3] for name in passed(result.stdout)} == {"pla", "off"}
        assert len(passed(result.stdout)) == 7

    def test_a_word_of_the_question_is_found_too_little(self, tmp_path: Path) -> None:
        """One of the answers says nothing but the question."""
        path = asking(tmp_path, {"contains": "refund window"})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert (result.exit_code, passed(result.stdout)) == (1, ["platitude-4"])
        assert "1 of 10 wrong answers passes: platitude-4" in result.stderr

    def test_a_kind_that_is_right_here_is_left_out(self, tmp_path: Path) -> None:
        """A case that wants to be declined is met by a refusal."""
        path = asking(tmp_path, {"regex": "(?i)can't|unable|not able|cannot"})
        args = ("grade", path, "--case=refund", "--too-loose")

        whole = call(*args)
        result = call(*args, "--except=refusal")

        assert (whole.exit_code, result.exit_code) == (1, 0)
        assert len(passed(whole.stdout)) == 3
        assert len(graded(result.stdout)) == 7


class TestTools:
    def test_what_is_said_after_the_right_call_is_looked_at_too(
        self, tmp_path: Path
    ) -> None:
        """Answers without a call fail, but a note tells what nobody looks at."""
        path = asking(tmp_path, {"invokes_tool": "get_order"})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert (result.exit_code, passed(result.stdout)) == (0, [])
        assert "none of 10 wrong answers passes\n" in result.stderr
        assert "After the calls that the case wants, 10 of 10 would" in result.stderr

    def test_an_answer_that_is_checked_passes_after_no_call(
        self, tmp_path: Path
    ) -> None:
        """Then the note says so."""
        path = asking(
            tmp_path, {"expected_actions": ["get_order"]}, {"contains": "Zephyr"}
        )

        result = call("grade", path, "--case=refund", "--too-loose")

        assert result.exit_code == 0
        assert "wants, none would pass either" in result.stderr

    def test_forbidding_a_tool_alone_is_too_loose(self, tmp_path: Path) -> None:
        """Whoever does nothing does not call it."""
        path = asking(tmp_path, {"does_not_invoke_tool": "refund"})

        result = call("grade", path, "--case=refund", "--too-loose")

        assert result.exit_code == 1
        assert len(passed(result.stdout)) == 10


class TestJudge:
    async def test_decides_where_rules_pass(self, agent: Agent, tmp_path: Path) -> None:
        """A judge that passes everything is found out; the agent is not asked."""
        cases = [question("a", judge="Is a good answer.")]
        path = agent.config(tmp_path, agent.monitor(cases=cases))

        loose = await answerprobe(
            "grade", path, "--case=a", "--too-loose", cwd=tmp_path
        )
        agent.verdict = '{"reason": "no window", "verdict": "fail"}'
        strict = await answerprobe(
            "grade", path, "--case=a", "--too-loose", cwd=tmp_path
        )

        assert (loose.status, strict.status) == (1, 0)
        assert len(passed(loose.stdout)) == 10
        assert not agent.asked

    def test_without_it_what_rules_let_pass_is_not_judged(self, tmp_path: Path) -> None:
        """Exit 3; no key is needed."""
        path = asking(tmp_path, {"judge": "Gives the window."})

        result = call("grade", path, "--case=refund", "--too-loose", "--no-judge")

        assert result.exit_code == 3
        assert "not judged: 10 of 10 wrong answers: platitude-1" in result.stderr


class TestUsage:
    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            pytest.param([], "give FILE.jsonl, or --too-loose", id="nothing"),
            pytest.param(
                ["--too-loose", "answerprobe.yml"], "leave FILE.jsonl out", id="both"
            ),
            pytest.param(
                ["--except=refusal", "answerprobe.yml"],
                "--except is for --too-loose",
                id="except",
            ),
            pytest.param(
                [
                    "--too-loose",
                    "--except=refusal",
                    "--except=platitude",
                    "--except=off-topic",
                ],
                "leaves no wrong answer",
                id="all",
            ),
        ],
    )
    def test_what_does_not_go_together_is_2(
        self, tmp_path: Path, flags: list[str], says: str
    ) -> None:
        """And nothing is graded."""
        path = asking(tmp_path, {"contains": "30"})
        args = [str(path) if flag == "answerprobe.yml" else flag for flag in flags]

        result = call("grade", path, "--case=refund", *args)

        assert (result.exit_code, result.stdout) == (2, "")
        assert says in result.stderr
