"""Other names of criteria."""

import pytest

from answerprobe.case import Criterion
from config.loading import load_text, problems, whole


def second(criterion: str) -> Criterion:
    """Return the criterion after `answered` and `contains: nine`."""
    return load_text(whole(criterion=criterion)).monitors[0].cases[0].criteria[2]


class TestOtherNames:
    """A criterion under another name is the same criterion."""

    @pytest.mark.parametrize(
        ("other", "own"),
        [
            pytest.param("answer_contains: x", "contains: x", id="longer"),
            pytest.param("answer_matches: x", "regex: x", id="matches"),
            pytest.param("answer_is_json: true", "is_json: true", id="is json"),
            pytest.param("satisfies_assertion: x", "judge: x", id="assertion"),
            pytest.param("satisfiesAssertion: x", "judge: x", id="camelCase alias"),
            pytest.param("notContains: x", "not_contains: x", id="camelCase"),
            pytest.param("maxWords: 5", "max_words: 5", id="camelCase number"),
            pytest.param("icontains: x", "contains: x", id="icontains"),
            pytest.param("not-contains: x", "not_contains: x", id="not-contains"),
            pytest.param("contains-any: [x]", "contains_any: [x]", id="contains-any"),
            pytest.param("contains-all: [x]", "contains_all: [x]", id="contains-all"),
            pytest.param("is-json: true", "is_json: true", id="is-json"),
            pytest.param(
                "is-json: {type: object}", "json_schema: {type: object}", id="schema"
            ),
            pytest.param("not-is-refusal: true", "no_refusal: true", id="no refusal"),
            pytest.param("llm-rubric: x", "judge: x", id="rubric"),
            pytest.param("latency: 1500", "responds_within: 1.5s", id="latency"),
            pytest.param("latency: {threshold: 9}", "responds_within: 9ms", id="ms"),
            pytest.param("regex: {pattern: x}", "regex: x", id="long pattern"),
            pytest.param("max_words: {limit: 5}", "max_words: 5", id="long limit"),
        ],
    )
    def test_means_the_same(self, other: str, own: str) -> None:
        """Check and label are those of the own name."""
        assert repr(second(other)) == repr(second(own))

    def test_is_refusal_has_no_counterpart(self) -> None:
        """It is refused, with what may be meant."""
        (problem,) = problems(whole(criterion="is-refusal: true"))

        assert problem.startswith("9:13: monitors[0].cases[0].expect[1].is-refusal: ")
        assert "`no_refusal: true`" in problem

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param("icontains: {txt: a}", "icontains.txt: is no key", id="inner"),
            pytest.param("latency: soon", "latency: is 'soon'; wanted", id="value"),
            pytest.param("answer_matches: '('", "answer_matches: ", id="rule"),
        ],
    )
    def test_problems_use_the_name_that_was_written(self, line: str, says: str) -> None:
        """The path is one that can be found in the file."""
        assert f"expect[1].{says}" in problems(whole(criterion=line))[-1]
