"""The openai dialect with tools: offered, called, answered."""

import json

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from answerprobe.monitor import TargetSettings
from answerprobe.sample import ErrorReason, Failure, ToolCall
from answerprobe.targets import Dialogue, make_target
from answerprobe.tool import Tool
from targets import raw


_ORDER = {"type": "object", "properties": {"id": {"type": "string"}}}
_TOOLS = (
    Tool(name="find", description="Finds an order.", parameters=_ORDER, writes=False),
    Tool(name="mail"),
)


def _completion(message: object, finish_reason: str = "stop") -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return raw.http(json.dumps({"choices": [choice]}).encode())


def _calling(*calls: object, **more: object) -> bytes:
    message = {"content": None, "tool_calls": list(calls), **more}
    return _completion(message, "tool_calls")


def _call(call_id: str | None = "a", name: str = "find") -> dict[str, object]:
    function = {"name": name, "arguments": '{"id": "7"}'}
    return {"id": call_id, "type": "function", "function": function}


def _messages(asked: raw.Asked) -> Sequence[object]:
    body = asked.json
    assert isinstance(body, dict)
    messages = body["messages"]
    assert isinstance(messages, list)
    return messages


@asynccontextmanager
async def _dialogue(
    *replies: bytes, tools: tuple[Tool, ...] = _TOOLS, stream: bool = False
) -> AsyncIterator[tuple[Dialogue, raw.Server]]:
    async with raw.serving(raw.in_turn(*replies)) as server:
        settings: TargetSettings = replace(
            raw.openai(server.url), tools=tools, stream=stream
        )
        target = make_target(settings, version="1")
        async with target.dialogue(raw.TRACEPARENT) as dialogue:
            yield dialogue, server
        await target.close()


class TestOffered:
    """What the agent is told of tools."""

    async def test_tools_are_defined_in_the_request(self) -> None:
        """By name, description and parameters; what is ours stays ours."""
        async with _dialogue(_completion({"content": "Hi."})) as (dialogue, server):
            await dialogue.say("Where?", within_seconds=5)

        body = server.asked[0].json
        assert isinstance(body, dict)
        find = {"name": "find", "description": "Finds an order.", "parameters": _ORDER}
        anything = {"type": "object", "properties": {}}
        assert body["tools"] == [
            {"type": "function", "function": find},
            {"type": "function", "function": {"name": "mail", "parameters": anything}},
        ]

    async def test_they_count_as_read(self) -> None:
        """An estimate of the tokens knows of them."""
        message = _completion({"content": "Hi."})
        async with _dialogue(message) as (dialogue, _):
            offered = await dialogue.say("Where?", within_seconds=5)
        async with _dialogue(message, tools=()) as (dialogue, _):
            plain = await dialogue.say("Where?", within_seconds=5)

        assert offered.usage.input_tokens > plain.usage.input_tokens + 50


