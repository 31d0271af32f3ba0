"""`answerprobe calibrate`."""

import json

from dataclasses import replace
from pathlib import Path

import pytest

from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.cli._common import ExitStatus
from answerprobe.cli.calibrate import as_json, as_table, exit_status
from answerprobe.daemon.calibrate_once import Calibrated
from answerprobe.sample import TokenUsage
from answerprobe.verdict import Outcome
from builders import NOW
from cli.program import Agent, answerprobe, files, question


CANARIES = [
    {"question": "Open?", "answer": answer, "rubric": "Says so.", "verdict": verdict}
    for answer, verdict in (("Until six.", "pass"), ("We sell shoes.", "fail"))
]
MISSED = CanaryVerdict(
    number=4,
    question="Are you open?",
    answer="We sell \x1b[31mshoes\x1b[0m.",
    expected=Outcome.FAIL,
    outcome=Outcome.PASS,
    reason="It says until when.",
)
LOST = replace(MISSED, number=7, outcome=Outcome.NOT_JUDGED, reason="HTTP 503")


def result(
    passes: Agreement, fails: Agreement, *wrong: CanaryVerdict, judge: str = "default"
) -> Calibrated:
    """Return how a judge fared."""
    calibration = Calibration(
        judge=judge,
        definition="d1",
        models=("m-1",) if passes.judged or fails.judged else (),
        prompt_version="0123456789ab",
        at=NOW,
        passes=passes,
        fails=fails,
        wrong=wrong,
    )
    usage = TokenUsage(input_tokens=1000, output_tokens=200)
    return Calibrated(calibration=calibration, usage=usage)


ALL, MOST = Agreement(agreed=20, judged=20), Agreement(agreed=17, judged=18)
NONE = Agreement(agreed=0, judged=0)
GOOD = result(ALL, ALL)
WRONG = result(ALL, MOST, MISSED)
OUT = result(NONE, NONE, *[LOST] * 40)


class TestTable:
    """What a person reads."""

    def test_has_two_rates_with_intervals_for_each_judge(self) -> None:
        """And below them who it is, and what it got wrong."""
        lines = as_table([result(ALL, MOST, MISSED, LOST)]).splitlines()

        assert lines == [
            "JUDGE    VERDICT  AGREED  RATE   95% INTERVAL    NOT JUDGED",
            "default  pass     20/20   1.000  0.839 to 1.000  0",
            "default  fail     17/18   0.944  0.742 to 0.990  1",
            "",
            "default: m-1, prompt 0123456789ab, 1,200 tokens",
            "  canary 4: known to fail, got pass",
            "    question: Are you open?",
            "    answer:   We sell \ufffd[31mshoes\ufffd[0m.",
            "    reason:   It says until when.",
            "  canary 7: not judged: HTTP 503",
        ]

    def test_has_no_rate_of_nothing(self) -> None:
        """Not 0, and not 1."""
        lines = as_table([OUT]).splitlines()

        assert lines[1].split() == ["default", "pass", "0/0", "-", "-", "0"]
        assert lines[4].startswith("default: no model answered, ")


class TestJson:
    """What a program reads."""

    def test_has_everything(self) -> None:
        """Of each judge."""
        (judge,) = json.loads(as_json([WRONG]))["judges"]

        assert judge["verdicts"]["pass"] == {
            "agreed": 20,
            "judged": 20,
            "ratio": 1.0,
            "interval": [pytest.approx(0.8389, abs=1e-4), 1.0],
        }
        assert judge["misjudged"] == [
            {
                "number": 4,
                "question": "Are you open?",
                "answer": MISSED.answer,
                "expected": "fail",
                "got": "pass",
                "reason": "It says until when.",
            }
        ]
        assert judge["models"] == ["m-1"]
        assert judge["tokens"] == {"input": 1000, "output": 200, "estimated": False}

    def test_has_null_where_nothing_was_judged(self) -> None:
        """A number would be wrong."""
        (judge,) = json.loads(as_json([OUT]))["judges"]

        assert judge["verdicts"]["fail"]["ratio"] is None
        assert judge["verdicts"]["fail"]["interval"] is None


