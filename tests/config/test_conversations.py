"""Conversations and the model that plays the user in them."""

import pytest

from answerprobe.case import Case, Conversation
from answerprobe.connection import BearerAuth, Connection
from answerprobe.monitor import Price, SimulatedUserSettings
from answerprobe.rules import RULES, InTurns, Rule, TurnChoice
from answerprobe.secret import Secret
from config.loading import load_text, problems


USER = "simulated_user: {base_url: http://u/v1, model: m}"
TEXT = """\
{user}
monitors:
  - name: shop
    endpoint: http://h
    every: {every}
    cases:
      - conversation: {conversation}
        expect: [{criterion}]
"""
TALK = "{persona: In a hurry., goal: Return a chair.}"


def text_with(
    conversation: str = TALK,
    criterion: str = "contains: x",
    user: str = USER,
    every: str = "1h",
) -> str:
    """Return a configuration; *conversation* is on line 7, *criterion* on line 8."""
    return TEXT.format(
        conversation=conversation, criterion=f"{{{criterion}}}", user=user, every=every
    )


def case_of(text: str) -> Case:
    """Return the one case of the configuration *text*."""
    return load_text(text).monitors[0].cases[0]


def rule_of(criterion: str) -> Rule:
    """Return the rule that *criterion* makes in a conversation."""
    return case_of(text_with(criterion=criterion)).rules[1][1]


class TestConversation:
    """A case that is a conversation."""

    def test_defaults(self) -> None:
        """One to eight turns, and the simulated user begins as it likes."""
        case = case_of(text_with())

        assert case.ask is None
        assert case.conversation == Conversation(
            persona="In a hurry.", goal="Return a chair."
        )
        assert (case.conversation.min_turns, case.conversation.max_turns) == (1, 8)

    def test_all_of_it(self) -> None:
        """The opening is kept letter by letter."""
        written = (
            '{persona: p, goal: g, opening: " Hi\\n {x} ", min_turns: 2, max_turns: 3}'
        )

        assert case_of(text_with(written)).conversation == Conversation(
            persona="p", goal="g", opening=" Hi\n {x} ", min_turns=2, max_turns=3
        )

    def test_its_id_is_made_from_the_goal(self) -> None:
        """Where none is written."""
        assert case_of(text_with()).id == "return-a-chair"

    @pytest.mark.parametrize(
        ("conversation", "says"),
        [
            pytest.param(
                "{goal: g}",
                "7:23: monitors[0].cases[0].conversation: lacks persona",
                id="persona",
            ),
            pytest.param(
                "{persona: ' ', goal: g}",
                "7:33: monitors[0].cases[0].conversation.persona: is ' '; wanted: a "
                "text that is not blank",
                id="blank",
            ),
            pytest.param(
                "{persona: p, goal: g, opening: ' '}",
                "7:54: monitors[0].cases[0].conversation.opening: is ' '; wanted: a "
                "text that is not blank",
                id="opening",
            ),
            pytest.param(
                "{persona: p, goal: g, min_turns: 9, max_turns: 4}",
                "7:56: monitors[0].cases[0].conversation.min_turns: is 9, more than "
                "max_turns (4)",
                id="turns",
            ),
            pytest.param(
                "{persona: p, goal: g, min_turns: 9}",
                "7:56: monitors[0].cases[0].conversation.min_turns: is 9, more than "
                "max_turns (8)",
                id="usual turns",
            ),
            pytest.param(
                "{persona: p, goal: g, max_turns: 0}",
                "7:56: monitors[0].cases[0].conversation.max_turns: is 0; wanted: a "
                "whole number from 1 to 100",
                id="no turns",
            ),
            pytest.param(
                f"{TALK}\n        ask: x",
                "7:9: monitors[0].cases[0].conversation: stands beside `ask`; a case "
                "is a question or a conversation",
                id="question too",
            ),
        ],
    )
    def test_is_refused(self, conversation: str, says: str) -> None:
        """Where it stands."""
        assert problems(text_with(conversation)) == [says]

    def test_two_with_one_goal_need_ids(self) -> None:
        """It is said what the id was made from."""
        text = text_with() + f"      - {{conversation: {TALK}, expect: [contains: x]}}"

        assert problems(text) == [
            (
                "9:9: monitors[0].cases[1]: its id, made from the goal, is "
                "'return-a-chair', the id of monitors[0].cases[0] too; write an `id`"
            )
        ]

    @pytest.mark.parametrize(
        ("conversation", "every", "where"),
        [
            pytest.param(
                TALK.replace("}", ", max_turns: 8}"),
                "2m",
                "7:80: monitors[0].cases[0].conversation.max_turns",
                id="written",
            ),
            pytest.param(TALK, "2m", "5:12: monitors[0].every", id="not written"),
        ],
    )
    def test_all_its_turns_fit_into_the_interval(
        self, conversation: str, every: str, where: str
    ) -> None:
        """With the numbers."""
        assert problems(text_with(conversation, every=every)) == [
            (
                f"{where}: 8 turns, each within 20s, may take 2m40s, longer than every "
                "(2m); lower max_turns, shorten within or lengthen every"
            )
        ]
        assert not problems(text_with(conversation, every="160s"))
        assert not problems(text_with(conversation, every="manual"))

    def test_a_turn_that_does_not_fit_is_told_as_that(self) -> None:
        """Fewer turns would not help."""
        assert problems(text_with(every="10s")) == [
            (
                "5:12: monitors[0].every: within (20s) is longer than every (10s); "
                "shorten within or lengthen every"
            )
        ]