class TestResume:
    """The turn goes on with what came of the calls."""

    async def test_calls_and_results_go_back_as_the_api_wants_them(self) -> None:
        """The calls as they came, then a message for each result, by its id."""
        first = _calling(_call("a"), _call("b", "mail"))
        replies = (first, _completion({"content": "On the van."}))
        async with _dialogue(*replies) as (dialogue, server):
            called = await dialogue.say("Where?", within_seconds=5)
            found, mailed = called.tool_calls
            results = [replace(found, result={"on": "van"}), replace(mailed, error="x")]
            reply = await dialogue.resume(results, within_seconds=5)

        assert (called.failure, called.answer) == (None, "")
        assert found == ToolCall(name="find", arguments={"id": "7"}, call_id="a")
        assert reply.answer == "On the van."
        assert _messages(server.asked[1]) == [
            {"role": "user", "content": "Where?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [_call("a"), _call("b", "mail")],
            },
            {"role": "tool", "tool_call_id": "a", "content": '{"on": "van"}'},
            {"role": "tool", "tool_call_id": "b", "content": '{"error": "x"}'},
        ]

    async def test_rounds_and_turns_add_up(self) -> None:
        """Later turns have the calls of earlier ones."""
        replies = (
            _calling(_call("a")),
            _calling(_call("b")),
            _completion({"content": "Done."}),
            _completion({"content": "Bye."}),
        )
        async with _dialogue(*replies) as (dialogue, server):
            reply = await dialogue.say("Where?", within_seconds=5)
            while reply.tool_calls:
                results = [replace(call, result="ok") for call in reply.tool_calls]
                reply = await dialogue.resume(results, within_seconds=5)
            await dialogue.say("Thanks.", within_seconds=5)

        roles = [m["role"] for m in _messages(server.asked[3]) if isinstance(m, dict)]
        assert roles == [
            "user", "assistant", "tool", "assistant", "tool", "assistant", "user",
        ]  # fmt: skip

    async def test_missing_ids_are_made_up_and_agree(self) -> None:
        """The same in what went out, in the reply, and with the result."""
        replies = (_calling(_call(None), _call("a")), _completion({"content": "Ok."}))
        async with _dialogue(*replies) as (dialogue, server):
            called = await dialogue.say("Where?", within_seconds=5)
            results = [replace(call, result="ok") for call in called.tool_calls]
            await dialogue.resume(results, within_seconds=5)

        ids = ["call00001", "a"]
        _, calling, *results_sent = _messages(server.asked[1])
        assert isinstance(calling, dict)
        assert [call["id"] for call in calling["tool_calls"]] == ids
        assert [call.call_id for call in called.tool_calls] == ids
        assert [m["tool_call_id"] for m in results_sent if isinstance(m, dict)] == ids

    async def test_thoughts_before_a_call_go_back_with_it(self) -> None:
        """In the field that they came in."""
        first = _calling(_call(), reasoning_content="Look it up.", content="Wait…")
        replies = (first, _completion({"content": "Ok.", "reasoning_content": "Hm."}))
        async with _dialogue(*replies) as (dialogue, server):
            called = await dialogue.say("Where?", within_seconds=5)
            results = [replace(call, result="ok") for call in called.tool_calls]
            await dialogue.resume(results, within_seconds=5)

        calling = _messages(server.asked[1])[1]
        assert isinstance(calling, dict)
        assert calling["reasoning_content"] == "Look it up."
        assert calling["content"] == "Wait…"

    async def test_nothing_to_resume_is_our_fault(self) -> None:
        """Before the first message, and behind an answer."""
        async with _dialogue(_completion({"content": "Hi."})) as (dialogue, server):
            await dialogue.say("Where?", within_seconds=5)
            with pytest.raises(RuntimeError, match="no tool of ours"):
                await dialogue.resume([], within_seconds=5)

        assert len(server.asked) == 1

    async def test_a_call_is_no_tool_of_ours_where_none_is_offered(self) -> None:
        """The agent ran it itself: its text is what was said."""
        replies = (_calling(_call(), content="Hi."), _completion({"content": "Bye."}))
        async with _dialogue(*replies, tools=()) as (dialogue, server):
            reply = await dialogue.say("Where?", within_seconds=5)
            await dialogue.say("Thanks.", within_seconds=5)

        assert [call.name for call in reply.tool_calls] == ["find"]
        assert _messages(server.asked[1]) == [
            {"role": "user", "content": "Where?"},
            {"role": "assistant", "content": "Hi."},
            {"role": "user", "content": "Thanks."},
        ]

    async def test_the_deadline_is_what_is_left(self) -> None:
        """Its miss says so."""
        async with _dialogue(_calling(_call())) as (dialogue, _):
            called = await dialogue.say("Where?", within_seconds=5)
            reply = await dialogue.resume(called.tool_calls, within_seconds=0)

        assert reply.failure == Failure(
            reason=ErrorReason.TIMEOUT,
            detail="after tool calls, no answer within 0s: not connected",
        )


class TestStreamed:
    """Calls that come in pieces."""

    async def _calls(self, *deltas: object) -> tuple[ToolCall, ...]:
        chunks = [
            json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": delta}}]})
            for delta in deltas
        ]
        end = json.dumps({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
        data = raw.events(*chunks, end, "[DONE]")
        async with _dialogue(data, stream=True) as (dialogue, _):
            reply = await dialogue.say("Where?", within_seconds=5)
        assert reply.failure is None
        return reply.tool_calls

    async def test_parallel_calls_are_told_apart_by_index(self) -> None:
        """However their pieces are mixed."""
        calls = await self._calls(
            [{"index": 0, "id": "a", "function": {"name": "find", "arguments": ""}}],
            [{"index": 1, "id": "b", "function": {"name": "mail", "arguments": "{"}}],
            [
                {"index": 0, "function": {"arguments": '{"id":'}},
                {"index": 1, "function": {"arguments": "}"}},
            ],
            [{"index": 0, "id": "a", "function": {"arguments": "7}"}}],
        )

        assert calls == (
            ToolCall(name="find", arguments={"id": 7}, call_id="a"),
            ToolCall(name="mail", arguments={}, call_id="b"),
        )

    async def test_whole_calls_with_one_index_are_told_apart_by_id(self) -> None:
        """As some gateways send them."""
        calls = await self._calls(
            [{"index": 0, "id": "a", "function": {"name": "find", "arguments": "{}"}}],
            [{"index": 0, "id": "b", "function": {"name": "find", "arguments": "{}"}}],
        )

        assert [call.call_id for call in calls] == ["a", "b"]

    async def test_broken_arguments_stay_a_text(self) -> None:
        """The call counts."""
        calls = await self._calls(
            [{"index": 0, "id": "a", "function": {"name": "find", "arguments": '{"i'}}]
        )

        assert calls == (ToolCall(name="find", arguments='{"i', call_id="a"),)

    async def test_odd_pieces_are_left_out(self) -> None:
        """And harm nothing."""
        calls = await self._calls(
            7,
            [7, {}, {"index": [], "function": {"name": "x"}}],
            [{"function": {"name": "find"}}],
        )

        expected = ToolCall(name="find", arguments={}, call_id="call00001")
        assert calls == (expected,)