class TestExitStatus:
    """What a script goes by."""

    @pytest.mark.parametrize(
        ("results", "status"),
        [
            pytest.param([GOOD], ExitStatus.OK, id="all agree"),
            pytest.param([result(ALL, ALL, LOST)], ExitStatus.OK, id="one lost"),
            pytest.param([GOOD, WRONG], ExitStatus.FAILED, id="one disagrees"),
            pytest.param([OUT], ExitStatus.NOT_JUDGED, id="nothing judged"),
            pytest.param([GOOD, OUT], ExitStatus.NOT_JUDGED, id="one is out"),
            pytest.param([OUT, WRONG], ExitStatus.FAILED, id="disagreement first"),
        ],
    )
    def test_tells_how_good_the_judges_are(
        self, results: list[Calibrated], status: ExitStatus
    ) -> None:
        """A wrong verdict outweighs what was not judged."""
        assert exit_status(results) is status


class TestCommand:
    """As a user calls it."""

    async def test_one_that_says_pass_to_everything_is_found_out(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """By the built-in canaries; the agent is not asked and nothing is kept."""
        config = agent.config(tmp_path)
        before = files(tmp_path)
        done = await answerprobe("calibrate", config, cwd=tmp_path)

        lines = done.stdout.splitlines()
        assert (done.status, done.stderr) == (1, "")
        assert lines[1].split()[:2] == ["default", "pass"]
        assert lines[1].split()[3] == "1.000"
        assert lines[2].split()[3] == "0.000"
        assert agent.asked == []
        assert files(tmp_path) == before

    async def test_only_the_judge_that_is_named(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Its own canaries, and one key for both."""
        own = {"base_url": f"{agent.url}/v1", "model": "m", "canaries": CANARIES}
        judges = {"default": {"model": "m"}, "strict": own}
        config = agent.config(tmp_path, judges=judges)
        done = await answerprobe(
            "calibrate", config, "--judge=strict", "--format=json", cwd=tmp_path
        )

        (judge,) = json.loads(done.stdout)["judges"]
        assert done.status == 1
        assert judge["judge"] == "strict"
        assert [found["number"] for found in judge["misjudged"]] == [2]

    async def test_secrets_are_masked(self, agent: Agent, tmp_path: Path) -> None:
        """Also where the judge quotes its own key."""
        agent.verdict = '{"reason": "key sk-very-secret-77 met", "verdict": "pass"}'
        judge = {
            "base_url": f"{agent.url}/v1",
            "model": "m",
            "auth": {"bearer": "secret.KEY"},
            "canaries": CANARIES,
        }
        config = agent.config(tmp_path, judges={"default": judge})
        done = await answerprobe(
            *("calibrate", config),
            cwd=tmp_path,
            environment={"KEY": "sk-very-secret-77"},
        )

        assert "key <secret> met" in done.stdout
        assert "sk-very" not in done.stdout + done.stderr

    async def test_an_unknown_judge_is_2(self, agent: Agent, tmp_path: Path) -> None:
        """With what may have been meant."""
        config = agent.config(tmp_path)
        done = await answerprobe("calibrate", config, "--judge=defualt", cwd=tmp_path)

        assert done.status == 2
        assert "there is no judge 'defualt' (did you mean 'default'?)" in done.stderr

    async def test_a_config_without_a_judge_is_2(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """There is nothing to calibrate."""
        path = tmp_path / "answerprobe.yml"
        path.write_text(json.dumps({"monitors": [agent.monitor()]}))
        done = await answerprobe("calibrate", path, cwd=tmp_path)

        assert (done.status, done.stdout) == (2, "")
        assert "there is no judge" in done.stderr

    async def test_an_implied_judge_is_calibrated(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Whose address is in the environment."""
        judged = agent.monitor(cases=[question("refund", judge="Names the window.")])
        path = tmp_path / "answerprobe.yml"
        path.write_text(json.dumps({"monitors": [judged]}))
        done = await answerprobe(
            *("calibrate", path),
            cwd=tmp_path,
            environment={
                "OPENAI_BASE_URL": f"{agent.url}/v1",
                "OPENAI_API_KEY": "sk-test-key",
            },
        )

        assert done.status == 1
        assert "default: m-1" in done.stdout
