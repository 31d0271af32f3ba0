"""Statuses other than 2xx."""

import json

import pytest

from answerprobe.sample import ErrorReason, Failure, Reply, TokenUsage
from targets import raw


def _error(status: str, error: object, *headers: str) -> bytes:
    return raw.http(json.dumps(error).encode(), *headers, status=status)


async def _reply(data: bytes) -> Reply:
    async with raw.serving(raw.sending(data)) as server:
        reply = await raw.ask(raw.chat(server.url))
    assert len(server.asked) == 1
    return reply


class TestRefusals:
    """A bad status is never an answer."""

    @pytest.mark.parametrize(
        ("data", "detail"),
        [
            pytest.param(
                _error("503 Down", {"answer": "We open at nine."}), "HTTP 503", id="503"
            ),
            pytest.param(
                _error("400 Bad", {"error": {"message": "no\nmodel", "code": 7}}),
                "HTTP 400: no model",
                id="error object",
            ),
            pytest.param(
                _error("401 No", {"error": "who are you?"}),
                "HTTP 401: who are you?",
                id="error text",
            ),
            pytest.param(
                _error("422 No", {"detail": "message is missing"}),
                "HTTP 422: message is missing",
                id="detail",
            ),
            pytest.param(
                raw.http(
                    b"<HTML><TITLE>502 Bad Gateway</TITLE>",
                    status="502 Bad Gateway",
                    content_type="text/html",
                ),
                "HTTP 502: 502 Bad Gateway",
                id="page",
            ),
            pytest.param(raw.http(status="500 Oops"), "HTTP 500", id="no body"),
            pytest.param(
                raw.http(b"\xff\xfe\xff", status="500 Oops"), "HTTP 500", id="no text"
            ),
            pytest.param(
                raw.http(b"{", status="500 Oops", length=99), "HTTP 500", id="cut"
            ),
        ],
    )
    async def test_http_status_quotes_the_error(self, data: bytes, detail: str) -> None:
        """Status first, then what the server says of it."""
        reply = await _reply(data)

        assert reply.answer == ""
        assert reply.failure == Failure(reason=ErrorReason.HTTP_STATUS, detail=detail)

    async def test_a_long_error_is_cut(self) -> None:
        """The words stay one short line without control characters."""
        words = "\x1b[31mred\u202e " + "very " * 2_000

        reply = await _reply(_error("500 Oops", {"error": words}))

        assert reply.failure is not None
        assert reply.failure.detail.startswith("HTTP 500: [31mred very very")
        assert len(reply.failure.detail) <= 200

    async def test_429_is_rate_limited_and_says_when(self) -> None:
        """Retry-After is for the person on call; we don't try again."""
        data = _error(
            "429 Slow", {"error": {"message": "slow down"}}, "Retry-After: 30"
        )

        reply = await _reply(data)

        detail = "HTTP 429, Retry-After 30: slow down"
        assert reply.failure == Failure(reason=ErrorReason.RATE_LIMITED, detail=detail)

    @pytest.mark.parametrize(
        ("status", "usage"),
        [
            pytest.param("403 No", TokenUsage(), id="turned away"),
            pytest.param("302 Found", TokenUsage(), id="redirect"),
            pytest.param(
                "500 Oops", TokenUsage(input_tokens=5, estimated=True), id="failed"
            ),
        ],
    )
    async def test_tokens_count_where_the_question_may_have_been_read(
        self, status: str, usage: TokenUsage
    ) -> None:
        """A 4xx turned us away before any model; a 5xx may not have."""
        reply = await _reply(raw.http(status=status))

        assert reply.usage == usage

    async def test_a_content_filters_400_is_no_failure(self) -> None:
        """The provider stepped in: an answer that will fail, not an outage."""
        error = {"error": {"message": "policy", "code": "content_filter"}}

        reply = await _reply(_error("400 Bad Request", error))

        assert reply.failure is None
        assert reply.filtered
        assert reply.answer == ""


class TestRedirects:
    """Not followed: a login page is no answer."""

    @pytest.mark.parametrize(
        ("location", "where"),
        [
            pytest.param("/login?token=abc", "/login", id="path"),
            pytest.param(
                "https://sso.example/in?next=x", "https://sso.example/in", id="host"
            ),
            pytest.param("http://[", "no usable location", id="broken"),
            pytest.param("", "no usable location", id="none"),
        ],
    )
    async def test_the_detail_says_where_to(self, location: str, where: str) -> None:
        """Host and path, without the query: it may hold tokens."""
        reply = await _reply(raw.http(b"", f"Location: {location}", status="302 Found"))

        detail = f"HTTP 302 to {where}; redirects are not followed"
        assert reply.failure == Failure(reason=ErrorReason.REDIRECT, detail=detail)


class TestEmpty:
    """Good statuses with nothing behind them."""

    @pytest.mark.parametrize(
        ("data", "detail"),
        [
            pytest.param(b"HTTP/1.1 204 Gone Quiet\r\n\r\n", "HTTP 204", id="204"),
            pytest.param(raw.http(), "HTTP 200", id="200"),
            pytest.param(raw.http(b" \r\n"), "HTTP 200", id="white space"),
        ],
    )
    async def test_an_empty_body_is_empty_answer(
        self, data: bytes, detail: str
    ) -> None:
        """The detail names the status."""
        reply = await _reply(data)

        assert reply.failure == Failure(
            reason=ErrorReason.EMPTY_ANSWER, detail=f"{detail}, empty body"
        )
