"""The rule `starts_with`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.starts_with import StartsWith
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestStartsWith:
    """The answer begins with this text."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param("hello you", Outcome.PASS, id="any case"),
            pytest.param("\n Hello", Outcome.PASS, id="white space before"),
            pytest.param("Oh, hello", Outcome.FAIL, id="later"),
            pytest.param("Hell", Outcome.FAIL, id="cut"),
        ],
    )
    def test_table(self, answer: str, expected: Outcome) -> None:
        """Case and white space before it don't matter."""
        assert outcome(StartsWith.parse("Hello"), answer) is expected

    def test_reason_has_both_beginnings(self) -> None:
        """What it starts with stands beside what was expected."""
        verdict = StartsWith.parse("Hello").check(said("Oh, hello"))

        assert verdict == Verdict(
            criterion="starts_with",
            outcome=Outcome.FAIL,
            reason='starts with "Oh, hello", not with "Hello"',
            unquoted='starts otherwise, not with "Hello"',
        )

    def test_case_may_matter(self) -> None:
        """Its case is told apart where asked."""
        rule = StartsWith.parse({"text": "Hello", "case_sensitive": True})

        assert outcome(rule, "hello") is Outcome.FAIL

    def test_blank_is_refused(self) -> None:
        """Every answer would start with it."""
        with pytest.raises(CriterionError, match="blank"):
            StartsWith.parse("  ")
