from dataclasses import replace

import pytest

from answerprobe.conversation import Talk
from answerprobe.sample import ErrorReason, Termination, TokenRole
from builders import case
from conversation.talking import (
    BYE,
    SPOKEN_BY,
    Agent,
    SlowTools,
    Tools,
    User,
    line,
    says,
    silence,
    talk,
    talk_case,
)
from scripted import no_reply


def texts(held: Talk) -> list[str]:
    return [turn.text for turn in held.turns]


class TestQuestion:
    async def test_is_a_talk_of_one_turn(self) -> None:
        """Asked once, answered once, and no conversation that ends for a reason."""
        held = await talk(case(), Agent([says("Within 30 days.")]))

        assert texts(held) == ["What about refund?", "Within 30 days."]
        assert held.termination is None
        assert held.sample.answer == "Within 30 days."

    async def test_calls_of_the_agents_own_tools_are_kept(self) -> None:
        """Where we answer no tools, a call is only evidence."""
        agent = Agent([says("", "lookup")])

        held = await talk(case(), agent)

        assert [call.name for call in held.sample.tool_calls] == ["lookup"]
        assert len(agent.told) == 1


class TestTools:
    async def test_the_agent_goes_on_until_it_answers(self) -> None:
        """Every call of the turn is in the turn, its result too."""
        agent = Agent([says("", "a", "b"), says("", "c"), says("Done.")])

        held = await talk(case(), agent, tools=Tools())

        assert agent.told[1:] == [
            [("a", "a done"), ("b", "b done")],
            [("c", "c done")],
        ]
        assert [call.result for call in held.turns[1].tool_calls] == [
            "a done",
            "b done",
            "c done",
        ]
        assert held.sample.answer == "Done."
        assert held.tokens[TokenRole.AGENT].total == 30

    async def test_an_agent_that_never_stops_is_stopped(self) -> None:
        """After ten rounds there is no answer."""
        agent = Agent([says("", "again")])

        held = await talk(case(), agent, tools=Tools())

        failure = held.sample.reply.failure
        assert failure
        assert failure.reason is ErrorReason.NO_ANSWER
        assert len(agent.told) == 11

    async def test_tools_count_in_the_turns_deadline(self) -> None:
        """An agent whose tools hang gave no answer in time; the call is evidence."""
        hurried = replace(case(), within_seconds=0.05)

        held = await talk(hurried, Agent([says("", "slow")]), tools=SlowTools())

        failure = held.sample.reply.failure
        assert failure
        assert failure.reason is ErrorReason.TIMEOUT
        assert [call.name for call in held.sample.tool_calls] == ["slow"]


class TestConversation:
    async def test_user_and_agent_take_turns_until_the_user_is_done(self) -> None:
        """The user hears everything that was said before."""
        agent = Agent([says("Which order?"), says("Refunded.")])
        user = User([line("I want a refund."), line("A-1."), BYE])

        held = await talk(talk_case(), agent, user)

        assert texts(held) == ["I want a refund.", "Which order?", "A-1.", "Refunded."]
        assert held.termination is Termination.USER_DONE
        assert user.shown == [0, 2, 4]
        assert held.simulated_user == SPOKEN_BY
        assert held.tokens[TokenRole.SIMULATED_USER].total == 30

    async def test_a_last_sentence_is_still_answered(self) -> None:
        """It is sent with the end in one breath."""
        user = User([line("Thanks, bye.", done=True)])

        held = await talk(talk_case(), Agent([says("Bye.")]), user)

        assert texts(held) == ["Thanks, bye.", "Bye."]
        assert held.termination is Termination.USER_DONE

    async def test_an_end_before_the_least_turns_is_ignored(self) -> None:
        """The user is asked for more."""
        user = User([line("One.", done=True), line("Two.", done=True)])

        held = await talk(talk_case(min_turns=2), Agent([says("Yes.")]), user)

        assert texts(held) == ["One.", "Yes.", "Two.", "Yes."]

    async def test_the_most_turns_end_it(self) -> None:
        """Without asking the user once more."""
        user = User([line("More?")])

        held = await talk(talk_case(max_turns=3), Agent([says("No.")]), user)

        assert held.termination is Termination.MAX_TURNS
        assert len(user.shown) == len(held.replies) == 3

    async def test_the_opening_is_said_word_for_word(self) -> None:
        """Nobody is asked for it."""
        user = User([BYE])

        held = await talk(talk_case(opening="Hi - {x}?"), Agent([says("Hi.")]), user)

        assert texts(held) == ["Hi - {x}?", "Hi."]
        assert user.shown == [2]

    @pytest.mark.parametrize(
        "lines",
        [
            pytest.param([silence()], id="it-fails-at-once"),
            pytest.param([line("Hello?"), silence()], id="it-fails-later"),
            pytest.param([BYE], id="it-ends-before-a-word"),
        ],
    )
    async def test_a_useless_user_is_told_apart(self, lines: list[object]) -> None:
        """The talk has a problem, and it is not the agent's."""
        user = User(lines)  # type: ignore[arg-type]  # pytest knows no better type

        held = await talk(talk_case(), Agent([says("Yes?")]), user)

        assert held.termination is Termination.USER_ERROR
        assert held.problem
        assert held.problem.startswith("simulated user: ")

    @pytest.mark.parametrize(
        ("reason", "termination"),
        [
            pytest.param(ErrorReason.TIMEOUT, Termination.TIMEOUT, id="it-hangs"),
            pytest.param(
                ErrorReason.HTTP_STATUS, Termination.AGENT_ERROR, id="it-fails"
            ),
        ],
    )
    async def test_an_agent_that_breaks_ends_it(
        self, reason: ErrorReason, termination: Termination
    ) -> None:
        """What was said before is the evidence."""
        agent = Agent([says("Yes?"), no_reply(reason)])

        held = await talk(talk_case(), agent, User([line("One."), line("Two.")]))

        assert held.termination is termination
        assert texts(held) == ["One.", "Yes?", "Two.", ""]

    async def test_it_stops_where_the_budget_does(self) -> None:
        """Asked before each turn, with what the talk has spent."""
        user = User([line("More?")])

        held = await talk(
            talk_case(),
            Agent([says("Yes.")]),
            user,
            may_go_on=lambda spent: spent < 30,
        )

        assert held.cut_short
        assert len(held.replies) == 2
