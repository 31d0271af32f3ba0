"""What a configuration will ask for in a month."""

import pytest

from answerprobe.config import MonitorPlan, plan
from answerprobe.config._tokens import JUDGE_PROMPT_TOKENS, USER_PROMPT_TOKENS
from answerprobe.passrate import Bar
from answerprobe.sample import (
    ANSWER_TOKENS,
    MESSAGE_TOKENS,
    VERDICT_TOKENS,
    TokenRole,
    TokenUsage,
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

        assert found.monitor == "shop"
        assert found.interval_seconds == 3600.0
        assert found.samples_a_run == 3
        assert found.token_budget is None
        assert found.tokens == {
            TokenRole.AGENT: TokenUsage(
                input_tokens=3 * QUESTION_TOKENS,
                output_tokens=3 * ANSWER_TOKENS,
                estimated=True,
            ),
            TokenRole.JUDGE: TokenUsage(estimated=True),
            TokenRole.SIMULATED_USER: TokenUsage(estimated=True),
        }
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

        assert single.tokens[TokenRole.JUDGE].total == 3 * one_verdict
        assert three_votes.tokens[TokenRole.JUDGE].total == 9 * one_verdict
        assert single.role_tokens_a_month(TokenRole.JUDGE) == 720 * 3 * one_verdict

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
        assert found.tokens[TokenRole.AGENT].total == 3 * a_sample
        assert found.role_tokens_a_month(TokenRole.AGENT) == 720 * 3 * a_sample

    def test_budget(self) -> None:
        """The monitor's own."""
        assert planned(whole("token_budget: 5k")).token_budget == 5000


class TestConversation:
    """The plan of a conversation: as if it took all its turns."""

    def test_to_an_agent_that_keeps_a_session(self) -> None:
        """It is told each message once."""
        found = talk()

        assert found.samples_a_run == 3
        assert found.tokens[TokenRole.AGENT].total == 3 * 3 * (
            MESSAGE_TOKENS + ANSWER_TOKENS
        )

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
        assert found.tokens[TokenRole.AGENT].total == 3 * 2 * turns

    def test_the_simulated_user_reads_what_was_said(self) -> None:
        """And its role each time; an opening is written already."""
        a_turn = MESSAGE_TOKENS + ANSWER_TOKENS
        a_message = USER_PROMPT_TOKENS + ROLE_TOKENS + MESSAGE_TOKENS

        found, opened = talk(), talk(opening=", opening: Hi.")

        assert found.tokens[TokenRole.SIMULATED_USER].total == 3 * (
            3 * a_message + 3 * a_turn
        )
        assert opened.tokens[TokenRole.SIMULATED_USER].total == 3 * (
            2 * a_message + 3 * a_turn
        )
        assert (
            found.role_tokens_a_month(TokenRole.SIMULATED_USER)
            == 720 * found.tokens[TokenRole.SIMULATED_USER].total
        )

    def test_the_judge_reads_all_of_it_once(self) -> None:
        """Whatever the number of turns."""
        said = 3 * (MESSAGE_TOKENS + ANSWER_TOKENS)
        verdict = JUDGE_PROMPT_TOKENS + said + VERDICT_TOKENS + RUBRIC_TOKENS

        assert talk().tokens[TokenRole.JUDGE].total == 3 * verdict

    def test_all_together(self) -> None:
        """Three who read and write."""
        found = talk()

        assert found.tokens_a_run == (
            found.tokens[TokenRole.AGENT].total
            + found.tokens[TokenRole.JUDGE].total
            + found.tokens[TokenRole.SIMULATED_USER].total
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
        assert found.tokens[TokenRole.AGENT].total == 3 * a_sample


PRICED = """\
judges: {{default: {{model: m, price: {{input: 1, output: 10}}}}}}
{text}"""


class TestDollars:
    """What a month costs."""

    def test_without_prices(self) -> None:
        """Nobody knows."""
        found = planned(whole())

        assert found.dollars_a_month is None
        assert found.unpriced == (TokenRole.AGENT,)

    def test_by_what_is_read_and_written(self) -> None:
        """Each at its own price."""
        found = planned(whole("price: {input: 2, output: 8}"))

        a_sample = (2 * QUESTION_TOKENS + 8 * ANSWER_TOKENS) / 1e6
        assert found.dollars_a_month == pytest.approx(720 * 3 * a_sample)
        assert found.unpriced == ()

    def test_of_a_judge_alone(self) -> None:
        """The agent's tokens stay without a price."""
        found = planned(PRICED.format(text=whole(criterion="judge: Says nine.")))

        read = JUDGE_PROMPT_TOKENS + ANSWER_TOKENS + QUESTION_TOKENS + RUBRIC_TOKENS
        a_verdict = (read + 10 * VERDICT_TOKENS) / 1e6
        assert found.dollars_a_run == pytest.approx(3 * a_verdict)
        assert found.role_dollars_a_run(TokenRole.AGENT) is None
        assert found.unpriced == (TokenRole.AGENT,)

    def test_who_spends_nothing_needs_no_price(self) -> None:
        """A judge's price says nothing about a monitor that has no use for it."""
        found = planned(PRICED.format(text=whole()))

        assert found.dollars_a_month is None
        assert found.unpriced == (TokenRole.AGENT,)


class TestFalsePages:
    """What chance makes of a monitor."""

    @pytest.mark.parametrize(
        ("rate", "a_month"),
        [
            pytest.param(0.99, 0.6, id="99%"),
            pytest.param(0.97, 5.0, id="97%"),
            pytest.param(0.95, 12.5, id="95%"),
        ],
    )
    def test_of_one_case_hourly(self, rate: float, a_month: float) -> None:
        """Three samples, target 90%."""
        found = planned(whole()).false_pages(rate, confirm=True)

        assert found.degraded == pytest.approx(a_month, abs=0.05)

    def test_a_second_look_is_for_cases_and_down_only(self) -> None:
        """The pass ratio is that of the first look."""
        plan_ = planned(whole())

        confirmed, not_confirmed = (
            plan_.false_pages(0.95, confirm=confirm) for confirm in (True, False)
        )

        assert confirmed.degraded == not_confirmed.degraded
        assert confirmed.regressed < not_confirmed.regressed
        assert confirmed.down < not_confirmed.down

    @pytest.mark.parametrize(
        ("line", "confirm"),
        [
            pytest.param("confirm: 1m", True, id="on"),
            pytest.param("confirm: 0", False, id="off"),
        ],
    )
    def test_confirm_is_read(self, line: str, *, confirm: bool) -> None:
        """As it is written."""
        assert planned(whole(line)).strictness.confirm is confirm

    def test_a_threshold_is_a_bar(self) -> None:
        """Of five samples all but none must pass for a lower bound above 0.5."""
        quorum = planned(whole(case="samples: 5\n        pass_at_least: 5"))
        threshold = planned(whole(case="threshold: {above: 0.5}"))

        (kind,) = threshold.strictness.kinds
        assert kind == (Bar(5, 5), True, 1)
        assert threshold.false_pages(0.97, confirm=True) == quorum.false_pages(
            0.97, confirm=True
        )

    def test_on_demand_nothing_pages_by_itself(self) -> None:
        """No month of runs, no pages."""
        found = planned(whole("every: manual")).false_pages(0.95, confirm=False)

        assert found.total == 0
