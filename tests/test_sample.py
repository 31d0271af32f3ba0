"""What came back from a target, as criteria see it."""

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.sample import (
    Reply,
    Sample,
    Speaker,
    TokenUsage,
    ToolCall,
    Turn,
    asked_once,
    estimate_tokens,
)


_USAGES = st.builds(
    TokenUsage,
    input_tokens=st.integers(0, 10**6),
    output_tokens=st.integers(0, 10**6),
    estimated=st.booleans(),
)


class TestAskedOnce:
    """The sample of a single question."""

    def test_both_turns_are_there(self) -> None:
        """What the user said, and what the agent did."""
        call = ToolCall(name="get_order", arguments={"id": 7})
        reply = Reply(answer="It left.", duration_seconds=1.5, tool_calls=(call,))

        sample = asked_once("Where is it?", reply)

        assert sample.turns == (
            Turn(speaker=Speaker.USER, text="Where is it?"),
            Turn(
                speaker=Speaker.AGENT,
                text="It left.",
                tool_calls=(call,),
                duration_seconds=1.5,
            ),
        )

    def test_rules_see_the_reply(self) -> None:
        """Question, answer and time are those of the exchange."""
        sample = asked_once("Where?", Reply(answer="Here.", duration_seconds=1.5))

        assert (sample.question, sample.answer) == ("Where?", "Here.")
        assert sample.duration_seconds == 1.5

    def test_question_is_the_first_that_the_user_said(self) -> None:
        """An agent that speaks first asks no question."""
        sample = Sample(
            turns=(
                Turn(speaker=Speaker.AGENT, text="Hello!"),
                Turn(speaker=Speaker.USER, text="Where?"),
                Turn(speaker=Speaker.USER, text="When?"),
            ),
            reply=Reply(answer="Here.", duration_seconds=1),
        )

        assert sample.question == "Where?"


class TestTokenUsage:
    """Tokens spent."""

    @given(_USAGES, _USAGES)
    def test_sums_keep_every_token(self, one: TokenUsage, other: TokenUsage) -> None:
        """Nothing is lost, and an estimated part makes the whole an estimate."""
        both = one + other

        assert both.total == one.total + other.total
        assert both.estimated is (one.estimated or other.estimated)


class TestEstimateTokens:
    """How many tokens a text is, about."""

    def test_four_characters_a_token(self) -> None:
        """Each text is rounded up."""
        assert estimate_tokens("abcdefgh", "abc") == 3

    @given(st.lists(st.text(min_size=1), min_size=1))
    def test_any_text_is_at_least_one(self, texts: list[str]) -> None:
        """No text is free."""
        assert estimate_tokens(*texts) >= len(texts)

    def test_nothing_is_nothing(self) -> None:
        """Without text there are no tokens."""
        assert estimate_tokens("") == 0
