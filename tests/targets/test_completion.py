"""What a chat completion says."""

import pytest

from answerprobe.sample import ErrorReason, Failure, ToolCall
from answerprobe.targets._completion import read
from answerprobe.targets._content import Claim


def _completion(
    message: object, finish_reason: str | None = "stop", **more: object
) -> dict[str, object]:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"model": "small-1", "choices": [choice], **more}


class TestText:
    """Where the answer is."""

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            pytest.param("At nine.", "At nine.", id="text"),
            pytest.param(
                [
                    {"type": "thinking", "thinking": "Hm, ten?"},
                    {"type": "text", "text": "At"},
                    {"type": "text", "text": " nine."},
                    {"type": "image_url", "image_url": {"url": "data:,"}},
                ],
                "At nine.",
                id="text parts in order",
            ),
            pytest.param(["At ", "nine."], "At nine.", id="texts"),
            pytest.param([{"type": "text", "text": None}, 7], "", id="odd parts"),
        ],
    )
    def test_text_parts_are_joined(self, content: object, text: str) -> None:
        """Thinking and pictures are left out."""
        assert read(_completion({"content": content})).text == text

    def test_choice_0_is_the_answer(self) -> None:
        """Wherever it stands."""
        document = {
            "choices": [
                {"index": 1, "message": {"content": "second"}},
                {"index": 0, "message": {"content": "first"}},
            ]
        }

        assert read(document).text == "first"

    @pytest.mark.parametrize(
        "field",
        [
            pytest.param("reasoning_content", id="vLLM"),
            pytest.param("reasoning", id="2"),
        ],
    )
    def test_reasoning_in_a_field_is_kept_apart(self, field: str) -> None:
        """It is no part of the answer."""
        content = read(_completion({"content": "At nine.", field: "Hm."}))

        assert (content.text, content.reasoning) == ("At nine.", "Hm.")

    def test_model_usage_and_document_are_kept(self) -> None:
        """As the API reports them."""
        usage = {"prompt_tokens": 21, "completion_tokens": 17}
        document = _completion({"content": "a"}, usage=usage)

        content = read(document)

        assert content.model == "small-1"
        assert content.claim == Claim(21, 17)
        assert content.document == document

    def test_citations_of_both_kinds_are_found(self) -> None:
        """Annotations of the message, and arrays beside it."""
        annotations = [
            {"type": "url_citation", "url_citation": {"url": "https://a.example"}},
            {"type": "file_citation", "file_citation": {"filename": "hours.pdf"}},
            {"type": "url_citation", "url": "https://b.example"},
            {"type": "file_path", "url": "https://no.example"},
        ]
        message = {"content": "a", "annotations": annotations}

        content = read(_completion(message, citations=["https://c.example"]))

        assert content.citations == (
            "https://a.example",
            "hours.pdf",
            "https://b.example",
            "https://c.example",
        )


class TestEnds:
    """What finish_reason makes of it."""

    @pytest.mark.parametrize(
        "reason",
        [pytest.param("length", id="length"), pytest.param("MAX_TOKENS", id="another")],
    )
    def test_a_cut_answer_says_so(self, reason: str) -> None:
        """It keeps its text: evidence."""
        content = read(_completion({"content": "At ni"}, reason))

        assert content.cut == f"the answer is cut: finish_reason {reason.lower()}"
        assert content.text == "At ni"

    def test_a_content_filter_is_no_failure(self) -> None:
        """Although nothing came."""
        content = read(_completion({"content": None}, "content_filter"))

        assert content.filtered
        assert content.failure is None

    def test_a_refusal_is_kept(self) -> None:
        """In a field of its own."""
        content = read(_completion({"content": None, "refusal": "I can't."}))

        assert content.refusal == "I can't."
        assert content.failure is None


class TestToolCalls:
    """Tools, however their arguments come."""

    @pytest.mark.parametrize(
        ("arguments", "value"),
        [
            pytest.param('{"id": 7}', {"id": 7}, id="JSON text"),
            pytest.param('"{\\"id\\": 7}"', {"id": 7}, id="encoded twice"),
            pytest.param({"id": 7}, {"id": 7}, id="object"),
            pytest.param("", {}, id="empty"),
            pytest.param('{"id": ', '{"id": ', id="broken"),
            pytest.param(None, {}, id="none"),
            pytest.param("null", {}, id="null"),
            pytest.param("[1]", [1], id="list"),
        ],
    )
    def test_arguments_are_read_leniently(
        self, arguments: object, value: object
    ) -> None:
        """A call stays a call, whatever was sent with it."""
        call = {"id": "1", "function": {"name": "find", "arguments": arguments}}

        content = read(_completion({"content": None, "tool_calls": [call]}))

        assert content.failure is None
        assert content.tool_calls == (
            ToolCall(name="find", arguments=value, call_id="1"),
        )

    def test_the_old_way_counts_too(self) -> None:
        """`function_call`, and calls without a name are none."""
        message = {
            "function_call": {"name": "find", "arguments": "{}"},
            "tool_calls": [{"function": {"arguments": "{}"}}, 7],
        }

        assert read(_completion(message)).tool_calls == (
            ToolCall(name="find", arguments={}),
        )


class TestNoAnswer:
    """Documents without one."""

    @pytest.mark.parametrize(
        ("document", "reason", "detail"),
        [
            pytest.param(
                [], ErrorReason.NO_ANSWER, "the reply is an array, no object", id="root"
            ),
            pytest.param(
                {"id": "x"},
                ErrorReason.NO_ANSWER,
                "the reply has no choices; its fields: id",
                id="no choices",
            ),
            pytest.param(
                {"choices": []}, ErrorReason.NO_ANSWER, "choices is empty", id="empty"
            ),
            pytest.param(
                {"choices": None},
                ErrorReason.NO_ANSWER,
                "choices is null without an answer",
                id="null",
            ),
            pytest.param(
                {"choices": [{"text": "a"}]},
                ErrorReason.NO_ANSWER,
                "choices[0] has no message",
                id="no message",
            ),
            pytest.param(
                _completion({"role": "assistant"}),
                ErrorReason.NO_ANSWER,
                "the message has no content; its fields: role",
                id="no content",
            ),
            pytest.param(
                _completion({"content": {"text": "a"}}),
                ErrorReason.NO_ANSWER,
                "content is an object, no text",
                id="object",
            ),
            pytest.param(
                {"error": {"message": "no capacity"}},
                ErrorReason.UPSTREAM_ERROR,
                "no capacity",
                id="error",
            ),
            pytest.param(
                {"error": "half", **_completion({"content": "a"})},
                ErrorReason.UPSTREAM_ERROR,
                "half",
                id="error before the choices",
            ),
        ],
    )
    def test_the_detail_says_what_was_there(
        self, document: object, reason: ErrorReason, detail: str
    ) -> None:
        """With the reason of the closed set."""
        assert read(document).failure == Failure(reason=reason, detail=detail)
