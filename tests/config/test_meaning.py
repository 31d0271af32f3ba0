"""Fingerprints change with the meaning, never with the formatting."""

import pytest

from answerprobe.case import Case
from config.loading import load_text, whole


TALK = """\
simulated_user: {{base_url: http://u, model: m}}
monitors:
  - name: shop
    protocol: openai
    endpoint: http://h
    model: m
    tools: [{{name: look, writes: no{tool}}}, {{name: buy}}]
    cases:
      - {{conversation: {{persona: p, goal: g{talk}}}, expect: [{criterion}]{case}}}
"""


def talk(
    talk: str = "", criterion: str = "max_words: 9", case: str = "", tool: str = ""
) -> Case:
    """Return the one case, a conversation."""
    text = TALK.format(talk=talk, criterion=criterion, case=case, tool=tool)
    return load_text(text).monitors[0].cases[0]


def fingerprint(criterion: str = "", case: str = "", monitor: str = "") -> str:
    """Return the fingerprint of the one case."""
    return load_text(whole(monitor, criterion, case)).monitors[0].cases[0].fingerprint


def definition(monitor: str = "", case: str = "", defaults: str = "{}") -> str:
    """Return what the one monitor is recognised by."""
    text = f"defaults: {defaults}\n" + whole(monitor, case=case)
    return load_text(text).monitors[0].definition


class TestFingerprint:
    """Of a case."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("contains: x", 'contains: "x"', id="quotes"),
            pytest.param("contains: x", "contains: x  # a comment", id="comment"),
            pytest.param("contains: x", "icontains: x", id="alias"),
            pytest.param("contains: x", "contains: {text: x}", id="long form"),
            pytest.param(
                "contains: x",
                "contains: {case_sensitive: false, text: x}",
                id="default",
            ),
            pytest.param("contains_any: [x]", "contains_any: {text: [x]}", id="list"),
            pytest.param("responds_within: 60s", "responds_within: 1m", id="duration"),
            pytest.param("latency: 1000", "responds_within: 1s", id="milliseconds"),
            pytest.param("max_words: 1_000", "maxWords: 1000.0", id="number"),
            pytest.param("no_pii: true", "no_pii: {strict: false}", id="true"),
            pytest.param("answered: {within: 20s}", "answered: true", id="implied"),
            pytest.param(
                "json_schema: {type: object, minProperties: 1}",
                "json_schema: {minProperties: 1, type: object}",
                id="order of keys",
            ),
        ],
    )
    def test_same_meaning(self, one: str, other: str) -> None:
        """However it is written."""
        assert fingerprint(one) == fingerprint(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("contains: x", "contains: y", id="value"),
            pytest.param("contains: x", "not_contains: x", id="criterion"),
            pytest.param("contains: x", "", id="no criterion"),
            pytest.param(
                "contains: x", "contains: {text: x, case_sensitive: true}", id="option"
            ),
            pytest.param("contains: 1", "contains: 1.0", id="texts that look alike"),
            pytest.param("judge: x", "contains: x", id="judged"),
        ],
    )
    def test_other_meaning(self, one: str, other: str) -> None:
        """Of a criterion."""
        assert fingerprint(one) != fingerprint(other)

    @pytest.mark.parametrize(
        "case",
        [
            pytest.param("samples: 4", id="samples"),
            pytest.param("pass_at_least: 3", id="quorum"),
            pytest.param("within: 5s", id="within"),
        ],
    )
    def test_settings_count_wherever_they_are_written(self, case: str) -> None:
        """What counts is what holds in the end."""
        assert fingerprint(case=case) != fingerprint()
        assert fingerprint(case=case) == fingerprint(monitor=case)

    @pytest.mark.parametrize(
        "case",
        [
            pytest.param("id: other", id="id"),
            pytest.param("samples: 3", id="what holds anyhow"),
        ],
    )
    def test_settings_that_change_nothing(self, case: str) -> None:
        """The id is the case's name, not its meaning."""
        assert fingerprint(case=case) == fingerprint()


