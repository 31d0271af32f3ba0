"""JSON, strictly and in bounds."""

import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _json
from targets import raw


_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner),
    max_leaves=20,
)


class TestParse:
    """Good JSON is read, anything else is `not_json`."""

    @given(_VALUES)
    def test_what_was_written_is_read(self, value: object) -> None:
        """Whether escaped or not."""
        assert _json.parse(json.dumps(value)) == value
        assert _json.parse(json.dumps(value, ensure_ascii=False)) == value

    @given(st.text(max_size=200) | st.text(alphabet='{}[]",:\\ 01eE-u', max_size=60))
    def test_no_text_does_harm(self, document: str) -> None:
        """Whatever it is, it is a value or not_json."""
        reason = raw.reason_of(lambda: _json.parse(document))

        assert reason in {None, ErrorReason.NOT_JSON}

    @pytest.mark.parametrize(
        ("document", "detail"),
        [
            pytest.param("", "not JSON: Expecting value, character 0 of 0", id="empty"),
            pytest.param(
                "{'a': 1}",
                "not JSON: Expecting property name enclosed in double quotes, "
                "character 1 of 8",
                id="single quotes",
            ),
            pytest.param(
                '{"a\\n": 1, "a\\n": 1}', 'not JSON: duplicate key "a"', id="twice"
            ),
            pytest.param("[NaN]", "not JSON: NaN is no JSON number", id="NaN"),
            pytest.param(
                '{"a": -Infinity}', "not JSON: -Infinity is no JSON number", id="inf"
            ),
            pytest.param("1" * 5000, "not JSON: a number too long", id="digits"),
            pytest.param("[-1e999]", "not JSON: a number too large", id="exponent"),
            pytest.param(
                "[" * 101 + "]" * 101,
                "not JSON: nested deeper than 100 levels",
                id="arrays",
            ),
            pytest.param(
                '{"a":' * 5000, "not JSON: nested deeper than 100 levels", id="objects"
            ),
        ],
    )
    def test_the_detail_says_what_is_wrong(self, document: str, detail: str) -> None:
        """In one line, with the place where there is one."""
        with pytest.raises(ReplyError) as caught:
            _json.parse(document)

        assert caught.value.detail == detail

    @pytest.mark.parametrize(
        "document",
        [
            pytest.param("[" * 100 + "]" * 100, id="just deep enough"),
            pytest.param("[" + "[]," * 500 + "0]", id="wide"),
            pytest.param(json.dumps(["[" * 500]), id="in a text"),
            pytest.param(json.dumps(['\\"[{' * 500]), id="after escaped quotes"),
        ],
    )
    def test_many_brackets_are_not_deep(self, document: str) -> None:
        """Only open ones count, and not those in texts."""
        assert _json.parse(document) == json.loads(document)

    def test_texts_and_keys_are_scrubbed(self) -> None:
        """Escapes can hide what no store takes."""
        document = r'{"a\u0000": ["\uD800x", {"b": "\udfff"}], "c": "\ud83d\ude00"}'

        value = _json.parse(document)

        assert value == {"a": ["\ufffdx", {"b": "\ufffd"}], "c": "😀"}
