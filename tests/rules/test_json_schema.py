"""The rule `json_schema`, held against answers."""

import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import CriterionError
from answerprobe.rules.json_schema import JsonSchema
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


_ORDER: dict[str, object] = {
    "type": "object",
    "required": ["mail"],
    "additionalProperties": False,
    "properties": {
        "mail": {"type": "string", "format": "email"},
        "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        "code": {"type": "string", "pattern": r"^RF-\d+$"},
        "kind": {"enum": ["a", "b"]},
        "size": {"anyOf": [{"type": "integer"}, {"const": "all"}]},
    },
}
_JSON: st.SearchStrategy[object] = st.recursive(
    st.none() | st.integers() | st.text(), st.lists
)


def fits(schema: object, value: object) -> bool:
    """Whether *value*, as JSON in an answer, fits *schema*."""
    return outcome(JsonSchema.parse(schema), json.dumps(value)) is Outcome.PASS


class TestJsonSchema:
    """The answer is JSON that fits."""

    def test_fitting_answer_passes(self) -> None:
        """A fenced block counts."""
        verdict = JsonSchema.parse(_ORDER).check(
            said('```json\n{"mail": "a@b.io"}\n```')
        )

        assert verdict == Verdict(
            criterion="json_schema",
            outcome=Outcome.PASS,
            reason="an object that fits the schema",
        )

    @pytest.mark.parametrize(
        ("document", "reason", "unquoted"),
        [
            pytest.param(
                {},
                "$: 'mail' is a required property",
                "does not fit the schema at required",
                id="missing property",
            ),
            pytest.param(
                {"mail": "nobody"},
                '$.mail: "nobody" is no email',
                "does not fit the schema at properties/mail/format",
                id="format",
            ),
            pytest.param(
                {"mail": "a@b.io", "lines": [1, 0]},
                "$.lines[1]: 0 is less than the minimum of 1",
                "does not fit the schema at properties/lines/items/minimum",
                id="in a list",
            ),
            pytest.param(
                {"mail": "a@b.io", "code": "X"},
                "$.code: \"X\" does not match '^RF-\\\\d+$'",
                "does not fit the schema at properties/code/pattern",
                id="pattern",
            ),
            pytest.param(
                {"mail": "a@b.io", "my name": 1},
                "$: 'my name' is not one of the properties",
                "does not fit the schema at additionalProperties",
                id="additional property",
            ),
            pytest.param(
                {"mail": True},
                "$.mail: true is not of type 'string'",
                "does not fit the schema at properties/mail/type",
                id="values as JSON spells them",
            ),
        ],
    )
    def test_reason_names_path_and_fault(
        self, document: object, reason: str, unquoted: str
    ) -> None:
        """The JSON path and what is wrong there, and a form without answer text."""
        verdict = JsonSchema.parse(_ORDER).check(said(json.dumps(document)))

        assert (verdict.outcome, verdict.reason) == (Outcome.FAIL, reason)
        assert verdict.unquoted == unquoted

    def test_reason_is_bounded(self) -> None:
        """A huge value is not told in full."""
        rule = JsonSchema.parse({"type": "object"})

        verdict = rule.check(said(json.dumps(["x" * 100_000])))

        assert verdict.reason.endswith("… is not of type 'object'")
        assert len(verdict.reason) < 100

    def test_words_fail(self) -> None:
        """What is no JSON does not fit."""
        assert outcome(JsonSchema.parse(_ORDER), "words") is Outcome.FAIL

    @given(_JSON)
    def test_true_fits_any_json(self, value: object) -> None:
        """The schema `true` only asks for JSON."""
        anything: object = True

        assert fits(anything, value)


