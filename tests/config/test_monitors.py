"""Monitors: names, labels and targets."""

import pytest

from answerprobe.monitor import (
    Price,
    RequestShape,
    ResponseShape,
    TargetProtocol,
    TargetSettings,
)
from answerprobe.secret import Secret
from config.loading import load_text, problems, whole


def target(*lines: str) -> TargetSettings:
    """Return the target of a monitor with *lines*."""
    return load_text(whole("\n    ".join(lines))).monitors[0].target


class TestName:
    """What a monitor is called."""

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            pytest.param('"a\\nb"', "is 'a\\nb'; wanted: printable", id="line break"),
            pytest.param('" a"', "is ' a'; wanted: no blanks around it", id="blank"),
            pytest.param(
                "x" * 101, "wanted: a name of up to 100 characters", id="long"
            ),
            pytest.param('""', "is empty; wanted: a name", id="empty"),
            pytest.param("null", "is null; wanted: a name", id="null"),
        ],
    )
    def test_is_printable_text(self, name: str, says: str) -> None:
        """Of up to 100 characters."""
        (problem,) = problems(whole().replace("name: shop", f"name: {name}"))

        assert problem.startswith("2:11: monitors[0].name: ")
        assert says in problem

    def test_is_unique(self) -> None:
        """Two monitors of one name would share their history."""
        text = whole() + whole().removeprefix("monitors:\n")

        (problem,) = problems(text)

        assert problem.endswith(
            "monitors[1].name: is 'shop', the name of monitors[0] too"
        )

    def test_any_language(self) -> None:
        """A name is what people call it."""
        config = load_text(whole().replace("name: shop", "name: Läden & 店 <1>"))

        assert config.monitors[0].name == "Läden & 店 <1>"


class TestLabels:
    """Labels on every series of a monitor."""

    def test_values_are_texts(self) -> None:
        """However they look."""
        monitor = load_text(whole("labels: {team: support, tier: 1, on: no}")).monitors[
            0
        ]

        assert monitor.labels == {"team": "support", "tier": "1", "on": "no"}

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            *(
                pytest.param(name, "of answerprobe's own metrics", id=name)
                for name in ("monitor", "case", "last_good_answer", "sha256", "kind")
            ),
            *(
                pytest.param(name, "Prometheus or Kubernetes sets", id=name)
                for name in ("le", "job", "instance", "pod", "severity", "alertname")
            ),
            *(
                pytest.param(name, "is no label name", id=name)
                for name in ("__team", "a-b", "9a", "tëam", "a b", '""')
            ),
        ],
    )
    def test_refused_names(self, name: str, says: str) -> None:
        """Those that are taken, or that Prometheus doesn't take."""
        (problem,) = problems(whole(f"labels: {{{name}: x}}"))

        assert problem.startswith("4:14: monitors[0].labels")
        assert says in problem

    def test_an_empty_value_is_none(self) -> None:
        """So Prometheus reads it; it is refused."""
        (problem,) = problems(whole('labels: {team: ""}'))

        assert "is empty" in problem


class TestTarget:
    """An agent and how to ask it."""

    def test_chat(self) -> None:
        """With the shape of its JSON."""
        found = target(
            "request: {message: question, extra: {key: secret.TOKEN, deep: [a]}}",
            "response: {answer: data.text, usage: meta.usage}",
            "stream: yes",
        )

        assert found.protocol is TargetProtocol.CHAT
        assert found.stream
        assert found.response == ResponseShape(answer="data.text", usage="meta.usage")
        assert found.request == RequestShape(
            message="question", extra={"key": Secret("secret.TOKEN"), "deep": ["a"]}
        )

    def test_openai(self) -> None:
        """With its keys."""
        found = target(
            "protocol: openai",
            "model: shop-1",
            "system_prompt: Be kind.",
            "temperature: 0",
            "max_tokens: 300",
        )

        assert found.protocol is TargetProtocol.OPENAI
        assert (found.model, found.system_prompt) == ("shop-1", "Be kind.")
        assert (found.temperature, found.max_tokens) == (0.0, 300)

    @pytest.mark.parametrize(
        ("lines", "says"),
        [
            pytest.param(
                ["protocol: openai"],
                "4:15: monitors[0].protocol: is openai, which needs `model` too",
                id="no model",
            ),
            pytest.param(
                ["model: x"],
                "4:5: monitors[0].model: is a key of `protocol: openai`, and this is "
                "chat",
                id="openai's key on chat",
            ),
            pytest.param(
                ["protocol: openai", "model: x", "request: {}"],
                "6:5: monitors[0].request: is a key of `protocol: chat`, and this is "
                "openai",
                id="chat's key on openai",
            ),
            pytest.param(
                ["request: {extra: {message: x}}"],
                "4:23: monitors[0].request.extra.message: is the field of the question",
                id="message twice",
            ),
            pytest.param(
                ["response: {answer: 'a.[b'}"],
                "4:24: monitors[0].response.answer: is no JMESPath expression: ",
                id="expression",
            ),
            pytest.param(
                ["response: {answer: 'lenght(a)'}"],
                "4:24: monitors[0].response.answer: is no JMESPath expression: Unknown "
                "function: lenght()",
                id="function",
            ),
            pytest.param(
                [f"response: {{answer: '{'(' * 900}'}}"],
                "4:24: monitors[0].response.answer: is no JMESPath expression: ",
                id="deep expression",
            ),
            pytest.param(
                ["temperature: 3"],
                "4:18: monitors[0].temperature: is 3; wanted: a number from 0 to 2",
                id="temperature",
            ),
        ],
    )
    def test_is_refused(self, lines: list[str], says: str) -> None:
        """Where keys don't fit together."""
        found = problems(whole("\n    ".join(lines)))

        assert any(problem.startswith(says) for problem in found)

    def test_base_url_of_openai(self) -> None:
        """The path of the call is not part of it."""
        text = whole("protocol: openai\n    model: m").replace(
            "/chat\n", "/v1/chat/completions\n"
        )

        (problem,) = problems(text)

        assert problem.startswith("3:15: monitors[0].endpoint: wanted: the base URL")

    def test_expressions_that_suit_another_reply(self) -> None:
        """What fails on an empty reply may be right on a real one."""
        assert target("response: {answer: 'length(items)'}").response.answer

    def test_price(self) -> None:
        """Dollars per million tokens."""
        monitor = load_text(whole("price: {input: 0.15, output: 1}")).monitors[0]

        assert monitor.price == Price(input_dollars=0.15, output_dollars=1.0)
