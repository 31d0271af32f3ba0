"""What a configuration will ask for in a month."""

import pytest

from answerprobe.config import MonitorPlan, plan
from answerprobe.config.plan import (
    ANSWER_TOKENS,
    JUDGE_PROMPT_TOKENS,
    MESSAGE_TOKENS,
    USER_PROMPT_TOKENS,
    VERDICT_TOKENS,
)
from config.loading import load_text, whole


QUESTION_TOKENS = 5  # "When do you open?"
RUBRIC_TOKENS = 3  # "Says nine."


TALK = """\
simulated_user: {{base_url: http://u, model: m}}
monitors:
  - name: shop
    endpoint: http://h
    {more}
    cases:
      - conversation: {{persona: In haste., goal: Get it., max_turns: 3{opening}}}
        expect: [judge: Says nine.]
"""
ROLE_TOKENS = 5  # persona and goal


def talk(more: str = "# nothing more", opening: str = "") -> MonitorPlan:
    """Return the plan of a conversation of three turns."""
    return planned(TALK.format(more=more, opening=opening))


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


class TestConversation:
    """The plan of a conversation: as if it took all its turns."""

    def test_to_an_agent_that_keeps_a_session(self) -> None:
        """It is told each message once."""
        found = talk()

        assert found.samples_a_run == 3
        assert found.agent_tokens_a_run == 3 * 3 * (MESSAGE_TOKENS + ANSWER_TOKENS)

    @pytest.mark.parametrize(
        "more",
        [
            pytest.param("request: {history: past}", id="history"),
            pytest.param(
                "request: {body: {q: ['{{message}}'], h: ['{{history}}']}}", id="body"
            ),
            pytest.param("protocol: openai\n    model: m", id="openai"),
        ],
    )
    def test_to_an_agent_that_is_told_again(self, more: str) -> None:
        """Before the second turn one was said, before the third two."""
        found = talk(more)

        turns = 3 * (MESSAGE_TOKENS + ANSWER_TOKENS)
        assert found.agent_tokens_a_run == 3 * 2 * turns

    def test_the_simulated_user_reads_what_was_said(self) -> None:
        """And its role each time; an opening is written already."""
        a_turn = MESSAGE_TOKENS + ANSWER_TOKENS
        a_message = USER_PROMPT_TOKENS + ROLE_TOKENS + MESSAGE_TOKENS

        found, opened = talk(), talk(opening=", opening: Hi.")

        assert found.user_tokens_a_run == 3 * (3 * a_message + 3 * a_turn)
        assert opened.user_tokens_a_run == 3 * (2 * a_message + 3 * a_turn)
        assert found.user_tokens_a_month == 720 * found.user_tokens_a_run

    def test_the_judge_reads_all_of_it_once(self) -> None:
        """Whatever the number of turns."""
        said = 3 * (MESSAGE_TOKENS + ANSWER_TOKENS)
        verdict = JUDGE_PROMPT_TOKENS + said + VERDICT_TOKENS + RUBRIC_TOKENS

        assert talk().judge_tokens_a_run == 3 * verdict

    def test_all_together(self) -> None:
        """Three who read and write."""
        found = talk()

        assert found.tokens_a_run == (
            found.agent_tokens_a_run
            + found.judge_tokens_a_run
            + found.user_tokens_a_run
        )
        assert found.tokens_a_month == 720 * found.tokens_a_run


class TestTools:
    """The plan of an agent with tools."""

    def test_are_read_with_each_request(self) -> None:
        """And one of them is called, so that there are two requests."""
        head = "protocol: openai\n    model: m\n    tools: "
        tool = "[{name: look, description: Reads it.}]"
        offer_tokens = 4  # look, Reads it. and {}

        found = planned(whole(head + tool))

        a_sample = 2 * (QUESTION_TOKENS + offer_tokens) + ANSWER_TOKENS
        assert found.agent_tokens_a_run == 3 * a_sample
