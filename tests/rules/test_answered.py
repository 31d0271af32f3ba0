"""The rule `answered`."""

from dataclasses import replace

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.answered import Answered
from answerprobe.sample import Reply, ToolCall, asked_once
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestAnswered:
    """Whether an answer came, and one that is an answer."""

    def test_reason_has_both_times(self) -> None:
        """The time it took stands beside the limit."""
        verdict = Answered().check(said("Thirty days.", duration_seconds=1.2344))

        assert verdict == Verdict(
            criterion="answered",
            outcome=Outcome.PASS,
            reason="answered in 1.234 s, limit 20 s",
        )

    def test_late_answer_fails(self) -> None:
        """A recorded answer that took longer than the deadline fails."""
        rule = Answered(within_seconds=2)

        verdict = rule.check(said("Thirty days.", duration_seconds=2.5))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "answered in 2.5 s, limit 2 s"

    def test_content_filter_fails(self) -> None:
        """What the provider's filter stopped is an answer that failed."""
        reply = Reply(answer="", duration_seconds=1, filtered=True)

        verdict = Answered().check(asked_once("Why?", reply))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "blocked by the content filter"

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("Thought process:", id="thought process"),
            pytest.param("**Thought Process:**\n", id="as bold text"),
            pytest.param("## Reasoning:", id="as heading"),
            pytest.param("My thought process", id="without colon"),
            pytest.param("Let me think step by step:", id="step by step"),
            pytest.param("Let\u2019s work through this.", id="curly apostrophe"),
            pytest.param("Okay, let's think about it...", id="with a lead"),
            pytest.param("Solution:", id="solution"),
            pytest.param("Lösung:", id="german"),
            pytest.param("Respuesta:", id="spanish"),
            pytest.param("解:", id="chinese"),
            pytest.param("Thinking...", id="dots"),
        ],
    )
    def test_bare_opener_fails(self, answer: str) -> None:
        """The opening of a train of thought alone is no answer."""
        verdict = Answered().check(said(answer))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.unquoted == "only the opening of a train of thought, no answer"

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("Solution: 42", id="something behind it"),
            pytest.param("Solution", id="a word that may be the answer"),
            pytest.param("Thought process:\nYou have 30 days.", id="a second line"),
            pytest.param("Let me check your order.", id="a promise"),
            pytest.param("Let's think. It is 30 days.", id="a thought and an answer"),
            pytest.param("The answer is 42.", id="an answer that says so"),
            pytest.param("Yes", id="one word"),
            pytest.param("Thought process: " + "a" * 200, id="long"),
        ],
    )
    def test_answer_passes(self, answer: str) -> None:
        """What has an answer in it is one."""
        assert outcome(Answered(), answer) is Outcome.PASS

    def test_tool_call_without_text_passes(self) -> None:
        """An agent that calls a tool has answered."""
        call = ToolCall(name="get_order", arguments={})
        reply = Reply(answer="", duration_seconds=1, tool_calls=(call,))

        verdict = Answered().check(asked_once("Where is it?", reply))

        assert verdict.outcome is Outcome.PASS

    def test_opener_beside_a_tool_call_passes(self) -> None:
        """Thinking aloud before a tool call is no empty answer."""
        sample = said("Let me think step by step:")
        call = ToolCall(name="get_order", arguments={})
        reply = replace(sample.reply, tool_calls=(call,))

        verdict = Answered().check(replace(sample, reply=reply))

        assert verdict.outcome is Outcome.PASS


class TestParse:
    """The values that a configuration may give it."""

    def test_true_means_20_seconds(self) -> None:
        """Without a time it is the documented one."""
        written: object = True

        assert Answered.parse(written) == Answered(within_seconds=20.0)

    def test_within(self) -> None:
        """The deadline is a duration."""
        assert Answered.parse({"within": "1m30s"}) == Answered(within_seconds=90.0)

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            pytest.param(False, (), id="false"),
            pytest.param("20s", (), id="a bare duration"),
            pytest.param({}, (), id="nothing"),
            pytest.param({"in": "any"}, (), id="an unknown option"),
            pytest.param({"within": 20}, ("within",), id="a number"),
            pytest.param({"within": "soon"}, ("within",), id="no duration"),
            pytest.param({"within": "0s"}, ("within",), id="no time at all"),
            pytest.param({"within": None}, ("within",), id="null"),
        ],
    )
    def test_other_values_are_refused(
        self, value: object, path: tuple[str, ...]
    ) -> None:
        """Whatever else is written is an error that says where."""
        with pytest.raises(CriterionError) as caught:
            Answered.parse(value)

        assert caught.value.path == path
