"""The rule `is_json`, and what counts as JSON in an answer."""

import contextlib
import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import CriterionError
from answerprobe.rules._json import (
    MAX_DEPTH,
    MAX_VALUES,
    NotJson,
    fenced_blocks,
    read,
    read_answer,
)
from answerprobe.rules.json_schema import IsJson
from answerprobe.verdict import Outcome
from rules.saying import outcome, said


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class TestIsJson:
    """The answer is JSON, or has exactly one fenced block that is."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param('{"a": 1}', Outcome.PASS, id="object"),
            pytest.param(" [1, 2]\n", Outcome.PASS, id="white space around"),
            pytest.param('"text"', Outcome.PASS, id="text"),
            pytest.param('```json\n{"a": 1}\n```', Outcome.PASS, id="fenced"),
            pytest.param("Here:\n```\n[1]\n```\nOK?", Outcome.PASS, id="words around"),
            pytest.param("```\r\n[1]\r\n```\r\n", Outcome.PASS, id="windows lines"),
            pytest.param("   ````\n[1]\n   `````", Outcome.PASS, id="long fence"),
            pytest.param('{"a": 1', Outcome.FAIL, id="cut"),
            pytest.param("```\n1\n```\n```\n2\n```", Outcome.FAIL, id="two blocks"),
            pytest.param("```json\n[1]", Outcome.FAIL, id="fence never closed"),
            pytest.param("see ```[1]``` there", Outcome.FAIL, id="inline code"),
            pytest.param("    ```\n[1]\n    ```", Outcome.FAIL, id="indented code"),
            pytest.param("thirty days", Outcome.FAIL, id="words"),
            pytest.param('{"a": 1, "a": 2}', Outcome.FAIL, id="duplicate key"),
            pytest.param("[NaN]", Outcome.FAIL, id="NaN"),
            pytest.param("[-Infinity]", Outcome.FAIL, id="infinity"),
            pytest.param("[1e999]", Outcome.FAIL, id="float out of range"),
            pytest.param("1" * 400, Outcome.FAIL, id="integer out of range"),
            pytest.param("1" * 5000, Outcome.FAIL, id="more digits than Python reads"),
            pytest.param("[1,]", Outcome.FAIL, id="trailing comma"),
            pytest.param("{'a': 1}", Outcome.FAIL, id="single quotes"),
            pytest.param("", Outcome.FAIL, id="nothing"),
        ],
    )
    def test_table(self, answer: str, expected: Outcome) -> None:
        """JSON by its standard, no dialect."""
        assert outcome(IsJson(), answer) is expected

    def test_reason_says_where_it_breaks(self) -> None:
        """Line and column of the fault, without a word of the answer."""
        verdict = IsJson().check(said('{"a": 1,\n}'))

        assert verdict.reason.endswith("at line 2, column 1")

    def test_duplicate_key_is_named(self) -> None:
        """The reason names the key, its short form does not."""
        verdict = IsJson().check(said('{"secret": 1, "secret": 2}'))

        assert verdict.reason == 'no JSON: duplicate key "secret"'
        assert verdict.unquoted == "no JSON: duplicate key"

    @pytest.mark.parametrize(
        "value",
        [pytest.param(False, id="false"), pytest.param({"a": 1}, id="an option")],
    )
    def test_takes_no_options(self, value: object) -> None:
        """It is written `true`."""
        with pytest.raises(CriterionError):
            IsJson.parse(value)


class TestRead:
    """Reading JSON that somebody else wrote."""

    @given(_JSON)
    def test_reads_what_python_writes(self, value: object) -> None:
        """Ordinary JSON comes back as it was."""
        assert read(json.dumps(value)) == value

    @given(st.text(alphabet='[]{},:"\\ 1eE.-+ntfNI\u00e9\ud800', max_size=30))
    def test_anything_else_is_not_json(self, text: str) -> None:
        """Whatever the text, there is a value or NotJson, never another error."""
        with contextlib.suppress(NotJson):
            read_answer(text)

    def test_nesting_is_bounded(self) -> None:
        """As deep as allowed is read, one deeper is not."""
        assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH)

        with pytest.raises(NotJson, match="deeper"):
            read("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))

    def test_nesting_beyond_the_interpreters_is_no_crash(self) -> None:
        """What exceeds Python's own limit is refused the same way."""
        with pytest.raises(NotJson, match="deeper"):
            read("[" * 40_000 + "]" * 40_000)

    def test_values_are_bounded(self) -> None:
        """More values than can be worked with are refused before they are read."""
        with pytest.raises(NotJson, match="values"):
            read("[" + "0," * (MAX_VALUES + 1) + "0]")


class TestFencedBlocks:
    """What stands between lines of backticks."""

    @pytest.mark.parametrize(
        ("text", "blocks"),
        [
            pytest.param("```\na\n```", ["a\n"], id="one"),
            pytest.param("```\n```", [""], id="empty"),
            pytest.param("```js\na\n```\nb\n```\nc\n```", ["a\n", "c\n"], id="two"),
            pytest.param("````\n```\na\n```\n````", ["```\na\n```\n"], id="nested"),
            pytest.param("```\na\n``` b\n```", ["a\n``` b\n"], id="no closing line"),
            pytest.param("```a`\n```\nb\n```", ["b\n"], id="no opening line"),
            pytest.param("x ```\na\n```\nb\n```", ["b\n"], id="mid-line is no fence"),
            pytest.param("```\na", [], id="never closed"),
            pytest.param("", [], id="nothing"),
        ],
    )
    def test_table(self, text: str, blocks: list[str]) -> None:
        """Fences are told by CommonMark's rules."""
        assert fenced_blocks(text) == blocks

    @given(st.text(alphabet="`\n ab", max_size=60))
    def test_blocks_are_parts_of_the_text(self, text: str) -> None:
        """Nothing is made up, whatever the backticks do."""
        assert all(block in text for block in fenced_blocks(text))
