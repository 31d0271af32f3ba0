"""The rules `regex` and `not_regex`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules import ParsedRule
from answerprobe.rules.regex import NotRegex, Regex
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestRegex:
    """A pattern matches somewhere."""

    @pytest.mark.parametrize(
        ("pattern", "answer", "expected"),
        [
            pytest.param(r"RF-\d{4}\b", "see RF-4821.", Outcome.PASS, id="anywhere"),
            pytest.param(r"RF-\d{4}\b", "RF-48", Outcome.FAIL, id="no match"),
            pytest.param("days", "Days", Outcome.FAIL, id="case matters"),
            pytest.param(r"(?i)^ok\b", "OK then", Outcome.PASS, id="inline flag"),
            pytest.param(r"(?i)^ok\b", "not ok", Outcome.FAIL, id="anchored"),
            pytest.param(r"^\w+$", "école", Outcome.FAIL, id="w is ASCII"),
            pytest.param(r"^\p{L}+$", "école", Outcome.PASS, id="p of L is not"),
            pytest.param("(?m)^b$", "a\nb", Outcome.PASS, id="lines"),
            pytest.param("a.b", "a\nb", Outcome.FAIL, id="dot is no line break"),
            pytest.param("a$", "a\n", Outcome.FAIL, id="end is the very end"),
            pytest.param("d", "\ud800d", Outcome.PASS, id="lone surrogate"),
        ],
    )
    def test_table(self, pattern: str, answer: str, expected: Outcome) -> None:
        """It has the semantics of RE2."""
        assert outcome(Regex.parse(pattern), answer) is expected

    def test_pass_shows_what_matched(self) -> None:
        """The reason has the pattern and the match."""
        verdict = Regex.parse(r"RF-\d{4}").check(said("see RF-4821."))

        assert verdict == Verdict(
            criterion="regex",
            outcome=Outcome.PASS,
            reason=r'match for "RF-\d{4}": "RF-4821"',
            unquoted=r'match for "RF-\d{4}"',
        )

    def test_fail_shows_the_pattern(self) -> None:
        """The reason has the pattern, and how much was searched."""
        verdict = Regex.parse("days").check(said("no"))

        assert verdict.reason == 'no match for "days" in the 2 characters'

    def test_nested_repetition_does_not_hang(self) -> None:
        """A pattern that takes others exponential time is done at once."""
        answer = "a" * 1_000_000 + "!"

        assert outcome(Regex.parse("^(a+)+$"), answer) is Outcome.FAIL


class TestNotRegex:
    """A pattern matches nowhere."""

    def test_match_fails(self) -> None:
        """The reason shows what stands around the match."""
        verdict = NotRegex.parse(r"\d{4}").check(said("in 1234 days"))

        assert verdict == Verdict(
            criterion="not_regex",
            outcome=Outcome.FAIL,
            reason=r'match for "\d{4}": "in 1234 days"',
            unquoted=r'match for "\d{4}"',
        )

    def test_match_after_wide_characters_is_quoted_right(self) -> None:
        """Offsets count characters, not bytes."""
        verdict = NotRegex.parse("1234").check(said("é😀 1234 ñ"))

        assert verdict.reason == 'match for "1234": "é😀 1234 ñ"'

    def test_no_match_passes(self) -> None:
        """Without a match it passes."""
        assert outcome(NotRegex.parse(r"\d{4}"), "12") is Outcome.PASS


class TestParse:
    """The values that a configuration may give them."""

    def test_pattern_in_a_mapping(self) -> None:
        """The pattern may stand alone or by its name."""
        assert Regex.parse({"pattern": "a"}) == Regex.parse("a")

    @pytest.mark.parametrize(
        ("pattern", "says"),
        [
            pytest.param("(unclosed", "missing )", id="unclosed"),
            pytest.param("(?=a)b", "look-around", id="look-ahead"),
            pytest.param("(?!a)b", "look-around", id="negative look-ahead"),
            pytest.param("(?<=x)y", "look-around", id="look-behind"),
            pytest.param("(?<!x)y", "look-around", id="negative look-behind"),
            pytest.param(r"(a)\1", "back-reference", id="back-reference"),
            pytest.param("(?P<x>a)(?P=x)", "back-reference", id="named reference"),
            pytest.param("a++", "plain form", id="possessive"),
            pytest.param("(?>a)", "plain form", id="atomic"),
            pytest.param(r"a\Z", r"\z", id="end of text"),
            pytest.param(r"\u00e9", "x{00E9}", id="escape"),
            pytest.param("(?x)a", "flags", id="verbose"),
            pytest.param("a{1001}", "1000", id="repetition"),
            pytest.param(r"\p{Latein}", "p{L}", id="unknown class"),
            pytest.param("\ud800", "surrogate", id="no text"),
        ],
    )
    @pytest.mark.parametrize(
        "rule",
        [pytest.param(Regex, id="regex"), pytest.param(NotRegex, id="not_regex")],
    )
    def test_bad_pattern_is_refused_with_a_hint(
        self, rule: type[ParsedRule], pattern: str, says: str
    ) -> None:
        """The error says what to write instead."""
        with pytest.raises(CriterionError) as caught:
            rule.parse(pattern)

        assert says in caught.value.message

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            pytest.param("", (), id="empty"),
            pytest.param(5, (), id="number"),
            pytest.param({}, ("pattern",), id="empty mapping"),
            pytest.param({"pattern": "("}, ("pattern",), id="bad pattern in it"),
            pytest.param({"pattern": "a", "flags": "i"}, (), id="unknown option"),
        ],
    )
    def test_error_says_where(self, value: object, path: tuple[str, ...]) -> None:
        """The path leads to the culprit."""
        with pytest.raises(CriterionError) as caught:
            Regex.parse(value)

        assert caught.value.path == path