class TestSimulatedUser:
    """The model that plays users."""

    def test_is_needed(self) -> None:
        """And where it goes."""
        assert problems(text_with(user="# none")) == [
            (
                "7:9: monitors[0].cases[0].conversation: needs `simulated_user` at the "
                "top of the file: the model that plays the user"
            )
        ]

    def test_is_not_needed_for_questions(self) -> None:
        """None is configured."""
        text = "monitors: [{name: a, endpoint: http://h, cases: [{ask: x, EXPECT}]}]"
        config = load_text(text.replace("EXPECT", "expect: [contains: x]"))

        assert config.simulated_user is None

    def test_defaults(self) -> None:
        """As for judges, where they have the same keys."""
        assert load_text(text_with()).simulated_user == SimulatedUserSettings(
            connection=Connection(url=Secret("http://u/v1")),
            model="m",
            timeout_seconds=30,
        )

    def test_all_of_it(self) -> None:
        """Where it is, how to get in and what it costs."""
        user = (
            "simulated_user: {base_url: http://u, model: m, timeout: 5s, headers: "
            "{A: b}, auth: {bearer: secret.TOKEN}, price: {input: 1, output: 2}, "
            "proxy: http://p}"
        )

        assert load_text(text_with(user=user)).simulated_user == SimulatedUserSettings(
            connection=Connection(
                url=Secret("http://u"),
                auth=BearerAuth(token=Secret("secret.TOKEN")),
                headers={"A": Secret("b")},
                proxy=Secret("http://p"),
            ),
            model="m",
            timeout_seconds=5,
            price=Price(input_dollars=1, output_dollars=2),
        )

    @pytest.mark.parametrize(
        ("user", "says"),
        [
            pytest.param(
                "simulated_user: {model: m}",
                "1:17: simulated_user: lacks base_url",
                id="URL",
            ),
            pytest.param(
                "simulated_user: {base_url: u, model: m}",
                "1:28: simulated_user.base_url: is no URL; wanted: http://… or "
                "https://…",
                id="no URL",
            ),
            pytest.param(
                "simulated_user: {base_url: http://u, model: m, votes: 3}",
                "1:48: simulated_user.votes: is no key here; allowed: base_url, model, "
                "auth, headers, tls, proxy, timeout, price",
                id="key",
            ),
            pytest.param(
                "simulated_user: gpt",
                "1:17: simulated_user: is 'gpt'; wanted: a mapping of base_url, model, "
                "auth, headers, tls, proxy, timeout, price",
                id="text",
            ),
            pytest.param(
                "simulated_user: {}",
                "1:17: simulated_user: lacks base_url, model",
                id="nothing",
            ),
        ],
    )
    def test_is_refused(self, user: str, says: str) -> None:
        """Nothing is said of the conversations that go without it then."""
        assert problems(text_with(user=user)) == [says]


class TestIn:
    """Which of the agent's answers a rule looks at."""

    @pytest.mark.parametrize(
        ("name", "value", "bare"),
        [
            pytest.param("contains", "text: x", "x", id="text"),
            pytest.param(
                "equals",
                "text: x, case_sensitive: true",
                {"text": "x", "case_sensitive": True},
                id="options",
            ),
            pytest.param("contains_any", "text: [x, y]", ["x", "y"], id="list"),
            pytest.param("regex", "pattern: '\\d'", r"\d", id="pattern"),
            pytest.param("max_words", "limit: 9", 9, id="number"),
            pytest.param("is_json", "", True, id="true"),
            pytest.param("no_pii", "strict: true", {"strict": True}, id="flags"),
            pytest.param("json_schema", "type: object", {"type": "object"}, id="JSON"),
        ],
    )
    def test_stands_beside_a_value(self, name: str, value: str, bare: object) -> None:
        """Of every rule that looks at an answer."""
        written = f"{value}, " if value else ""
        rule = rule_of(f"{name}: {{{written}in: all}}")

        meant = RULES[name].parse(bare)
        assert isinstance(rule, InTurns)
        assert rule.turns is TurnChoice.ALL
        assert repr(rule.rule) == repr(meant)

    @pytest.mark.parametrize("choice", list(TurnChoice))
    def test_choices(self, choice: TurnChoice) -> None:
        """The last answer is what a rule looks at anyhow."""
        rule = rule_of(f"contains: {{text: x, in: {choice}}}")

        plain = RULES["contains"].parse("x")
        assert rule == (
            plain if choice is TurnChoice.LAST else InTurns(rule=plain, turns=choice)
        )

    @pytest.mark.parametrize(
        ("criterion", "says"),
        [
            pytest.param(
                "contains: {text: x, in: some}",
                "8:43: {}.contains.in: is 'some'; wanted: one of any, all, last",
                id="choice",
            ),
            pytest.param(
                "contains: {in: any}", "8:29: {}.contains: lacks text", id="no value"
            ),
            pytest.param(
                "judge: {text: x, in: any}",
                "8:26: {}.judge: is a mapping of 2 keys (text, in); wanted: a text "
                "that is not blank",
                id="judge",
            ),
            pytest.param(
                "answered: {within: 2s, in: any}",
                "8:42: {}.answered.in: is no key here; allowed: within",
                id="answered",
            ),
        ],
    )
    def test_is_refused(self, criterion: str, says: str) -> None:
        """Where it stands."""
        found = problems(text_with(criterion=criterion))

        assert found == [says.format("monitors[0].cases[0].expect[0]")]

    def test_a_question_has_one_answer(self) -> None:
        """There is nothing to choose from."""
        text = text_with(criterion="contains: {text: x, in: last}")

        assert problems(text.replace(f"conversation: {TALK}", "ask: x")) == [
            (
                "8:39: monitors[0].cases[0].expect[0].contains.in: chooses among the "
                "answers of a conversation; a question has only one"
            )
        ]
