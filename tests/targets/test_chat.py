"""The chat dialect: what is asked, and where the answer is."""

import json

from dataclasses import replace

import pytest

from answerprobe.monitor import RequestShape, ResponseShape, TargetSettings
from answerprobe.sample import ErrorReason, Failure, TokenUsage
from answerprobe.secret import Secret, SecretSource
from answerprobe.targets._chat_reply import Paths, read
from answerprobe.targets._content import Claim, Content
from answerprobe.targets.chat import Chat
from targets import raw


def _read(
    document: object, answer: str | None = None, usage: str | None = None
) -> Content:
    paths = Paths.of(ResponseShape(answer=answer, usage=usage))
    return read(document, raw.QUESTION, paths)


def _failure(document: object, answer: str | None = None) -> Failure | None:
    return _read(document, answer).failure


class TestBody:
    """What a chat endpoint is sent."""

    def _body(self, shape: RequestShape) -> object:
        settings = replace(raw.chat("http://a.example/"), request=shape)
        script = Chat(settings).transcript(lambda: "s-1")
        script.ask("Hi?")
        body: object = json.loads(script.body())
        return body

    def test_the_message_is_sent(self) -> None:
        """In the field `message`, nothing else."""
        assert self._body(RequestShape()) == {"message": "Hi?"}

    def test_fields_are_named_and_added_as_the_monitor_says(self) -> None:
        """Secrets in them are revealed, and none of them hides the message."""
        key = Secret("secret.KEY", SecretSource(environment={"KEY": "k-1"}))
        extra = {"key": key, "deep": [{"k": key}], "q": "not this", "n": 1}

        body = self._body(RequestShape(message="q", extra=extra))

        assert body == {"q": "Hi?", "key": "k-1", "deep": [{"k": "k-1"}], "n": 1}


class TestAnswer:
    """The first field that says something is the answer."""

    @pytest.mark.parametrize(
        ("document", "answer"),
        [
            pytest.param({"answer": "a"}, "a", id="answer"),
            pytest.param({"text": "t", "reply": "r"}, "r", id="our order, not theirs"),
            pytest.param({"answer": " ", "output": "o"}, "o", id="blank is skipped"),
            pytest.param({"answer": 1, "content": "c"}, "c", id="no text is skipped"),
            pytest.param(
                {"message": f" {raw.QUESTION}\n", "reply": "r"}, "r", id="echo"
            ),
            pytest.param({"answer": "a", "error": None}, "a", id="no error"),
            pytest.param({"answer": "a", "error": "late"}, "a", id="error behind it"),
        ],
    )
    def test_it_is_found(self, document: object, answer: str) -> None:
        """Whatever else is there."""
        content = _read(document)

        assert content.failure is None
        assert content.text == answer
        assert content.document == document

    @pytest.mark.parametrize(
        ("document", "reason", "detail"),
        [
            pytest.param(
                {"id": 1, "done": True},
                ErrorReason.NO_ANSWER,
                "none of answer, message, reply, response, output, text, content "
                "in the reply; its fields: id, done",
                id="no field",
            ),
            pytest.param(
                {"answer": {"text": "a"}},
                ErrorReason.NO_ANSWER,
                "field answer is an object, no text",
                id="object",
            ),
            pytest.param(
                {"message": raw.QUESTION},
                ErrorReason.NO_ANSWER,
                "field message only echoes the question",
                id="echo",
            ),
            pytest.param(
                ["a"],
                ErrorReason.NO_ANSWER,
                "the reply is an array, no object",
                id="array",
            ),
            pytest.param(
                "a", ErrorReason.NO_ANSWER, "the reply is text, no object", id="text"
            ),
            pytest.param(
                {"answer": "\u00a0\u200b…!"},
                ErrorReason.EMPTY_ANSWER,
                "field answer is blank",
                id="blank",
            ),
            pytest.param(
                {"answer": None},
                ErrorReason.EMPTY_ANSWER,
                "field answer is null",
                id="null",
            ),
            pytest.param(
                {"error": {"message": "model is\noverloaded"}},
                ErrorReason.UPSTREAM_ERROR,
                "model is overloaded",
                id="error",
            ),
            pytest.param(
                {"error": True, "message": "Internal error"},
                ErrorReason.UPSTREAM_ERROR,
                "the reply is an error without a message",
                id="error before the answer",
            ),
        ],
    )
    def test_without_one_the_detail_says_what_was_there(
        self, document: object, reason: ErrorReason, detail: str
    ) -> None:
        """With the reason of the closed set."""
        assert _failure(document) == Failure(reason=reason, detail=detail)


