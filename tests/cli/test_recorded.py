"""One line of recorded answers."""

import contextlib
import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.cli._recorded import MOST_BYTES, read_line
from answerprobe.daemon.grade import Recorded
from answerprobe.errors import RecordedError
from answerprobe.run import SampleResult
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Reply,
    Sample,
    Speaker,
    ToolCall,
    ToolSource,
    Turn,
    asked_once,
)
from answerprobe.shapes import sample_shape
from answerprobe.verdict import Outcome
from builders import NOW, case


CASE = case()
CALL = ToolCall(
    name="hours", arguments={"day": 1}, result=["nine"], source=ToolSource.MOCKED
)


def read(document: object, number: int = 1) -> Recorded:
    """Return what the line of *document* records."""
    recorded = read_line(json.dumps(document).encode(), number, CASE)
    assert recorded is not None
    return recorded


def kept(answer: str | None, **more: object) -> dict[str, object]:
    """Return a sample as the API tells it; *more* replaces some of it."""
    sample = SampleResult(
        case_id="refund",
        fingerprint="f",
        outcome=Outcome.PASS,
        started_at=NOW,
        duration_seconds=1.5,
        trace_id="0" * 32,
        answer=answer,
        turns=(
            Turn(speaker=Speaker.USER, text="Hello?"),
            Turn(speaker=Speaker.AGENT, text=answer or "", tool_calls=(CALL,)),
        ),
        first_token_seconds=0.5,
    )
    return {**sample_shape(7, sample), **more}


class TestAnswer:
    def test_is_the_reply_to_the_question_of_the_case(self) -> None:
        """As if the agent had given it at once."""
        recorded = read({"id": "a", "answer": "30 days"})

        reply = Reply(answer="30 days", duration_seconds=0.0)
        assert recorded == Recorded(id="a", sample=asked_once(CASE.ask or "", reply))

    @pytest.mark.parametrize("name", ["a", 7, 1.5, True, None, "é日本"])
    def test_keeps_its_id(self, name: object) -> None:
        """Of whatever plain type."""
        assert read({"id": name, "answer": "x"}).id == name

    def test_without_an_id_is_called_by_its_line(self) -> None:
        """So that it can be found."""
        assert read({"answer": "x"}, number=3).id == 3

    def test_is_graded_as_it_stands(self) -> None:
        """Only what no store takes is left out."""
        text = "<think>no</think> \n - yes\0\ud800"

        assert read({"answer": text}).sample.answer == text[:-2] + "\ufffd"

    @pytest.mark.parametrize(
        ("answer", "failure"),
        [
            pytest.param(
                None,
                Failure(reason=ErrorReason.NO_ANSWER, detail="no answer was recorded"),
                id="null",
            ),
            pytest.param(
                " \n",
                Failure(reason=ErrorReason.EMPTY_ANSWER, detail="the answer is blank"),
                id="blank",
            ),
        ],
    )
    def test_that_is_none_is_an_error(
        self, answer: str | None, failure: Failure
    ) -> None:
        """As with a live agent."""
        assert read({"answer": answer}).sample.reply.failure == failure

    @pytest.mark.parametrize("line", [b"", b"\n", b" \r\n", "\ufeff\n".encode()])
    def test_a_blank_line_is_none(self, line: bytes) -> None:
        """Many files end with one."""
        assert read_line(line, 1, CASE) is None


class TestSample:
    def test_comes_back_as_it_was(self) -> None:
        """Transcript, tool calls and times are those of the run."""
        recorded = read(kept("30 days"))

        assert recorded == Recorded(
            id=7,
            sample=Sample(
                turns=(
                    Turn(speaker=Speaker.USER, text="Hello?"),
                    Turn(speaker=Speaker.AGENT, text="30 days", tool_calls=(CALL,)),
                ),
                reply=Reply(
                    answer="30 days",
                    duration_seconds=1.5,
                    first_token_seconds=0.5,
                    tool_calls=(CALL,),
                ),
            ),
        )

    def test_that_was_an_error_stays_one(self) -> None:
        """Whatever text had come."""
        recorded = read(kept("30 da", error_reason="truncated"))

        assert recorded.sample.reply.failure == Failure(
            reason=ErrorReason.TRUNCATED,
            detail="recorded without a usable answer: truncated",
        )

    def test_a_tool_call_without_text_is_an_answer(self) -> None:
        """As with a live agent."""
        assert read(kept(None)).sample.reply.failure is None


class TestBadLine:
    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param(b'{"id": "b"', "no JSON: ", id="cut"),
            pytest.param(b"[1]", "wanted: an object", id="list"),
            pytest.param(b"null", "wanted: an object", id="null"),
            pytest.param(b'{"anwser": 1}', "lacks `answer` (it has anwser)", id="key"),
            pytest.param(b"{}", "lacks `answer` (it has nothing)", id="empty"),
            pytest.param(b'{"answer": 5}', "`answer`: a text or null", id="number"),
            pytest.param(b'{"answer": "\xff"}', "no UTF-8 text", id="encoding"),
            pytest.param(
                b'{"answer": "a", "answer": "b"}', "a key stands twice", id="twice"
            ),
            pytest.param(b'{"id": [], "answer": "a"}', "as `id`", id="id"),
            pytest.param(b'{"id": 1e999, "answer": "a"}', "not so large", id="inf"),
            pytest.param(b'{"id": NaN, "answer": "a"}', "NaN is no JSON", id="nan"),
            pytest.param(
                b'{"id": ' + b"9" * 5000 + b', "answer": "a"}', "too long", id="digits"
            ),
            pytest.param(b"[" * 100_000, "nested too deeply", id="deep"),
            pytest.param(b"x" * (MOST_BYTES + 1), "longer than 4 MiB", id="long"),
            pytest.param(
                b'{"answer": "a", "transcript": 1}', "a list of objects", id="turns"
            ),
            pytest.param(
                b'{"answer": "a", "transcript": [{"text": "x"}]}', "role", id="role"
            ),
            pytest.param(
                b'{"answer": "a", "error_reason": "bored"}', "one of bad_h", id="reason"
            ),
            pytest.param(
                b'{"answer": "a", "duration_seconds": -1}', "of seconds", id="time"
            ),
        ],
    )
    def test_is_named_by_its_number(self, line: bytes, says: str) -> None:
        """With what is wrong with it."""
        with pytest.raises(RecordedError) as refused:
            read_line(line, 12, CASE)

        assert str(refused.value).startswith("line 12: ")
        assert says in str(refused.value)
        assert len(str(refused.value)) < 500

    @given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
    def test_nothing_else_ever_happens(self, line: bytes) -> None:
        """Whatever bytes come."""
        with contextlib.suppress(RecordedError):
            read_line(line, 1, CASE)
