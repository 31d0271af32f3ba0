"""The debug log says where the answer was read, and never what it says."""

import json

from dataclasses import replace

import pytest

from structlog.testing import capture_logs

from answerprobe.monitor import ResponseShape
from targets import raw


_ECHO = json.dumps({"message": raw.QUESTION, "reply": "At nine."})


async def _logged(reply: bytes, *, stream: bool = False, answer: str = "") -> object:
    """Return what is logged while an agent that sends *reply* is asked."""
    async with raw.serving(raw.sending(reply)) as server:
        shape = ResponseShape(answer=answer or None)
        settings = replace(raw.chat(server.url), stream=stream, response=shape)
        with capture_logs() as events:
            await raw.ask(settings)
    return [
        event["source"]
        for event in events
        if event["event"] == "reply.read" and event["log_level"] == "debug"
    ]


class TestReplyRead:
    """One event for each reply that has an answer."""

    @pytest.mark.parametrize(
        ("document", "source"),
        [
            pytest.param('{"answer": "At nine."}', "field answer", id="first field"),
            pytest.param(
                _ECHO,
                "field reply; field message only echoes the question",
                id="echo passed over",
            ),
            pytest.param(
                '{"answer": null, "response": [1], "text": "At nine."}',
                "field text; field answer is null; field response is an array, no text",
                id="no text passed over",
            ),
        ],
    )
    async def test_it_names_the_field_and_those_passed_over(
        self, document: str, source: str
    ) -> None:
        """So that a reader sees why another one was not graded."""
        assert await _logged(raw.http(document.encode())) == [source]

    async def test_it_names_the_mapping_where_there_is_one(self) -> None:
        """`response.answer` of the configuration."""
        reply = raw.http(b'{"a": {"b": "At nine."}}')

        assert await _logged(reply, answer="a.b") == ["response.answer"]

    @pytest.mark.parametrize(
        ("event", "source"),
        [
            pytest.param(_ECHO, "field reply", id="objects"),
            pytest.param("At nine.", "plain text", id="plain text"),
        ],
    )
    async def test_it_names_the_field_of_a_stream(
        self, event: str, source: str
    ) -> None:
        """The first one that a piece was in."""
        assert await _logged(raw.events(event), stream=True) == [source]

    async def test_a_reply_without_an_answer_is_not_logged(self) -> None:
        """Its failure says what was there."""
        assert await _logged(raw.http(b'{"answer": " "}')) == []

    async def test_the_event_has_no_word_of_the_answer(self) -> None:
        """But the trace by which the sample is found."""
        async with raw.serving(raw.sending(raw.http(_ECHO.encode()))) as server:
            with capture_logs() as events:
                await raw.ask(raw.chat(server.url))

        (event,) = (event for event in events if event["event"] == "reply.read")
        assert event["trace"] == raw.TRACEPARENT
        assert event["characters"] == len("At nine.")
        assert "nine" not in str(event)
