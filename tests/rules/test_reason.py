"""What a rule tells the person on call."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.rules._reason import (
    around,
    counted,
    failed,
    listed,
    passed,
    quote,
    seconds,
    visible,
)
from answerprobe.verdict import Outcome, Verdict


_ANY = st.text(alphabet=st.sampled_from("a\0\ud800\n\u202e ") | st.characters())


class TestVerdicts:
    """Passes and fails with bounded reasons."""

    def test_pass_and_fail(self) -> None:
        """Both carry what they are made of."""
        assert passed("contains", "there") == Verdict(
            criterion="contains", outcome=Outcome.PASS, reason="there"
        )
        assert failed("contains", 'is "a"', "is another") == Verdict(
            criterion="contains",
            outcome=Outcome.FAIL,
            reason='is "a"',
            unquoted="is another",
        )

    def test_long_reasons_are_cut(self) -> None:
        """No reason is longer than a few lines, and a cut shows."""
        verdict = failed("contains", "a" * 1000, "b" * 1000)

        assert verdict.reason == "a" * 299 + "…"
        assert verdict.unquoted == "b" * 299 + "…"


class TestQuoting:
    """Pieces of texts that others wrote."""

    @given(_ANY)
    def test_whatever_is_quoted_is_one_visible_line(self, text: str) -> None:
        """Nothing invisible, nothing that turns a line around, no line breaks."""
        shown = visible(text)

        assert shown.isprintable()
        assert shown.encode().decode() == shown

    @given(_ANY, st.integers(1, 100))
    def test_quotes_are_short(self, text: str, longest: int) -> None:
        """A quote is as long as allowed, with its quotation marks."""
        assert len(quote(text, longest)) <= longest + 2

    def test_controls_are_spelled_out(self) -> None:
        """What cannot be seen is told."""
        assert quote("a\nb\x1b\u202e") == r'"a\nb\x1b\u202e"'

    def test_list_names_the_first_and_counts_the_rest(self) -> None:
        """A long list stays readable."""
        assert listed(["a", "b"]) == '"a", "b"'
        assert listed(["a", "b", "c", "d"]) == '"a", "b", "c" and 1 more'

    @pytest.mark.parametrize(
        ("start", "end", "shown"),
        [
            pytest.param(0, 2, '"01234567890123456789012345678901…"', id="start"),
            pytest.param(98, 100, '"…89012345678901234567890123456789"', id="end"),
        ],
    )
    def test_around_marks_what_is_left_out(
        self, start: int, end: int, shown: str
    ) -> None:
        """An excerpt tells where it is cut."""
        assert around("0123456789" * 10, start, end) == shown

    def test_around_a_long_match_is_short(self) -> None:
        """Of a long match only the beginning is shown."""
        assert len(around("a" * 10_000, 0, 10_000)) < 150


class TestNumbers:
    """Times and counts."""

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            pytest.param(1.2, "1.2 s", id="tenth"),
            pytest.param(20.0, "20 s", id="whole"),
            pytest.param(0.0004, "0 s", id="less than a millisecond"),
            pytest.param(1234.5678, "1234.568 s", id="long"),
        ],
    )
    def test_seconds(self, value: float, shown: str) -> None:
        """To the millisecond, without idle zeros."""
        assert seconds(value) == shown

    def test_nouns_have_their_number(self) -> None:
        """One word, two words."""
        assert counted(1, "word") == "1 word"
        assert counted(2000, "word") == "2,000 words"
