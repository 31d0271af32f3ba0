"""The rule about what was sent to a tool."""

import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import CriterionError
from answerprobe.rules import RULES
from answerprobe.sample import ToolCall
from answerprobe.verdict import Outcome, Verdict
from rules.saying import acted, called


SHELF = {"sku": "S-1", "parts": [{"id": 1}, {"id": 2, "size": "L"}], "to": {"zip": "1"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


def carries(arguments: object, /, **parameters: object) -> Verdict:
    """Return the verdict on one call of `book` with *arguments*."""
    value = {"tool": "book", "parameters": parameters}
    rule = RULES["tool_parameters_contain"].parse(value)
    return rule.check(acted(called("book", arguments)))


class TestToolParametersContain:
    @pytest.mark.parametrize(
        "parameters",
        [
            pytest.param({"sku": "S-1"}, id="one of several"),
            pytest.param({"to": {"zip": "1"}}, id="an object"),
            pytest.param({"to": {}}, id="an empty object"),
            pytest.param({"parts": [{"size": "L"}]}, id="one element"),
            pytest.param({"parts": [{}, {"id": 2}]}, id="all elements"),
            pytest.param({"parts": [{"id": 2.0}]}, id="a whole number as a decimal"),
            pytest.param({"parts": []}, id="an empty array"),
            pytest.param({}, id="nothing"),
        ],
    )
    def test_a_part_of_what_was_sent_passes(
        self, parameters: dict[str, object]
    ) -> None:
        """Objects and arrays may have more."""
        assert carries(SHELF, **parameters).outcome is Outcome.PASS

    @pytest.mark.parametrize(
        ("parameters", "says"),
        [
            pytest.param({"sku": "S-2"}, 'with sku "S-1", expected "S-2"', id="value"),
            pytest.param({"color": "red"}, 'without color, expected "red"', id="none"),
            pytest.param(
                {"to": {"zip": 1}}, 'with to.zip "1", expected 1', id="text, no number"
            ),
            pytest.param(
                {"to": {"city": None}},
                "without to.city, expected null",
                id="null is not absent",
            ),
            pytest.param(
                {"parts": [{"id": 3}]},
                'with parts [{"id": 1}, {"id": 2, "size": "L"}], '
                'expected an element {"id": 3}',
                id="no such element",
            ),
            pytest.param(
                {"parts": [{"id": True}, {}]},
                "with parts[0].id 1, expected true",
                id="true is not 1",
            ),
            pytest.param(
                {"parts": [{"id": 2}, {"id": 1}]},
                "with parts[1].id 2, expected 1",
                id="another order",
            ),
            pytest.param(
                {"parts": {"id": 1}},
                'with parts [{"id": 1}, {"id": 2, "size": "L"}], expected {"id": 1}',
                id="an array is no object",
            ),
            pytest.param(
                {"odd name": 1, "sku": 2},
                'without $["odd name"], expected 1 (and 1 more)',
                id="several",
            ),
        ],
    )
    def test_the_reason_names_parameter_and_values(
        self, parameters: dict[str, object], says: str
    ) -> None:
        """The first of what is wrong."""
        verdict = carries(SHELF, **parameters)

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == f"book was called {says}"

    def test_values_of_the_agent_are_left_out_where_none_are_kept(self) -> None:
        """What the configuration says stays."""
        verdict = carries(SHELF, sku="S-2")

        assert verdict.unquoted == 'book was called with another sku, expected "S-2"'

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            pytest.param('{"sku": ', 'with "{"sku": "', id="broken JSON"),
            pytest.param(["S-1"], 'with ["S-1"]', id="an array"),
            pytest.param("S-1", 'with "S-1"', id="a text"),
        ],
    )
    def test_what_is_no_object_carries_nothing(
        self, arguments: object, says: str
    ) -> None:
        """It was a call all the same."""
        verdict = carries(arguments, sku="S-1")

        assert verdict.reason == (
            f"book was called {says}, which is no object of parameters"
        )
        assert verdict.unquoted == "book was called with no object of parameters"

    @pytest.mark.parametrize("nothing", [None, "", "  "], ids=["null", "", "blank"])
    def test_nothing_is_no_parameters(self, nothing: object) -> None:
        """As some models send it."""
        value = {"tool": "book", "parameters": {"sku": "S-1"}}
        call = ToolCall(name="book", arguments=nothing)

        verdict = RULES["tool_parameters_contain"].parse(value).check(acted(call))

        assert verdict.reason == 'book was called without sku, expected "S-1"'

    def test_one_call_must_carry_them_all(self) -> None:
        """The reason is about the one that comes nearest."""
        rule = RULES["tool_parameters_contain"].parse(
            {"tool": "book", "parameters": {"a": 1, "b": 2, "c": 3}}
        )
        far, near = called("book", {"a": 1}), called("book", {"b": 2, "c": 3})

        verdict = rule.check(acted(far, near, called("mail", {"a": 1, "b": 2, "c": 3})))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == (
            "book was called 2 times, at the nearest without a, expected 1"
        )

    def test_some_call_is_enough(self) -> None:
        """A wrong one may have come before."""
        rule = RULES["tool_parameters_contain"].parse(
            {"tool": "book", "parameters": {"a": 1}}
        )

        verdict = rule.check(acted(called("book", {"a": 2}), called("book", {"a": 1})))

        assert verdict.reason == 'book was called with {"a": 1}'

    @given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
    def test_every_object_carries_itself(self, arguments: dict[str, object]) -> None:
        """Whatever is in it."""
        rule = RULES["tool_parameters_contain"].parse(
            {"tool": "book", "parameters": arguments}
        )
        sent = json.loads(json.dumps(arguments))

        assert rule.check(acted(called("book", sent))).outcome is Outcome.PASS

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            pytest.param({"tool": "book"}, ("parameters",), id="no parameters"),
            pytest.param({"parameters": {}}, ("tool",), id="no tool"),
            pytest.param(
                {"tool": "b", "parameters": {"a": object()}}, ("parameters",), id="JSON"
            ),
            pytest.param({"tool": "b", "parameters": {}, "x": 1}, (), id="more"),
        ],
    )
    def test_other_values_are_refused(
        self, value: object, path: tuple[str, ...]
    ) -> None:
        """The path leads to the culprit."""
        with pytest.raises(CriterionError) as caught:
            RULES["tool_parameters_contain"].parse(value)

        assert caught.value.path == path
