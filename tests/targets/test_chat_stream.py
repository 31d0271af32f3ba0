"""The chat dialect, streamed."""

import json

from dataclasses import replace

import pytest

from answerprobe.monitor import ResponseShape
from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage
from targets import raw


async def _reply(
    *pieces: bytes, answer: str | None = None, usage: str | None = None
) -> Reply:
    async with raw.serving(raw.sending(*pieces)) as server:
        settings = replace(
            raw.chat(server.url),
            stream=True,
            response=ResponseShape(answer=answer, usage=usage),
        )
        reply = await raw.ask(settings)
    assert len(server.asked) == 1
    assert server.asked[0].headers["accept"].startswith("text/event-stream")
    return reply


def _failure(reason: ErrorReason, detail: str) -> Failure:
    return Failure(reason=reason, detail=detail)


class TestPieces:
    """The answer is what the events say together."""

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param(
                raw.events('{"answer": "At"}', '{"answer": " "}', '{"text": "9."}'),
                id="objects, until a clean close",
            ),
            pytest.param(
                raw.events('{"answer": "At 9."}', "[DONE]", "{broken"), id="[DONE]"
            ),
            pytest.param(raw.events("At", " 9."), id="plain text"),
            pytest.param(
                raw.events('{"type": "start"}', '{"answer": "At 9."}', '{"done": 1}'),
                id="events without a piece",
            ),
            pytest.param(
                raw.events(json.dumps({"message": raw.QUESTION, "reply": "At 9."})),
                id="echo",
            ),
            pytest.param(raw.events("At 9.").replace(b"\n\n", b"\r\r"), id="line ends"),
            pytest.param(
                raw.events("At 9.").replace(b"text/event-stream", b"text/plain"),
                id="declared as something else",
            ),
            pytest.param(raw.http(b'{"answer": "At 9."}'), id="a plain document"),
            pytest.param(
                raw.http(b'\n {"answer": "At 9."}', content_type="text/event-stream"),
                id="a document declared as a stream",
            ),
        ],
    )
    async def test_they_are_joined(self, data: bytes) -> None:
        """In order; a document where a stream was asked for is as good."""
        reply = await _reply(data)

        assert reply.failure is None
        assert reply.answer == "At 9."

    async def test_the_first_token_is_timed_at_the_first_piece(self) -> None:
        """Not at the headers, and not at events without text."""
        reply = await _reply(
            raw.chunked_head("text/event-stream"),
            raw.chunk(b'data: {"type": "start"}\n\n'),
            raw.chunk(b"data: At\n\n"),
            raw.chunk(b"data:  9.\n\n") + raw.chunk(b""),
        )

        assert reply.answer == "At 9."
        assert reply.first_token_seconds is not None
        assert 0.01 <= reply.first_token_seconds < reply.duration_seconds

    async def test_a_stream_that_comes_at_once_has_a_first_token_too(self) -> None:
        """With its end, as from a fast agent or a proxy that keeps it back."""
        reply = await _reply(raw.events("At", " 9.", "[DONE]"))

        assert reply.first_token_seconds is not None
        assert 0 < reply.first_token_seconds <= reply.duration_seconds

    async def test_paths_lead_to_piece_and_usage(self) -> None:
        """Of the usage, the last report counts."""
        reply = await _reply(
            raw.events(
                '{"d": {"t": "At"}, "u": {"prompt_tokens": 9}}',
                '{"d": {"t": " 9."}, "u": {"prompt_tokens": 9, "completion_tokens":4}}',
                '{"d": {"t": null}, "answer": "ignored"}',
            ),
            answer="d.t",
            usage="u",
        )

        assert reply.answer == "At 9."
        assert reply.usage == TokenUsage(input_tokens=9, output_tokens=4)

    async def test_citations_are_gathered(self) -> None:
        """From every event, each once."""
        reply = await _reply(
            raw.events(
                '{"answer": "At 9.", "sources": ["https://a.example"]}',
                '{"sources": ["https://a.example", "https://b.example"]}',
            )
        )

        assert reply.citations == ("https://a.example", "https://b.example")


class TestFailures:
    """Streams that come to nothing."""

    @pytest.mark.parametrize(
        ("data", "failure"),
        [
            pytest.param(
                raw.events('{"answer": "At"}', '{"answer": "9'),
                _failure(
                    ErrorReason.NOT_JSON,
                    "event 2: not JSON: Unterminated string starting at, "
                    "character 11 of 13",
                ),
                id="broken event",
            ),
            pytest.param(
                raw.events('{"answer": "At"}', '{"error": "overloaded"}'),
                _failure(ErrorReason.UPSTREAM_ERROR, "event 2: overloaded"),
                id="error",
            ),
            pytest.param(
                raw.events('{"type": "start"}', "[DONE]"),
                _failure(
                    ErrorReason.NO_ANSWER,
                    "no event of the stream has a piece of an answer",
                ),
                id="no piece",
            ),
            pytest.param(
                raw.events("..."),
                _failure(ErrorReason.EMPTY_ANSWER, "the answer is blank"),
                id="punctuation",
            ),
            pytest.param(
                raw.chunked_head("text/event-stream")
                + raw.chunk(b": ping\n\n")
                + raw.chunk(b""),
                _failure(ErrorReason.EMPTY_ANSWER, "HTTP 200, no events"),
                id="only comments",
            ),
            pytest.param(
                raw.http(content_type="text/event-stream"),
                _failure(ErrorReason.EMPTY_ANSWER, "HTTP 200, empty body"),
                id="nothing",
            ),
            pytest.param(
                raw.http(b"<html>", content_type="text/html"),
                _failure(
                    ErrorReason.NOT_JSON,
                    "text/html: not JSON: Expecting value, character 0 of 6",
                ),
                id="page",
            ),
        ],
    )
    async def test_each_has_its_reason(self, data: bytes, failure: Failure) -> None:
        """With the number of the event where there is one."""
        reply = await _reply(data)

        assert reply.failure == failure

    async def test_an_error_event_is_upstream_error(self) -> None:
        """Its type says so, whatever its data look like."""
        body = b'data: At\n\nevent: error\ndata: {"message": "overloaded"}\n\n'

        reply = await _reply(raw.http(body, content_type="text/event-stream"))

        detail = "event 2: overloaded"
        assert reply.failure == _failure(ErrorReason.UPSTREAM_ERROR, detail)
        assert reply.answer == "At"

    async def test_a_lost_connection_is_incomplete_and_keeps_what_came(self) -> None:
        """A half answer is evidence, and never passes."""
        reply = await _reply(
            raw.chunked_head("text/event-stream"), raw.chunk(b"data: At n\n\n")
        )

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.INCOMPLETE_BODY
        assert reply.answer == "At n"

    async def test_a_stream_without_end_is_cut_off(self) -> None:
        """One MiB of answer is enough."""
        piece = raw.chunk(b"data: " + b"x" * 60_000 + b"\n\n")

        reply = await _reply(raw.chunked_head("text/event-stream"), piece * 20)

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.BODY_TOO_LARGE