class TestMapped:
    """A monitor that says where the answer is."""

    def test_the_answer_is_where_the_path_leads(self) -> None:
        """And nowhere else, also where it looks like an echo."""
        document = {"answer": "no", "data": [{"say": raw.QUESTION}]}

        assert _read(document, "data[0].say").text == raw.QUESTION

    @pytest.mark.parametrize(
        ("document", "path", "reason", "detail"),
        [
            pytest.param(
                {"answer": "a"},
                "data.say",
                ErrorReason.NO_ANSWER,
                "response.answer finds nothing",
                id="nothing, no fallback",
            ),
            pytest.param(
                {"answer": "a"},
                "length(data)",
                ErrorReason.NO_ANSWER,
                "response.answer finds nothing",
                id="does not apply",
            ),
            pytest.param(
                {"say": ["a"]},
                "say",
                ErrorReason.NO_ANSWER,
                "response.answer finds an array, no text",
                id="array",
            ),
            pytest.param(
                {"error": "down"},
                "say",
                ErrorReason.UPSTREAM_ERROR,
                "down",
                id="error",
            ),
        ],
    )
    def test_what_is_not_there_is_no_answer(
        self, document: object, path: str, reason: ErrorReason, detail: str
    ) -> None:
        """The detail says what the path finds."""
        assert _failure(document, path) == Failure(reason=reason, detail=detail)

    async def test_a_blank_is_empty_answer(self) -> None:
        """The path leads to a text that says nothing."""
        settings = replace(
            raw.chat("http://a.example"), response=ResponseShape(answer="say")
        )
        data = raw.http(b'{"say": " "}')

        reply = await _ask(settings, data)

        assert reply == Failure(
            reason=ErrorReason.EMPTY_ANSWER,
            detail="what response.answer finds is blank",
        )

    def test_usage_is_where_the_path_leads(self) -> None:
        """Also where the answer is missing: it was paid for."""
        document = {"meta": {"prompt_tokens": 7, "completion_tokens": 3}}

        assert _read(document, usage="meta").claim == Claim(7, 3)


async def _ask(settings: TargetSettings, data: bytes) -> Failure | None:
    async with raw.serving(raw.sending(data)) as server:
        url = replace(settings.connection, url=Secret(server.url))
        reply = await raw.ask(replace(settings, connection=url))
    return reply.failure


class TestReply:
    """A whole exchange."""

    async def test_a_good_reply_has_all_its_parts(self) -> None:
        """Answer, reasoning, citations, document, estimated usage, time."""
        document = {
            "answer": "<think>They ask for hours.</think> At nine.",
            "sources": ["https://a.example/hours", {"title": "Hours"}],
        }
        async with raw.serving(
            raw.sending(raw.http(json.dumps(document).encode()))
        ) as server:
            reply = await raw.ask(raw.chat(server.url))

        assert reply.failure is None
        assert reply.answer == "At nine."
        assert reply.reasoning == "They ask for hours."
        assert reply.citations == ("https://a.example/hours", "Hours")
        assert reply.document == document
        assert reply.usage == TokenUsage(
            input_tokens=5, output_tokens=11, estimated=True
        )
        assert reply.first_token_seconds is None
        assert 0 < reply.duration_seconds < 5

    async def test_only_reasoning_is_empty_answer(self) -> None:
        """Nothing is left to grade."""
        failure = await raw.failure_of(raw.answer("<think>Hm.</think>\n"))

        assert failure == Failure(
            reason=ErrorReason.EMPTY_ANSWER,
            detail="nothing is left without the reasoning",
        )
