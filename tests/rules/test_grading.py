"""Grading a sample by all the rules of its case."""

import pytest

from answerprobe.rules import RULES, InTurns, Rule, TurnChoice, check_all, costly
from answerprobe.verdict import Outcome, Verdict
from rules.saying import acted, called, said, talked


_VALUES: dict[str, object] = {
    "answered": True,
    "contains": "30 days",
    "contains_all": ["30 days"],
    "contains_any": ["30 days"],
    "does_not_invoke_tool": "refund",
    "equals": "30 days",
    "expected_actions": ["refund"],
    "has_citation": True,
    "invokes_tool": "refund",
    "is_json": True,
    "json_schema": {"type": "object"},
    "max_words": 5,
    "no_pii": True,
    "no_refusal": True,
    "not_contains": "error",
    "not_regex": "error",
    "regex": "days",
    "responds_within": "5s",
    "starts_with": "30",
    "tool_parameters_contain": {"tool": "refund", "parameters": {"order": 1}},
}
_HOSTILE = (
    "a",
    "1 ",
    "a.",
    "[1]",
    "[",
    '{"a":',
    "```\n",
    "` ",
    "\n",
    "\u0301\u0323",
    "\u0390",
    "\U0001f600",
    "\ud800",
    "a@a.",
)


class TestRules:
    """Every rule of the registry."""

    def test_all_are_tried_here(self) -> None:
        """A new rule gets a value here."""
        assert _VALUES.keys() == RULES.keys()

    @pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in RULES])
    def test_name_is_its_criterion(self, name: str) -> None:
        """Verdicts carry the name that the rule has in the configuration."""
        rule = RULES[name].parse(_VALUES[name])

        assert rule.criterion == name
        assert rule.check(said("Within 30 days.")).criterion == name

    @pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in RULES])
    @pytest.mark.parametrize(
        "value",
        [
            pytest.param(None, id="null"),
            pytest.param(-1.5, id="number"),
            pytest.param({"nonsense": object()}, id="mapping"),
            pytest.param([object()], id="list"),
        ],
    )
    def test_wrong_types_are_criterion_errors(self, name: str, value: object) -> None:
        """Whatever the value, parsing never fails in another way."""
        with pytest.raises(Exception, match=r".") as caught:
            RULES[name].parse(value)

        assert type(caught.value).__name__ == "CriterionError"

    @pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in RULES])
    def test_hostile_answers_get_a_short_reason(self, name: str) -> None:
        """Answers made to hang, crash or flood get a verdict like any other."""
        rule = RULES[name].parse(_VALUES[name])

        verdicts = [rule.check(said(unit * (20_000 // len(unit)))) for unit in _HOSTILE]

        assert all(0 < len(verdict.reason) <= 300 for verdict in verdicts)
        assert all(verdict.reason.isprintable() for verdict in verdicts)


class TestCheckAll:
    """All rules are run, and told apart."""

    def test_a_failed_rule_stops_no_other(self) -> None:
        """Each rule has its verdict, in their order, under its label."""
        rules: list[tuple[str, Rule]] = [
            ("contains", RULES["contains"].parse("policy")),
            ("contains#2", RULES["contains"].parse("days")),
        ]

        verdicts = check_all(rules, said("thirty days"))

        assert verdicts == (
            Verdict(
                criterion="contains",
                outcome=Outcome.FAIL,
                reason='"policy" is not in the 11 characters',
            ),
            Verdict(
                criterion="contains#2", outcome=Outcome.PASS, reason='"days" is there'
            ),
        )

    def test_label_keeps_the_reason_without_quotes(self) -> None:
        """What is for monitors that store no answers survives."""
        rules = [("equals#2", RULES["equals"].parse("Yes"))]

        (verdict,) = check_all(rules, said("No"))

        assert verdict.unquoted == 'is another text of 2 characters, expected "Yes"'

    def test_no_rules(self) -> None:
        """A case of rubrics alone has no verdicts of rules."""
        assert check_all([], said("thirty days")) == ()


class TestCostly:
    """Whether grading may hold up the event loop."""

    @pytest.mark.parametrize(
        ("name", "value", "characters", "expected"),
        [
            pytest.param("contains", "days", 2_000, False, id="ordinary answer"),
            pytest.param("contains", "days", 1_000_000, True, id="huge answer"),
            pytest.param("regex", "days", 2_000, False, id="small pattern"),
            pytest.param("regex", r"\pL{1,50}x", 2_000, True, id="huge pattern"),
            pytest.param("no_pii", True, 200, False, id="slow rule, short answer"),
            pytest.param("no_pii", True, 4_000, True, id="slow rule, long answer"),
            pytest.param(
                "json_schema", {"type": "object"}, 500, False, id="small schema"
            ),
            pytest.param(
                "json_schema", {"items": {"$ref": "#"}}, 9, True, id="recursive schema"
            ),
        ],
    )
    def test_table(
        self, name: str, value: object, characters: int, *, expected: bool
    ) -> None:
        """It depends on the answer's length and on what the rules do with it."""
        rules = [(name, RULES[name].parse(value))]

        assert costly(rules, said("a" * characters)) is expected

    @pytest.mark.parametrize(
        ("turns", "expected"),
        [
            pytest.param(TurnChoice.LAST, False, id="last"),
            pytest.param(TurnChoice.ANY, True, id="any"),
            pytest.param(TurnChoice.ALL, True, id="all"),
        ],
    )
    def test_all_answers_count_where_all_are_looked_at(
        self, turns: TurnChoice, *, expected: bool
    ) -> None:
        """The last one may be short."""
        rule = InTurns(rule=RULES["no_pii"].parse(True), turns=turns)  # noqa: FBT003

        assert costly([("no_pii", rule)], talked("a" * 4_000, "Bye.")) is expected

    @pytest.mark.parametrize(
        ("parameters", "calls", "expected"),
        [
            pytest.param({"order": 1}, 3, False, id="few calls"),
            pytest.param({"order": 1}, 3_000, True, id="many calls"),
            pytest.param({"orders": [1]}, 1, True, id="arrays may be long"),
        ],
    )
    def test_tool_calls_count(
        self, parameters: dict[str, object], calls: int, *, expected: bool
    ) -> None:
        """What an agent sends to tools is as hostile as what it says."""
        value = {"tool": "refund", "parameters": parameters}
        rules = [("x", RULES["tool_parameters_contain"].parse(value))]

        assert costly(rules, acted(*[called("refund")] * calls)) is expected
