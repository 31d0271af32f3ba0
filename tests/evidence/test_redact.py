"""Nothing is kept that is nobody's business."""

import json

from dataclasses import replace

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.evidence import redacted
from answerprobe.monitor import AnswerStorage
from answerprobe.run import SampleResult
from answerprobe.sample import ErrorReason, Failure, Speaker, ToolCall, Turn
from answerprobe.secret import MASK, Scrubber, Secret, SecretSource
from answerprobe.verdict import Outcome, Verdict
from evidence.writing import sample


TOKEN = "tok-5e1f9c77aa"
MAIL = "jane.roe@mail.example.org"


def scrub(text: str) -> str:
    """Take the one secret out of *text*."""
    return text.replace(TOKEN, MASK)


def kept(
    result: SampleResult, answers: AnswerStorage = AnswerStorage.REDACTED
) -> SampleResult:
    """Return what is kept of *result*."""
    return redacted(result, scrub=scrub, answers=answers)


def everywhere(words: str) -> SampleResult:
    """Return a sample that says *words* wherever something can be said."""
    call = ToolCall(
        name="get_order",
        arguments={"who": [words], words: 1},
        result=words,
        error=words,
    )
    return replace(
        sample(answer=words),
        failure=Failure(reason=ErrorReason.UPSTREAM_ERROR, detail=words),
        turns=(
            Turn(speaker=Speaker.USER, text=words),
            Turn(speaker=Speaker.AGENT, text=words, tool_calls=(call,)),
        ),
        verdicts=(
            Verdict(
                criterion="judge",
                outcome=Outcome.FAIL,
                reason=f"says {words}",
                unquoted="the judge says fail",
            ),
            Verdict(criterion="max_words", outcome=Outcome.FAIL, reason="3, limit 2"),
            Verdict(criterion="answered", outcome=Outcome.ERROR, reason=words),
        ),
    )


class TestRedacted:
    """Texts are kept without secrets and personal data."""

    def test_what_is_harmless_stays_as_it_is(self) -> None:
        """And the sample stays whole."""
        assert kept(sample()) == sample()

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param(f"ask {MAIL} about it", id="personal data"),
            pytest.param(f"use {TOKEN} there", id="secret"),
        ],
    )
    def test_it_is_taken_out_everywhere(self, words: str) -> None:
        """Answer, transcript, tool calls, reasons and failures."""
        result = kept(everywhere(words))

        assert MAIL not in repr(result)
        assert TOKEN not in repr(result)
        assert result.answer != words
        assert result.answer
        assert not result.whole

    def test_a_number_can_be_personal_too(self) -> None:
        """A card number that is no text."""
        call = ToolCall(name="pay", arguments={"card": 4012888888881881, "sum": 12})
        turn = Turn(speaker=Speaker.AGENT, text="done", tool_calls=(call,))

        result = kept(replace(sample(), turns=(turn,)))

        arguments = result.turns[0].tool_calls[0].arguments
        assert arguments == {"card": "[card]", "sum": 12}

    def test_a_secret_in_another_spelling_is_taken_out_too(self) -> None:
        """JSON-escaped inside a tool's result."""
        source = SecretSource(environment={"KEY": 'quo"ted-secret'})
        Secret("secret.KEY", source).reveal()
        told = json.dumps({"key": 'quo"ted-secret'})

        result = redacted(
            sample(answer=told),
            scrub=Scrubber(source).scrub,
            answers=AnswerStorage.REDACTED,
        )

        assert result.answer == f'{{"key": "{MASK}"}}'


class TestCut:
    """Texts are kept in at most 2 KB."""

    @pytest.mark.parametrize(
        "words",
        [
            pytest.param("a " * 3000, id="ASCII"),
            pytest.param("é" * 3000, id="two bytes each"),
            pytest.param("x" + "💬" * 2000, id="four bytes each"),
        ],
    )
    def test_a_long_text_is_cut_on_a_character(self, words: str) -> None:
        """Marked, and no longer whole."""
        result = kept(sample(answer=words))

        assert result.answer is not None
        assert 1500 < len(result.answer.encode()) <= 2048
        assert result.answer[:-1] == words[: len(result.answer) - 1]
        assert result.answer.endswith("…")
        assert not result.whole

    @given(st.integers(0, 60), st.sampled_from([MAIL, TOKEN]))
    def test_no_half_of_it_stays_at_the_cut(self, shift: int, words: str) -> None:
        """Wherever the cut falls in it."""
        for place in (2048, 3072):
            filler = "word " * (place // 5)
            text = filler[: place - shift] + " " + words + " more" * 300

            answer = kept(sample(answer=text)).answer or ""

            assert words[:9] not in answer

    def test_many_redactions_do_not_pull_in_what_was_not_looked_at(self) -> None:
        """Shorter marks leave room; it stays empty."""
        text = f"{MAIL} " * 400

        answer = kept(sample(answer=text)).answer or ""

        assert "jane" not in answer
        assert "@" not in answer

    def test_a_big_tool_result_is_kept_as_the_beginning_of_its_json(self) -> None:
        """Half a structure is none."""
        call = ToolCall(name="list", arguments=None, result=[{"id": 7}] * 1000)
        turn = Turn(speaker=Speaker.AGENT, text="", tool_calls=(call,) * 80)

        result = kept(replace(sample(), turns=(turn,)))

        calls = result.turns[0].tool_calls
        assert len(calls) == 50
        assert isinstance(calls[0].result, str)
        assert calls[0].result.startswith('[{"id": 7}, ')
        assert len(calls[0].result.encode()) <= 2048

    @given(st.text(st.characters(exclude_categories=())))
    def test_any_text_can_be_stored(self, words: str) -> None:
        """Half surrogate pairs too."""
        answer = kept(sample(answer=words)).answer or ""

        assert len(answer.encode()) <= 2048


class TestNoAnswers:
    """`answers: none`: results only."""

    def test_no_word_of_target_or_judge_is_left(self) -> None:
        """What rules and judge found stays, in words of ours."""
        result = kept(everywhere("canary"), AnswerStorage.NONE)

        assert "canary" not in repr(result)
        assert result.answer is None
        assert [verdict.reason for verdict in result.verdicts] == [
            "the judge says fail",
            "3, limit 2",
            "upstream_error",
        ]
        assert result.turns[1].tool_calls[0] == ToolCall(
            name="get_order", arguments=None
        )
        assert not result.whole

    @pytest.mark.parametrize(
        ("reason", "detail", "left"),
        [
            pytest.param(
                ErrorReason.TIMEOUT,
                "no answer within 5s",
                "no answer within 5s",
                id="ours",
            ),
            pytest.param(
                ErrorReason.HTTP_STATUS,
                "HTTP 503: sorry, Jane",
                "HTTP 503",
                id="status",
            ),
            pytest.param(ErrorReason.NOT_JSON, "no JSON: Dear Jane", "", id="body"),
        ],
    )
    def test_a_failure_keeps_what_does_not_quote(
        self, reason: ErrorReason, detail: str, left: str
    ) -> None:
        """A server's error message may be anything."""
        failed = replace(
            sample(Outcome.ERROR), failure=Failure(reason=reason, detail=detail)
        )

        result = kept(failed, AnswerStorage.NONE)

        assert result.failure == Failure(reason=reason, detail=left)