class TestOfAConversation:
    """Fingerprints of cases with conversations and tools."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param({"talk": ", max_turns: 8, opening: null"}, {}, id="defaults"),
            pytest.param(
                {"criterion": "max_words: {limit: 9, in: last}"}, {}, id="in last"
            ),
            pytest.param(
                {"criterion": "expected_actions: [buy, look]"},
                {"criterion": "expected_actions: [look, buy]"},
                id="order of actions",
            ),
            pytest.param({"case": ", actions: {}"}, {}, id="no actions"),
            pytest.param({"tool": ", respond: {error: x}"}, {}, id="the tool's answer"),
            pytest.param({"case": ", id: other"}, {}, id="id"),
        ],
    )
    def test_same_meaning(self, one: dict[str, str], other: dict[str, str]) -> None:
        """However it is written; tools are the monitor's."""
        assert talk(**one).fingerprint == talk(**other).fingerprint

    @pytest.mark.parametrize(
        "other",
        [
            pytest.param({"talk": ", max_turns: 7"}, id="turns"),
            pytest.param({"talk": ", min_turns: 2"}, id="least turns"),
            pytest.param({"talk": ", opening: g"}, id="opening"),
            pytest.param({"criterion": "max_words: {limit: 9, in: all}"}, id="in"),
            pytest.param({"case": ", actions: {look: success}"}, id="actions"),
        ],
    )
    def test_other_meaning(self, other: dict[str, str]) -> None:
        """Of what is said, and of what the tools answer."""
        assert talk(**other).fingerprint != talk().fingerprint

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("success", "{error: x}", id="kind"),
            pytest.param("{value: 1}", "{value: '1'}", id="value"),
            pytest.param("{value: x}", "{error: x}", id="value or error"),
            pytest.param(
                "{live: {url: http://h}}",
                "{live: {url: http://h, method: GET}}",
                id="method",
            ),
        ],
    )
    def test_another_answer_of_a_tool(self, one: str, other: str) -> None:
        """In a case's actions is another meaning."""
        before = talk(case=f", actions: {{look: {one}}}")

        assert (
            before.fingerprint != talk(case=f", actions: {{look: {other}}}").fingerprint
        )


class TestDefinition:
    """Of a monitor."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("every: 60m", "every: 1h", id="duration"),
            pytest.param("target: 80%", "target: 0.8", id="share"),
            pytest.param("token_budget: 2k", "token_budget: 2000", id="tokens"),
            pytest.param("type: agent", "", id="default"),
            pytest.param(
                "headers: {A: x, B: y}", "headers: {B: y, A: x}", id="order of keys"
            ),
        ],
    )
    def test_same_meaning(self, one: str, other: str) -> None:
        """However it is written."""
        assert definition(one) == definition(other)

    def test_defaults_are_part_of_it(self) -> None:
        """It makes no difference where a setting is written."""
        assert definition(defaults="{every: 5m}") == definition("every: 5m")
        assert definition(defaults="{every: 5m}") != definition()

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("labels: {team: a}", id="labels"),
            pytest.param("auth: {bearer: secret.TOKEN}", id="auth"),
            pytest.param("headers: {A: x}", id="headers"),
            pytest.param("request: {extra: {a: 1}}", id="request"),
            pytest.param("confirm: 0", id="confirm"),
            pytest.param("judge: default", id="judge"),
        ],
    )
    def test_everything_counts(self, line: str) -> None:
        """But a judge that is the usual one."""
        judges = "judges: {default: {model: m}}\n"
        with_line = load_text(judges + whole(line)).monitors[0].definition

        without = load_text(judges + whole()).monitors[0].definition
        assert (with_line != without) is (line != "judge: default")

    def test_tools_count(self) -> None:
        """A tool that answers otherwise is another monitor."""
        line = "protocol: openai\n    model: m\n    tools: [{name: t, respond: SO}]"

        one = definition(line.replace("SO", "{value: 1}"))

        assert one != definition(line.replace("SO", "{value: 2}"))

    def test_cases_count(self) -> None:
        """By id and meaning."""
        assert definition(case="id: other") != definition()
        assert definition(case="samples: 5") != definition()

    def test_secrets_count_by_name(self) -> None:
        """A new value is no new monitor."""
        text = whole("auth: {bearer: secret.TOKEN}")

        first = load_text(text, {"TOKEN": "one"}).monitors[0]

        assert (
            first.definition == load_text(text, {"TOKEN": "two"}).monitors[0].definition
        )
