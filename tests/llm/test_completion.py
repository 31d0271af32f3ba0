"""Replies of servers, as they come."""

import contextlib
import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import LlmError, LlmFault
from answerprobe.llm._completion import read_completion
from answerprobe.sample import TokenUsage
from judge.api import completion


def read(document: object) -> object:
    """Read *document* sent as JSON."""
    return read_completion(json.dumps(document).encode(), prompt_tokens=7)


class TestReadCompletion:
    def test_parts_are_joined(self) -> None:
        """A message in parts is the text of those that have one."""
        parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}, "c"]

        body = json.dumps(completion(parts)).encode()

        assert read_completion(body, prompt_tokens=7).text == "ab"

    def test_null_is_no_text(self) -> None:
        """A refusal comes with null content."""
        body = json.dumps(completion(None, refusal="No.")).encode()

        reply = read_completion(body, prompt_tokens=7)

        assert (reply.text, reply.refusal) == ("", "No.")

    def test_tool_calls_are_kept_as_they_are(self) -> None:
        """Whoever plays tools reads them."""
        body = json.dumps(completion(None, tool_calls=[{"id": "1"}])).encode()

        assert read_completion(body, prompt_tokens=7).tool_calls == ({"id": "1"},)

    @pytest.mark.parametrize(
        "usage",
        [
            pytest.param(None, id="none"),
            pytest.param({}, id="empty"),
            pytest.param({"prompt_tokens": "9", "completion_tokens": 1}, id="text"),
            pytest.param({"prompt_tokens": True, "completion_tokens": 1}, id="boolean"),
            pytest.param({"prompt_tokens": -1, "completion_tokens": 1}, id="negative"),
            pytest.param({"prompt_tokens": 10**9, "completion_tokens": 1}, id="absurd"),
        ],
    )
    def test_incredible_usage_is_estimated(self, usage: object) -> None:
        """About four characters a token, and marked."""
        body = json.dumps(completion("12345678") | {"usage": usage}).encode()

        spent = read_completion(body, prompt_tokens=7).usage

        assert spent == TokenUsage(input_tokens=7, output_tokens=2, estimated=True)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            pytest.param(b"", "the server's reply is no JSON object", id="empty"),
            pytest.param(b"null", "the server's reply is no JSON object", id="null"),
            pytest.param(b"[]", "the server's reply is no JSON object", id="list"),
            pytest.param(b"<p>", "the server's reply is no JSON object", id="html"),
            pytest.param(b"\xff{", "the server's reply is no JSON object", id="bytes"),
            pytest.param(
                b"[" * 100_000, "the server's reply is no JSON object", id="deep"
            ),
            pytest.param(
                b'{"error": {"message": "overloaded"}}',
                "the server replied with HTTP 200 and an error",
                id="error",
            ),
            pytest.param(
                b'{"choices": null}', "the server's reply holds no message", id="none"
            ),
            pytest.param(
                b'{"choices": []}', "the server's reply holds no message", id="no one"
            ),
            pytest.param(
                b'{"choices": [{"message": "hi"}]}',
                "the server's reply holds no message",
                id="text",
            ),
        ],
    )
    def test_anything_else_is_invalid(self, body: bytes, message: str) -> None:
        """It may pass, and what it cost is estimated."""
        with pytest.raises(LlmError) as caught:
            read_completion(body, prompt_tokens=7)

        assert str(caught.value) == message
        assert (caught.value.fault, caught.value.permanent) == (LlmFault.INVALID, False)
        assert (caught.value.input_tokens, caught.value.estimated) == (7, True)

    def test_a_model_name_is_fit_for_a_label(self) -> None:
        """One line of a hundred characters at most."""
        body = json.dumps(completion("x") | {"model": "a\nb\ud800" + "c" * 300})

        model = read_completion(body.encode(), prompt_tokens=7).model

        assert model is not None
        assert model.startswith("a b\ufffdccc")
        assert len(model) == 100

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(
                    st.sampled_from(
                        ["choices", "message", "content", "usage", "model"]
                    ),
                    inner,
                )
            ),
        )
    )
    def test_no_document_makes_it_crash(self, document: object) -> None:
        """There is a completion or an LlmError, never anything else."""
        with contextlib.suppress(LlmError):
            read(document)