class TestKeywords:
    """Keywords whose checks are ours."""

    @pytest.mark.parametrize(
        ("items", "unique"),
        [
            pytest.param([1, 2, "1"], True, id="different"),
            pytest.param([1, 1.0], False, id="equal numbers"),
            pytest.param([1, True], True, id="true is not 1"),
            pytest.param([{"a": 1, "b": 2}, {"b": 2, "a": 1}], False, id="key order"),
            pytest.param([[1], [1.0]], False, id="equal lists"),
            pytest.param([{}, []], True, id="object and list"),
        ],
    )
    def test_unique_items(self, items: list[object], *, unique: bool) -> None:
        """Items are compared as JSON values."""
        assert fits({"uniqueItems": True}, items) is unique

    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            pytest.param({"x-a": "t", "b": 1}, True, id="both fit"),
            pytest.param({"x-a": 1}, False, id="pattern's schema"),
            pytest.param({"b": "t"}, False, id="all others' schema"),
        ],
    )
    def test_pattern_properties(self, document: object, *, expected: bool) -> None:
        """Properties are told by pattern; the others are additional."""
        schema = {
            "patternProperties": {"^x-": {"type": "string"}},
            "additionalProperties": {"type": "integer"},
        }

        assert fits(schema, document) is expected

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            pytest.param(1, True, id="one"),
            pytest.param("a", False, id="none"),
            pytest.param(12, False, id="both"),
        ],
    )
    def test_one_of(self, value: object, *, expected: bool) -> None:
        """Exactly one schema may fit."""
        schema = {"oneOf": [{"maximum": 20, "type": "integer"}, {"const": 12}]}

        assert fits(schema, value) is expected

    def test_any_of_names_the_nearest(self) -> None:
        """Where none fits, the reason tells of one of them."""
        rule = JsonSchema.parse(_ORDER)

        verdict = rule.check(said('{"mail": "a@b.io", "size": "most"}'))

        assert verdict.reason.startswith("$.size: ")

    def test_refs_inside_the_schema(self) -> None:
        """A reference within the schema works, the older spelling too."""
        for name in ("$defs", "definitions"):
            schema = {
                "items": {"$ref": f"#/{name}/n"},
                name: {"n": {"type": "integer"}},
            }

            assert fits(schema, [1])
            assert not fits(schema, ["a"])

    def test_older_drafts(self) -> None:
        """A draft that `$schema` names has its own rules: $ref hides its neighbours."""
        schema = {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"n": {}},
            "properties": {"a": {"$ref": "#/definitions/n", "type": "string"}},
        }

        assert fits(schema, {"a": 1})


class TestHostileAnswers:
    """No answer makes a check hang or crash."""

    def test_pattern_of_nested_repetition(self) -> None:
        """A pattern that takes others exponential time is done at once."""
        assert not fits({"pattern": "^(a+)+$"}, "a" * 500_000 + "!")

    def test_property_names_meet_patterns_too(self) -> None:
        """Keys of the answer are matched as safely as its texts."""
        schema = {
            "patternProperties": {"^(a+)+$": False},
            "additionalProperties": False,
        }

        assert not fits(schema, {"a" * 50_000 + "!": 1})

    def test_schema_that_branches_without_end(self) -> None:
        """A check that would take 2^60 steps is given up, and fails."""
        branch = {"type": "array", "items": {"$ref": "#"}, "minItems": 1}
        rule = JsonSchema.parse({"anyOf": [branch, branch]})

        verdict = rule.check(said("[" * 60 + "]" * 60))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "more than 200,000 steps to check"

    def test_unique_items_of_many_objects(self) -> None:
        """Thousands of objects are told apart in no time."""
        assert fits({"uniqueItems": True}, [{"n": n} for n in range(10_000)])

    def test_whole_number_that_no_float_holds(self) -> None:
        """It is refused where comparing it would crash."""
        rule = JsonSchema.parse({"multipleOf": 0.01})

        assert outcome(rule, "1" + "0" * 400) is Outcome.FAIL

    def test_leftovers_of_many_properties(self) -> None:
        """What takes quadratic time to check is bounded in size."""
        rule = JsonSchema.parse({"unevaluatedProperties": {"type": "integer"}})

        verdict = rule.check(said(json.dumps({str(n): n for n in range(3000)})))

        assert verdict.reason == "no JSON: more than 2,000 values"

    @given(st.text(alphabet='[]{}",:1a\\', max_size=200))
    def test_anything_gets_a_verdict(self, answer: str) -> None:
        """Whatever the answer, it passes or fails."""
        assert outcome(JsonSchema.parse(_ORDER), answer) in (Outcome.PASS, Outcome.FAIL)


def test_no_schema_is_refused() -> None:
    """Something else than a JSON Schema is an error."""
    values: tuple[object, ...] = (None, 5, "object", [], False)

    for value in values:
        with pytest.raises(CriterionError):
            JsonSchema.parse(value)
