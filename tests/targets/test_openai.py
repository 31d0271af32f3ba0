"""The openai dialect: whole exchanges."""

import json

from collections.abc import Mapping
from dataclasses import replace

import pytest

from answerprobe.monitor import TargetSettings
from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage, ToolCall
from answerprobe.secret import Secret
from targets import raw


_USAGE = {"prompt_tokens": 21, "completion_tokens": 17}


class TestRequest:
    """What an OpenAI-compatible API is asked."""

    async def _asked(self, settings: TargetSettings, path: str = "/v1") -> raw.Asked:
        async with raw.serving(raw.sending(raw.http(b"{}"))) as server:
            url = Secret(f"http://127.0.0.1:{server.port}{path}")
            connection = replace(settings.connection, url=url)
            await raw.ask(replace(settings, connection=connection))
        return server.asked[0]

    async def test_only_what_is_set_is_sent(self) -> None:
        """Model and question suffice."""
        asked = await self._asked(raw.openai("x"))

        assert asked.line == "POST /v1/chat/completions HTTP/1.1"
        assert asked.json == {
            "model": "small",
            "messages": [{"role": "user", "content": raw.QUESTION}],
        }

    async def test_everything_that_is_set_is_sent(self) -> None:
        """System prompt first; streams ask for their usage."""
        settings = replace(
            raw.openai("x"),
            system_prompt="Be brief.",
            temperature=0.0,
            max_tokens=9,
            stream=True,
        )

        asked = await self._asked(settings)

        assert asked.json == {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": raw.QUESTION},
            ],
            "temperature": 0.0,
            "max_tokens": 9,
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            pytest.param("/v1/", "/v1/chat/completions", id="slash"),
            pytest.param("", "/chat/completions", id="no path"),
            pytest.param("/d/x?v=1", "/d/x/chat/completions?v=1", id="query"),
            pytest.param("/a%2Fb", "/a%2Fb/chat/completions", id="encoded"),
            pytest.param(
                "/v1/chat/completions", "/v1/chat/completions", id="whole already"
            ),
        ],
    )
    async def test_the_path_is_put_behind_the_base(
        self, path: str, expected: str
    ) -> None:
        """Before the query, once."""
        asked = await self._asked(raw.openai("x"), path)

        assert asked.line == f"POST {expected} HTTP/1.1"


class TestPlain:
    """One document."""

    async def _reply(self, message: object, finish_reason: str = "stop") -> Reply:
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        document = {"model": "small-1", "choices": [choice], "usage": _USAGE}
        data = raw.http(json.dumps(document).encode())
        async with raw.serving(raw.sending(data)) as server:
            return await raw.ask(raw.openai(server.url))

    async def test_a_good_reply_has_all_its_parts(self) -> None:
        """Answer without reasoning, usage as reported, the model that answered."""
        reply = await self._reply({"content": "maybe ten</think>\n\nAt nine."})

        assert reply.failure is None
        assert (reply.answer, reply.reasoning) == ("At nine.", "maybe ten")
        assert reply.usage == TokenUsage(input_tokens=21, output_tokens=17)
        assert reply.model == "small-1"

    async def test_a_cut_answer_is_truncated_and_kept(self) -> None:
        """What it cost is known."""
        reply = await self._reply({"content": "At ni"}, "length")

        detail = "the answer is cut: finish_reason length"
        assert reply.failure == Failure(reason=ErrorReason.TRUNCATED, detail=detail)
        assert reply.answer == "At ni"
        assert reply.usage.total == 38

    @pytest.mark.parametrize(
        "message",
        [
            pytest.param({"content": "At ni"}, id="with text"),
            pytest.param({"content": None}, id="without"),
            pytest.param({}, id="without its field"),
        ],
    )
    async def test_a_model_that_failed_is_an_upstream_error(
        self, message: Mapping[str, object]
    ) -> None:
        """As some APIs say it: what it wrote until then is no whole answer."""
        reply = await self._reply(message, "error")

        detail = "the model failed on the way: finish_reason error"
        failure = Failure(reason=ErrorReason.UPSTREAM_ERROR, detail=detail)
        assert reply.failure == failure

    async def test_a_filtered_answer_is_no_failure(self) -> None:
        """It came, and will fail."""
        reply = await self._reply({"content": ""}, "content_filter")

        assert reply.filtered
        assert reply.failure is None

    async def test_a_refusal_is_the_answer(self) -> None:
        """Where there is no other."""
        reply = await self._reply({"content": None, "refusal": "I can't."})

        assert (reply.answer, reply.refusal) == ("I can't.", "I can't.")
        assert reply.failure is None

    async def test_a_tool_call_without_text_is_an_answer(self) -> None:
        """Nothing is missing."""
        call = {"function": {"name": "find", "arguments": "{}"}}

        reply = await self._reply({"content": None, "tool_calls": [call]}, "tool_calls")

        assert reply.failure is None
        assert reply.tool_calls == (ToolCall(name="find", arguments={}),)

    async def test_null_content_is_empty_answer(self) -> None:
        """With nothing else in the message."""
        reply = await self._reply({"content": None})

        assert reply.failure == Failure(
            reason=ErrorReason.EMPTY_ANSWER, detail="content is null"
        )
        assert reply.answer == ""
