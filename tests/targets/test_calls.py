"""Tool calls in all their forms."""

import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.sample import ToolCall
from answerprobe.targets import _calls


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=10,
)


class TestReported:
    """What an agent says that it called."""

    @pytest.mark.parametrize(
        ("found", "expected"),
        [
            pytest.param(None, (), id="nothing"),
            pytest.param(7, (), id="a number"),
            pytest.param([], (), id="no calls"),
            pytest.param(
                [{"name": "find", "arguments": {"id": 7}, "result": [1]}],
                (ToolCall(name="find", arguments={"id": 7}, result=[1]),),
                id="with its result",
            ),
            pytest.param(
                [{"name": "find", "arguments": '{"id": 7}', "error": "down"}],
                (ToolCall(name="find", arguments={"id": 7}, error="down"),),
                id="with its error, arguments as text",
            ),
            pytest.param(
                [{"name": "find", "error": {"code": 5}}],
                (ToolCall(name="find", arguments={}, error='{"code": 5}'),),
                id="an error that is no text",
            ),
            pytest.param(
                [{"name": "find", "error": None, "result": 0}],
                (ToolCall(name="find", arguments={}, result=0),),
                id="no error",
            ),
            pytest.param(
                {"name": "find"}, (ToolCall(name="find", arguments={}),), id="one"
            ),
            pytest.param(
                ["find"], (ToolCall(name="find", arguments={}),), id="its name alone"
            ),
            pytest.param(
                [{"id": "1", "function": {"name": "find", "arguments": "{}"}}],
                (ToolCall(name="find", arguments={}),),
                id="as an API has it",
            ),
            pytest.param(
                '[{"name": "find"}]',
                (ToolCall(name="find", arguments={}),),
                id="as JSON text",
            ),
            pytest.param(
                [{"name": None}, {"name": " "}, {"arguments": {}}, 7, None, []],
                (),
                id="no names",
            ),
        ],
    )
    def test_calls_are_found_in_it(
        self, found: object, expected: tuple[ToolCall, ...]
    ) -> None:
        """What names no tool is left out."""
        assert _calls.reported(found) == expected

    def test_they_are_bounded(self) -> None:
        """However many an agent claims."""
        assert len(_calls.reported([{"name": "find"}] * 1000)) == 100

    @given(_JSON)
    def test_any_json_will_do(self, found: object) -> None:
        """Nothing is raised."""
        assert isinstance(_calls.reported(found), tuple)


class TestUsable:
    """Calls as an API gives them."""

    @given(st.lists(_JSON | st.fixed_dictionaries({"function": _JSON, "id": _JSON})))
    def test_any_json_will_do(self, calls: list[object]) -> None:
        """What is kept can be read and sent back."""
        found = _calls.usable(calls)

        assert len(_calls.read(found)) == len(found)
        assert json.dumps(found)

    def test_fields_of_their_own_are_kept(self) -> None:
        """Some APIs want them back; the place in the stream, none does."""
        extra = {"google": {"thought_signature": "x"}}
        call = {
            "index": 0,
            "id": "a",
            "extra_content": extra,
            "function": {"name": "find", "arguments": {"id": 7}},
        }

        assert _calls.usable([call]) == (
            {
                "id": "a",
                "type": "function",
                "extra_content": extra,
                "function": {"name": "find", "arguments": '{"id": 7}'},
            },
        )


class TestWithIds:
    """Every call has an id of its own."""

    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            pytest.param(["a", "b"], ["a", "b"], id="kept"),
            pytest.param(["", "b", ""], ["n1", "b", "n2"], id="missing"),
            pytest.param(["a", "a"], ["a", "n1"], id="twice"),
            pytest.param(["n1", ""], ["n1", "n2"], id="made up by somebody else"),
        ],
    )
    def test_ids_are_kept_or_made_up(self, ids: list[str], expected: list[str]) -> None:
        """None is there twice."""
        made_up = (f"n{number}" for number in range(1, 9))

        named = _calls.with_ids([{"id": call_id} for call_id in ids], made_up)

        assert [call["id"] for call in named] == expected


class TestResultText:
    """What an agent is told."""

    @pytest.mark.parametrize(
        ("result", "error", "text"),
        [
            pytest.param("Left at the neighbour's", None, None, id="a text as it is"),
            pytest.param({"é": [1]}, None, '{"é": [1]}', id="an object"),
            pytest.param(0, None, "0", id="a falsy value"),
            pytest.param(None, None, "null", id="null"),
            pytest.param(None, "timed out", '{"error": "timed out"}', id="an error"),
            pytest.param(None, "", '{"error": ""}', id="an error without words"),
        ],
    )
    def test_it_is_a_text(
        self, result: object, error: str | None, text: str | None
    ) -> None:
        """JSON where it is no text already."""
        call = ToolCall(name="find", arguments={}, result=result, error=error)

        assert _calls.result_text(call) == (result if text is None else text)
