"""What is sent to a chat agent: fields by name, or a whole body."""

import pytest

from answerprobe.monitor import RequestShape
from answerprobe.secret import Secret
from config.loading import load_text, problems, whole


def shape(written: str) -> RequestShape:
    """Return the shape of a request as it is *written*."""
    return load_text(whole(f"request: {written}")).monitors[0].target.request


class TestFields:
    """Fields by their names."""

    def test_session_and_history(self) -> None:
        """Names of further fields; null is none."""
        found = shape("{message: q, session: sid, history: past}")

        assert found == RequestShape(message="q", session="sid", history="past")
        assert shape("{session: null, history: ~}") == RequestShape()

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            pytest.param(
                "{session: message}",
                "4:24: monitors[0].request.session: is the field of the question too; "
                "write another name",
                id="session",
            ),
            pytest.param(
                "{message: q, session: id, history: id}",
                "4:49: monitors[0].request.history: is the field of the session too; "
                "write another name",
                id="history",
            ),
            pytest.param(
                "{session: id, extra: {id: 1}}",
                "4:36: monitors[0].request.extra.id: is the field of the session",
                id="extra",
            ),
            pytest.param(
                "{extra: {message: 1}}",
                "4:23: monitors[0].request.extra.message: is the field of the question",
                id="question",
            ),
            pytest.param(
                "{session: ''}",
                "4:24: monitors[0].request.session: is empty; wanted: a text",
                id="empty",
            ),
        ],
    )
    def test_of_one_name_are_refused(self, written: str, says: str) -> None:
        """One would overwrite the other."""
        assert problems(whole(f"request: {written}")) == [says]


class TestBody:
    """A whole body."""

    def test_is_any_json(self) -> None:
        """With numbers, truth values and lists as they are written."""
        found = shape(
            "{body: {input: [{text: '{{message}}'}], n: 2, s: '{{session}}', h: "
            "'{{history}}', on: true, no: null}}"
        )

        assert found == RequestShape(
            body={
                "input": [{"text": "{{message}}"}],
                "n": 2,
                "s": "{{session}}",
                "h": "{{history}}",
                "on": True,
                "no": None,
            }
        )

    def test_may_name_secrets(self) -> None:
        """As `extra` may."""
        found = shape("{body: {q: 'Hi {{message}}', key: secret.TOKEN}}")

        assert found.body == {"q": "Hi {{message}}", "key": Secret("secret.TOKEN")}

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            pytest.param(
                "{body: {q: x}}",
                "4:21: monitors[0].request.body: lacks the text '{{message}}', in "
                "whose place each message is sent",
                id="no message",
            ),
            pytest.param(
                "{body: {q: '{{message}}', h: ['so far: {{history}}']}}",
                "4:44: monitors[0].request.body.h[0]: '{{history}}' stands for a list, "
                "so it must be the whole text",
                id="history in a text",
            ),
            pytest.param(
                "{body: {q: '{{message}}', s: '{{ Session }}'}}",
                "4:43: monitors[0].request.body.s: has '{{ Session }}'; wanted: "
                "'{{session}}', without blanks and capitals",
                id="spelling",
            ),
            pytest.param(
                "{body: {q: '{{message}}', '{{session}}': 1}}",
                "4:40: monitors[0].request.body['{{session}}']: '{{session}}' stands "
                "for a value, not for a field",
                id="field",
            ),
            pytest.param(
                "{message: q, body: {q: '{{message}}'}}",
                "4:15: monitors[0].request.message: stands beside `body`, which is all "
                "that is sent; put it in there",
                id="message",
            ),
            pytest.param(
                "{body: {q: '{{message}}'}, extra: {a: 1}}",
                "4:41: monitors[0].request.extra: stands beside `body`, which is all "
                "that is sent; put it in there",
                id="extra",
            ),
            pytest.param(
                "{session: s, body: {q: '{{message}}'}}",
                "4:15: monitors[0].request.session: stands beside `body`, which is all "
                "that is sent; put it in there",
                id="session",
            ),
            pytest.param(
                "{history: h, body: {q: '{{message}}'}}",
                "4:15: monitors[0].request.history: stands beside `body`, which is all "
                "that is sent; put it in there",
                id="history",
            ),
        ],
    )
    def test_is_refused(self, written: str, says: str) -> None:
        """Where it stands."""
        assert problems(whole(f"request: {written}")) == [says]

    def test_null_is_none(self) -> None:
        """Then fields are named."""
        assert shape("{body: null, message: q}") == RequestShape(message="q")

    def test_belongs_to_chat(self) -> None:
        """An OpenAI-compatible API has a body of its own."""
        line = "protocol: openai\n    model: m\n    request: {session: id}"

        assert problems(whole(line)) == [
            "6:5: monitors[0].request: is a key of `protocol: chat`, and this is openai"
        ]


class TestToolCalls:
    """Where tool calls are in the reply."""

    def test_where_they_are(self) -> None:
        """An expression beside the others."""
        text = whole("response: {tool_calls: 'steps[].{name: tool}'}")

        found = load_text(text).monitors[0].target.response

        assert found.tool_calls == "steps[].{name: tool}"

    def test_must_be_an_expression(self) -> None:
        """Found at load."""
        (problem,) = problems(whole("response: {tool_calls: 'steps.['}"))

        assert problem.startswith(
            "4:28: monitors[0].response.tool_calls: is no JMESPath expression"
        )
