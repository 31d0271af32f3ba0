"""The tool calls that a chat agent tells of."""

import json

from dataclasses import replace

import pytest

from answerprobe.monitor import ResponseShape
from answerprobe.sample import ErrorReason, Reply, ToolCall, ToolSource
from targets import raw


_FIND = ToolCall(name="find", arguments={"id": 7}, source=ToolSource.AGENT)
_STEP = {"tool": "find", "input": {"id": 7}}
_SHAPE = ResponseShape(tool_calls="steps[].{name: tool, arguments: input}")


async def _reply(data: bytes, shape: ResponseShape = _SHAPE) -> Reply:
    async with raw.serving(raw.sending(data)) as server:
        settings = replace(raw.chat(server.url), response=shape)
        return await raw.ask(replace(settings, stream=b"text/event-stream" in data))


async def _read(document: object, shape: ResponseShape = _SHAPE) -> Reply:
    return await _reply(raw.http(json.dumps(document).encode()), shape)


class TestWhole:
    """In one document."""

    async def test_they_are_where_the_config_says(self) -> None:
        """As calls that the agent answered itself."""
        reply = await _read({"answer": "On the van.", "steps": [_STEP]})

        assert (reply.failure, reply.answer) == (None, "On the van.")
        assert reply.tool_calls == (_FIND,)

    @pytest.mark.parametrize(
        "steps",
        [
            pytest.param(None, id="null"),
            pytest.param("none", id="text"),
            pytest.param([], id="empty"),
            pytest.param([{"tool": None}], id="no name"),
        ],
    )
    async def test_nothing_found_is_no_calls(self, steps: object) -> None:
        """And no failure."""
        reply = await _read({"answer": "On the van.", "steps": steps})

        assert reply.failure is None
        assert reply.tool_calls == ()

    async def test_a_call_without_text_is_an_answer(self) -> None:
        """Nothing is missing where a field for it is there."""
        reply = await _read({"answer": "", "steps": [_STEP]})

        assert (reply.failure, reply.answer) == (None, "")
        assert reply.tool_calls == (_FIND,)

    async def test_calls_are_kept_where_no_answer_came(self) -> None:
        """They are evidence."""
        shape = replace(_SHAPE, answer="data.reply")

        reply = await _read({"answer": "elsewhere", "steps": [_STEP]}, shape)

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.NO_ANSWER
        assert reply.tool_calls == (_FIND,)


class TestStreamed:
    """In events."""

    @pytest.mark.parametrize(
        "steps",
        [
            pytest.param([["find"], ["mail"]], id="each once"),
            pytest.param([["find"], ["find", "mail"]], id="all so far"),
        ],
    )
    async def test_they_are_put_together(self, steps: list[list[str]]) -> None:
        """However the agent tells of them."""
        events = [{"steps": [{"tool": name} for name in names]} for names in steps]
        pieces = [json.dumps(event) for event in [*events, {"answer": "Sent."}]]

        reply = await _reply(raw.events(*pieces))

        assert (reply.failure, reply.answer) == (None, "Sent.")
        assert [call.name for call in reply.tool_calls] == ["find", "mail"]

    async def test_a_call_without_text_is_an_answer(self) -> None:
        """Like in one document."""
        reply = await _reply(raw.events(json.dumps({"steps": [_STEP]})))

        assert reply.failure is None
        assert reply.tool_calls == (_FIND,)
