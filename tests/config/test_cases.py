"""Cases."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.case import Case, Rubric
from answerprobe.config._names import slug
from answerprobe.rules import RULES
from config.loading import load_text, problems, whole


def case(criterion: str = "", extra: str = "") -> Case:
    """Return the one case of a configuration."""
    return load_text(whole(criterion=criterion, case=extra)).monitors[0].cases[0]


def two(first: str, second: str) -> str:
    """Return a configuration with two cases."""
    cases = f"      - {first}\n      - {second}\n"
    head = "monitors:\n  - name: a\n    endpoint: http://h\n    cases:\n"
    return (head + cases).replace("EXPECT", "expect: [contains: x]")


class TestCriteria:
    """What a good answer looks like."""

    def test_answered_is_implied(self) -> None:
        """First, with the case's deadline."""
        first = case(extra="within: 7s").criteria[0]

        written = case("answered: {within: 7s}").criteria[1]
        assert (first.label, first.check) == ("answered", written.check)

    def test_answered_keeps_its_place(self) -> None:
        """Where it is written it is not implied too."""
        labels = [c.label for c in case("answered: {within: 7s}").criteria]

        assert labels == ["contains", "answered"]

    def test_two_of_a_kind_are_told_apart(self) -> None:
        """By number, under the name that is meant."""
        labels = [c.label for c in case("icontains: ten").criteria]

        assert labels == ["answered", "contains", "contains#2"]

    def test_a_judge_is_a_rubric(self) -> None:
        """With the sentence as it is written, secrets and all."""
        check = case("judge: Says secret.TOKEN aloud.").criteria[2].check

        assert check == Rubric(criterion="judge", text="Says secret.TOKEN aloud.")

    @pytest.mark.parametrize(
        ("line", "where"),
        [
            pytest.param("regex: '(open'", "9:20: {}.regex: ", id="pattern"),
            pytest.param("regex: '(?=a)b'", "9:20: {}.regex: ", id="look-ahead"),
            pytest.param(
                "json_schema: {type: objekt}",
                "9:33: {}.json_schema.type: ",
                id="schema",
            ),
            pytest.param(
                "no_pii: {regions: [XX]}", "9:32: {}.no_pii.regions[0]: ", id="x"
            ),
        ],
    )
    def test_what_a_rule_finds_wrong_has_its_place(self, line: str, where: str) -> None:
        """Down to the culprit inside the value."""
        (problem,) = problems(whole(criterion=line))

        assert problem.startswith(where.format("monitors[0].cases[0].expect[1]"))

    def test_a_schema_of_one_keyword_is_no_long_form(self) -> None:
        """Though other rules call what they look for so."""
        check = case("json_schema: {pattern: ^a}").criteria[2].check

        assert check == RULES["json_schema"].parse({"pattern": "^a"})

    def test_the_same_fault_is_told_each_time(self) -> None:
        """Criteria are shared, their problems are not."""
        text = two("{ask: a, expect: [regex: '(']}", "{ask: b, expect: [regex: '(']}")

        assert [p.partition(": ")[0] for p in problems(text)] == ["5:34", "6:34"]


class TestId:
    """The name of a case within its monitor."""

    @pytest.mark.parametrize(
        ("ask", "made"),
        [
            pytest.param("What's  up, Doc?", "what-s-up-doc", id="words"),
            pytest.param(
                "Öffnungszeiten am Samstag?", "öffnungszeiten-am-samstag", id="ö"
            ),
            pytest.param("返品できますか?", "返品できますか", id="Japanese"),
            pytest.param("word " * 30, "-".join(["word"] * 12), id="long"),
            pytest.param("x" * 200, "x" * 60, id="one long word"),
        ],
    )
    def test_is_a_slug_where_none_is_written(self, ask: str, made: str) -> None:
        """Of the question's words, cut between two of them."""
        assert slug(ask) == made

    @given(st.text(min_size=1))
    def test_a_slug_is_never_empty(self, ask: str) -> None:
        """A question without words gets a number of its own."""
        assert 1 <= len(slug(ask)) <= 60
        assert slug(ask) == slug(ask)

    @pytest.mark.parametrize(
        ("first", "second", "says"),
        [
            pytest.param(
                "{id: a, ask: x, EXPECT}",
                "{id: a, ask: y, EXPECT}",
                "6:14: monitors[0].cases[1].id: is 'a', the id of "
                "monitors[0].cases[0] too",
                id="written",
            ),
            pytest.param(
                "{ask: When?, EXPECT}",
                "{ask: When!, EXPECT}",
                "6:9: monitors[0].cases[1]: its id, made from the question, is 'when', "
                "the id of monitors[0].cases[0] too; write an `id`",
                id="slugs",
            ),
            pytest.param(
                "{ask: x, EXPECT}",
                '{id: "a\\tb", ask: y, EXPECT}',
                "6:14: monitors[0].cases[1].id: is 'a\\tb'; wanted: printable "
                "characters only",
                id="not printable",
            ),
        ],
    )
    def test_is_unique_and_printable(self, first: str, second: str, says: str) -> None:
        """It names the case in metrics and addresses."""
        assert problems(two(first, second)) == [says]


class TestRefused:
    """Cases that ask or expect nothing."""

    @pytest.mark.parametrize(
        ("broken", "says"),
        [
            pytest.param("{ask: x, expect: []}", "is an empty list", id="no criteria"),
            pytest.param("{ask: x}", "lacks expect", id="no expect"),
            pytest.param("{EXPECT}", "lacks ask", id="no question"),
            pytest.param("{ask: ' ', EXPECT}", "a text that is not blank", id="blank"),
            pytest.param("null", "is null; wanted: a mapping of id, ask", id="null"),
        ],
    )
    def test_with_what_is_missing(self, broken: str, says: str) -> None:
        """Where the case stands."""
        (problem,) = problems(two("{ask: y, EXPECT}", broken))

        assert problem.startswith("6:")
        assert says in problem

    def test_no_cases(self) -> None:
        """A monitor that asks nothing is refused."""
        text = "monitors: [{name: a, endpoint: http://h, cases: []}]"

        (problem,) = problems(text)

        assert problem.startswith("1:49: monitors[0].cases: is an empty list; wanted:")
