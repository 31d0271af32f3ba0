"""The rules about tools."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules import RULES
from answerprobe.sample import Reply
from answerprobe.verdict import Outcome, Verdict
from rules.saying import acted, called, talked


class TestInvokesTool:
    rule = RULES["invokes_tool"].parse("look_up")

    def test_a_call_passes(self) -> None:
        """Wherever in the conversation it was."""
        reply = Reply(
            answer="It is here.",
            duration_seconds=1.0,
            tool_calls=(called("look_up"), called("look_up", error="down")),
        )

        assert self.rule.check(talked(reply, "Bye.")) == Verdict(
            criterion="invokes_tool",
            outcome=Outcome.PASS,
            reason="look_up was called 2 times",
        )

    def test_a_failed_call_is_one(self) -> None:
        """The agent chose to make it."""
        sample = acted(called("look_up", error="down"))

        assert self.rule.check(sample).outcome is Outcome.PASS

    def test_no_call_fails(self) -> None:
        """It says that there was none at all."""
        verdict = self.rule.check(acted())

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "look_up was never called, nor was any other tool"

    def test_the_reason_names_what_was_called_instead(self) -> None:
        """But not where nothing of the agent is kept: it may invent names."""
        verdict = self.rule.check(acted(called("Look_up"), called("mail Jane")))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == (
            'look_up was never called, but "Look_up", "mail Jane"'
        )
        assert verdict.unquoted == "look_up was never called, but 2 other tools"


class TestCallsInText:
    """Calls that a broken parser left in the answer."""

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param('{"name": "book", "arguments": {}}', id="JSON"),
            pytest.param(
                '{"type":"function","function":{"name":"book","parameters":{"a":1}',
                id="cut JSON",
            ),
            pytest.param('{"function": "book"}', id="another key"),
            pytest.param('Sure!\n```json\n{"tool" :\n "book"}\n```', id="fenced"),
            pytest.param(r'"{\"name\": \"book\"}"', id="encoded twice"),
            pytest.param("<tool_call>{'name': 'book'}</tool_call>", id="Python"),
            pytest.param("<function=book>{}</function>", id="function tag"),
            pytest.param('<invoke name="book">', id="invoke tag"),
        ],
    )
    def test_are_told_and_do_not_count(self, answer: str) -> None:
        """It is the parser that is broken, not the agent that is lazy."""
        sample = acted(answer=answer)
        told = "book was written as text in the answer and not called: the agent's"

        verdicts = [
            RULES["invokes_tool"].parse("book").check(sample),
            RULES["expected_actions"].parse(["book"]).check(sample),
            carries_in(answer),
        ]

        assert {verdict.outcome for verdict in verdicts} == {Outcome.FAIL}
        assert all(told in verdict.reason for verdict in verdicts)

    def test_in_an_earlier_answer_too(self) -> None:
        """Tool rules look at the whole conversation."""
        sample = talked('{"name": "book"}', "Done.")

        verdict = RULES["does_not_invoke_tool"].parse("book").check(sample)

        assert verdict.outcome is Outcome.PASS
        assert "tool parser is broken" in verdict.reason

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param('I would "book" it.', id="a word"),
            pytest.param('{"name": "bookkeeping"}', id="another tool"),
            pytest.param('{"title": "book"}', id="another field"),
        ],
    )
    def test_other_texts_are_none(self, answer: str) -> None:
        """A name alone is no call."""
        verdict = RULES["invokes_tool"].parse("book").check(acted(answer=answer))

        assert verdict.reason == "book was never called, nor was any other tool"


def carries_in(answer: str) -> Verdict:
    """Return the verdict on the parameters where there is only *answer*."""
    value = {"tool": "book", "parameters": {"a": 1}}
    return RULES["tool_parameters_contain"].parse(value).check(acted(answer=answer))


class TestDoesNotInvokeTool:
    rule = RULES["does_not_invoke_tool"].parse("pay_out")

    def test_no_call_passes(self) -> None:
        """Others may have been called."""
        assert self.rule.check(acted(called("look_up"))) == Verdict(
            criterion="does_not_invoke_tool",
            outcome=Outcome.PASS,
            reason="pay_out was never called",
        )

    def test_a_call_fails(self) -> None:
        """The reason shows what was sent; a failed call was one too."""
        sample = acted(called("pay_out", {"euros": 7}, error="no money"))

        assert self.rule.check(sample) == Verdict(
            criterion="does_not_invoke_tool",
            outcome=Outcome.FAIL,
            reason='pay_out was called, with {"euros": 7}',
            unquoted="pay_out was called",
        )


class TestExpectedActions:
    rule = RULES["expected_actions"].parse(["look_up", "refund"])

    def test_order_repeats_and_failures_do_not_matter(self) -> None:
        """It is a set of tools."""
        sample = acted(called("refund", error="down"), called("look_up"), *2 * [REFUND])

        assert self.rule.check(sample) == Verdict(
            criterion="expected_actions",
            outcome=Outcome.PASS,
            reason='called were "refund", "look_up"',
        )

    def test_both_kinds_of_faults_are_named(self) -> None:
        """Names that the agent may have invented are left out where none are kept."""
        verdict = self.rule.check(acted(REFUND, called("delete_all")))

        assert verdict == Verdict(
            criterion="expected_actions",
            outcome=Outcome.FAIL,
            reason='never called: "look_up"; not expected: "delete_all"',
            unquoted='never called: "look_up"; not expected: 1 other tool',
        )

    def test_a_missing_one_alone(self) -> None:
        """Nothing is quoted."""
        verdict = self.rule.check(acted(REFUND))

        assert verdict.reason == 'never called: "look_up"'
        assert verdict.unquoted is None

    def test_a_further_one_alone(self) -> None:
        """Exactly this set."""
        verdict = self.rule.check(acted(REFUND, called("look_up"), called("mail")))

        assert verdict.reason == 'not expected: "mail"'

    @pytest.mark.parametrize(
        ("value", "says"),
        [
            pytest.param([], "at least one tool: to forbid one there is", id="empty"),
            pytest.param(["a", "b", "a"], "'a' is there twice", id="twice"),
            pytest.param(["a", " "], "the name of a tool", id="blank"),
            pytest.param("a", "a list of tools", id="a text"),
        ],
    )
    def test_other_values_are_refused(self, value: object, says: str) -> None:
        """With a hint where there is one."""
        with pytest.raises(CriterionError, match=says):
            RULES["expected_actions"].parse(value)


REFUND = called("refund")
