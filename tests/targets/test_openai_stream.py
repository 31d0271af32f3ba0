"""The openai dialect, streamed."""

import asyncio
import json

from dataclasses import replace

import pytest

from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage, ToolCall
from answerprobe.targets import make_target
from targets import raw


def _chunk(
    delta: object = None, finish_reason: str | None = None, **more: object
) -> str:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish_reason}
    return json.dumps({"model": "small-1", "choices": [choice], **more})


_USAGE = {"prompt_tokens": 21, "completion_tokens": 17}
_END = _chunk(finish_reason="stop")


async def _streamed(*pieces: bytes) -> Reply:
    async with raw.serving(raw.sending(*pieces)) as server:
        return await raw.ask(replace(raw.openai(server.url), stream=True))


class TestStreamed:
    """Deltas put together."""

    async def test_a_stream_becomes_one_reply(self) -> None:
        """Text, reasoning, tool calls in pieces, usage of the last report."""
        call = {"index": 0, "id": "1", "function": {"name": "find", "arguments": ""}}
        more = {"index": 0, "function": {"arguments": '{"id": 7}'}}
        reply = await _streamed(
            raw.events(
                _chunk({"role": "assistant", "content": None}),
                _chunk({"reasoning_content": "Hm."}),
                _chunk({"content": "At"}, usage={"prompt_tokens": 21}),
                _chunk({"content": " nine."}),
                _chunk({"tool_calls": [call]}),
                _chunk({"tool_calls": [more]}),
                _END,
                json.dumps({"choices": [], "usage": _USAGE}),
                "[DONE]",
            )
        )

        assert reply.failure is None
        assert (reply.answer, reply.reasoning) == ("At nine.", "Hm.")
        assert reply.tool_calls == (
            ToolCall(name="find", arguments={"id": 7}, call_id="1"),
        )
        assert reply.usage == TokenUsage(input_tokens=21, output_tokens=17)
        assert reply.model == "small-1"
        assert reply.first_token_seconds is not None

    async def test_text_split_in_the_middle_of_a_character_is_whole(self) -> None:
        """Pieces of the network are not pieces of the text."""
        chunk = json.loads(_chunk({"content": "5 € ä 😀"}))
        event = json.dumps(chunk, ensure_ascii=False)
        body = f"\ufeff: hi\r\n\r\ndata:{event}\r\n\r\ndata: {_END}\r\n\r\n".encode()
        pieces = [raw.chunk(body[i : i + 3]) for i in range(0, len(body), 3)]

        reply = await _streamed(
            raw.chunked_head("text/event-stream"), b"".join(pieces) + raw.chunk(b"")
        )

        assert reply.failure is None
        assert reply.answer == "5 € ä 😀"

    @pytest.mark.parametrize(
        ("data", "reason", "detail"),
        [
            pytest.param(
                raw.events(_chunk({"content": "At"}), "[DONE]"),
                ErrorReason.TRUNCATED,
                "the stream ended without its end",
                id="no finish_reason",
            ),
            pytest.param(
                raw.events(_chunk({"content": "At"}, "length")),
                ErrorReason.TRUNCATED,
                "the answer is cut: finish_reason length",
                id="length",
            ),
            pytest.param(
                raw.events(_chunk({"content": "At"}, "error")),
                ErrorReason.UPSTREAM_ERROR,
                "the model failed on the way: finish_reason error",
                id="finish_reason error",
            ),
            pytest.param(
                raw.events(_chunk({"content": "At"}), _END, end=False),
                ErrorReason.INCOMPLETE_BODY,
                "",
                id="connection lost",
            ),
            pytest.param(
                raw.events(_chunk({"content": "At"}), "{broken"),
                ErrorReason.NOT_JSON,
                "event 2: not JSON: Expecting property name enclosed in double quotes, "
                "character 1 of 7",
                id="broken event",
            ),
            pytest.param(
                raw.events("7"),
                ErrorReason.NOT_JSON,
                "event 1: a number, no object",
                id="no object",
            ),
            pytest.param(
                raw.events(_chunk({"content": "At"}), '{"error": {"message": "OOM"}}'),
                ErrorReason.UPSTREAM_ERROR,
                "event 2: OOM",
                id="error in the middle",
            ),
            pytest.param(
                raw.events('{"choices": []}', "[DONE]"),
                ErrorReason.NO_ANSWER,
                "no event of the stream has a choice",
                id="no choice",
            ),
            pytest.param(
                raw.events(_chunk({"content": " "}), _END),
                ErrorReason.EMPTY_ANSWER,
                "the stream's content is blank",
                id="blank",
            ),
        ],
    )
    async def test_one_that_fails_has_its_reason(
        self, data: bytes, reason: ErrorReason, detail: str
    ) -> None:
        """And never passes for an answer."""
        reply = await _streamed(data)

        assert reply.failure is not None
        assert reply.failure.reason is reason
        assert detail in {"", reply.failure.detail}

    async def test_a_filtered_stream_is_no_failure(self) -> None:
        """Like a filtered document."""
        reply = await _streamed(
            raw.events(_chunk({"content": "At"}), _chunk({}, "content_filter"))
        )

        assert reply.filtered
        assert reply.failure is None


class TestStreamOptions:
    """The one thing that is asked again."""

    async def test_a_server_that_refuses_them_is_asked_without_for_good(self) -> None:
        """Twice for the first sample, once for every other."""

        async def handler(asked: raw.Asked, writer: asyncio.StreamWriter) -> None:
            if b"stream_options" in asked.body:
                error = {"error": {"message": "unknown argument: stream_options"}}
                body = json.dumps(error).encode()
                writer.write(raw.http(body, status="400 Bad Request"))
            else:
                writer.write(raw.events(_chunk({"content": "At nine."}), _END))
            writer.close()

        async with raw.serving(handler) as server:
            settings = replace(raw.openai(server.url), stream=True)
            target = make_target(settings, version="1")
            answers = []
            for _ in range(2):
                async with target.dialogue(raw.TRACEPARENT) as dialogue:
                    reply = await dialogue.say(raw.QUESTION, within_seconds=5)
                answers.append(reply.answer)
                assert reply.usage.estimated
            await target.close()

        assert answers == ["At nine.", "At nine."]
        assert [b"stream_options" in asked.body for asked in server.asked] == [
            True,
            False,
            False,
        ]

    async def test_another_400_is_final(self) -> None:
        """Nothing is asked twice because of it."""
        data = raw.http(b'{"error": {"message": "no"}}', status="400 Bad Request")
        async with raw.serving(raw.sending(data)) as server:
            reply = await raw.ask(replace(raw.openai(server.url), stream=True))

        assert len(server.asked) == 1
        assert reply.failure == Failure(
            reason=ErrorReason.HTTP_STATUS, detail="HTTP 400: no"
        )

    async def test_a_question_about_them_is_no_reason(self) -> None:
        """Only the key itself counts, not the word."""
        data = raw.http(b'{"error": "stream_options"}', status="400 Bad Request")
        async with raw.serving(raw.sending(data)) as server:
            await raw.ask(raw.openai(server.url), question='"stream_options": {')

        assert len(server.asked) == 1
