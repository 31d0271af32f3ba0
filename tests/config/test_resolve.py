"""Scalars by what is wanted where they stand."""

import pytest

from answerprobe.config._resolve import scalar
from answerprobe.config._want import Want
from config.loading import load_text, problems, whole


def wanting(*types: str) -> Want:
    """Return what is wanted where values of *types* may stand."""
    return Want(types=frozenset(types), schema={})


class TestScalar:
    """One unquoted scalar."""

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(text, id=text)
            for text in ["no", "1:30", "0755", "1_000", "0b_", "2026-01-31", "1.10"]
        ],
    )
    def test_stays_a_text_where_one_is_wanted(self, text: str) -> None:
        """As it was written."""
        assert scalar(text, wanting("string", "object")) == text

    @pytest.mark.parametrize(
        ("text", "means"),
        [
            pytest.param("no", False, id="no"),
            pytest.param("On", True, id="On"),
            pytest.param("TRUE", True, id="TRUE"),
            pytest.param("1", "1", id="1 is none"),
            pytest.param("y", "y", id="y is none"),
        ],
    )
    def test_is_a_truth_value_where_one_is_wanted(
        self, text: str, *, means: object
    ) -> None:
        """In every spelling of YAML."""
        assert scalar(text, wanting("boolean")) == means

    @pytest.mark.parametrize(
        ("text", "means"),
        [
            pytest.param("1_000", 1000, id="grouped"),
            pytest.param("-3", -3, id="negative"),
            pytest.param("1e3", 1000, id="exponent"),
            pytest.param(".5", 0.5, id="no zero"),
            pytest.param("2.0", 2, id="whole"),
            pytest.param("0755", "0755", id="neither octal nor decimal"),
            pytest.param("1:30", "1:30", id="not base sixty"),
            pytest.param("0b_", "0b_", id="no digits"),
            pytest.param("1e999", "1e999", id="infinite"),
            pytest.param("9" * 5000, "9" * 5000, id="endless"),
            pytest.param(".nan", ".nan", id="nan"),
        ],
    )
    def test_is_a_number_where_one_is_wanted(self, text: str, means: object) -> None:
        """In decimal; anything doubtful stays text and is refused by the schema."""
        assert scalar(text, wanting("integer", "string")) == means

    @pytest.mark.parametrize(
        ("text", "means"),
        [
            pytest.param("true", True, id="true"),
            pytest.param("no", "no", id="no"),
            pytest.param("30", 30, id="30"),
            pytest.param("1_000", "1_000", id="1_000"),
            pytest.param("~", None, id="~"),
        ],
    )
    def test_is_json_where_anything_is_wanted(self, text: str, means: object) -> None:
        """Only JSON's own spellings count there."""
        assert scalar(text, None) == means


class TestInFile:
    """The same, through a whole file."""

    def test_norway(self) -> None:
        """`contains: no` looks for the text no."""
        config = load_text(whole(criterion="contains: no"))

        check = config.monitors[0].cases[0].criteria[2].check
        assert (
            check
            == load_text(whole(criterion="contains: 'no'"))
            .monitors[0]
            .cases[0]
            .criteria[2]
            .check
        )

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param("within: 1:30", "'1:30'; wanted: a duration", id="base 60"),
            pytest.param("within: 30", "is '30'; wanted: a duration", id="no unit"),
            pytest.param("samples: 05", "is '05'; wanted: a whole number", id="octal"),
            pytest.param("stream: 1", "is '1'; wanted: true or false", id="1 for true"),
            pytest.param("proxy: 3", "wanted: http://… or https://…", id="no URL"),
        ],
    )
    def test_refused_with_the_right_spelling(self, line: str, says: str) -> None:
        """Where the text that was written does not fit."""
        (problem,) = problems(whole(line))

        assert problem.startswith("4:")
        assert says in problem

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param(f"{key}: {null}", id=f"{key} {null or 'empty'}")
            for key in ("within", "every", "confirm", "target", "samples", "model")
            for null in ("null", "~", "")
        ],
    )
    def test_nothing_is_no_value(self, line: str) -> None:
        """`within: null` never means "no limit"."""
        (problem, *_) = problems(whole(line))

        assert problem.startswith("4:")
        assert "is null; wanted:" in problem

    def test_extra_fields_are_json(self) -> None:
        """The body carries numbers and truth values as they look."""
        line = "request: {extra: {n: 3, on: true, word: no, list: [1.5, ~]}}"

        request = load_text(whole(line)).monitors[0].target.request

        assert request.extra == {"n": 3, "on": True, "word": "no", "list": [1.5, None]}
