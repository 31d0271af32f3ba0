"""What a configuration will ask for in a month."""

import pytest

from answerprobe.config import MonitorPlan, plan
from answerprobe.config.plan import (
    ANSWER_TOKENS,
    JUDGE_PROMPT_TOKENS,
    VERDICT_TOKENS,
)
from config.loading import load_text, whole


QUESTION_TOKENS = 5  # "When do you open?"
RUBRIC_TOKENS = 3  # "Says nine."


def planned(text: str) -> MonitorPlan:
    """Return the plan of the one monitor."""
    (only,) = plan(load_text(text))
    return only


class TestPlan:
    """The plan of one monitor."""

    def test_hourly(self) -> None:
        """Three samples an hour are 2,160 in 30 days."""
        found = planned(whole())

        assert found == MonitorPlan(
            monitor="shop",
            interval_seconds=3600.0,
            samples_a_run=3,
            agent_tokens_a_run=3 * (QUESTION_TOKENS + ANSWER_TOKENS),
            judge_tokens_a_run=0,
            token_budget=None,
        )
        assert found.runs_a_month == 720
        assert found.samples_a_month == 2160
        assert found.tokens_a_month == 720 * 3 * (QUESTION_TOKENS + ANSWER_TOKENS)

    def test_on_demand(self) -> None:
        """What a month brings is nobody's guess."""
        found = planned(whole("every: manual"))

        assert found.samples_a_run == 3
        assert found.runs_a_month is None
        assert found.samples_a_month is None
        assert found.tokens_a_month is None

    def test_judged(self) -> None:
        """Each vote reads the question, the answer and the sentence."""
        text = whole(criterion="judge: Says nine.")
        one_verdict = (
            JUDGE_PROMPT_TOKENS
            + ANSWER_TOKENS
            + VERDICT_TOKENS
            + QUESTION_TOKENS
            + RUBRIC_TOKENS
        )

        single = planned(text)
        three_votes = planned("judges: {default: {model: m, votes: 3}}\n" + text)

        assert single.judge_tokens_a_run == 3 * one_verdict
        assert three_votes.judge_tokens_a_run == 9 * one_verdict
        assert single.judge_tokens_a_month == 720 * 3 * one_verdict

    @pytest.mark.parametrize(
        ("line", "answer_tokens"),
        [
            pytest.param("max_tokens: 20", 20, id="short answers"),
            pytest.param("max_tokens: 9000", ANSWER_TOKENS, id="a high limit"),
        ],
    )
    def test_of_openai(self, line: str, answer_tokens: int) -> None:
        """The prompt is sent each time; no answer is longer than its limit."""
        head = "protocol: openai\n    model: m\n    system_prompt: Be kind."
        prompt_tokens = 2

        found = planned(whole(f"{head}\n    {line}"))

        a_sample = QUESTION_TOKENS + prompt_tokens + answer_tokens
        assert found.agent_tokens_a_run == 3 * a_sample
        assert found.agent_tokens_a_month == 720 * 3 * a_sample

    def test_budget(self) -> None:
        """The monitor's own."""
        assert planned(whole("token_budget: 5k")).token_budget == 5000
