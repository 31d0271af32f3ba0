"""The rule `max_words`."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import CriterionError
from answerprobe.rules.max_words import MaxWords, count_words
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestMaxWords:
    """Whether the answer is short enough."""

    def test_reason_names_both_numbers(self) -> None:
        """The count stands beside the limit."""
        verdict = MaxWords(limit=2).check(said("one two three"))

        assert verdict == Verdict(
            criterion="max_words",
            outcome=Outcome.FAIL,
            reason="3 words, limit 2",
        )

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("one two three", id="as many as allowed"),
            pytest.param("one  two\n\nthree", id="wide gaps"),
            pytest.param("one-two, three/four\u00a0five", id="no-break space parts"),
            pytest.param("", id="nothing"),
        ],
    )
    def test_short_enough_passes(self, answer: str) -> None:
        """Words are what white space parts."""
        assert outcome(MaxWords(limit=3), answer) is Outcome.PASS

    def test_one_word_is_singular(self) -> None:
        """The reason reads well for a single word."""
        assert MaxWords(limit=2).check(said("one")).reason == "1 word, limit 2"


class TestCountWords:
    """Counting in pieces."""

    @given(
        st.lists(st.sampled_from(["a", "bb", " ", "\n", "\u00a0", "é"]), max_size=8),
        st.integers(1, 9000),
    )
    def test_pieces_change_nothing(self, parts: list[str], times: int) -> None:
        """A long text has the words that splitting it whole gives."""
        text = "".join(parts) * times

        assert count_words(text) == len(text.split())


class TestParse:
    """The values that a configuration may give it."""

    @pytest.mark.parametrize(
        "value",
        [pytest.param(5, id="number"), pytest.param({"limit": 5}, id="mapping")],
    )
    def test_limit(self, value: object) -> None:
        """The limit may stand alone or by its name."""
        assert MaxWords.parse(value) == MaxWords(limit=5)

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("many", id="text"),
            pytest.param("5", id="number as text"),
            pytest.param(True, id="true"),
            pytest.param(0, id="zero"),
            pytest.param(-1, id="negative"),
            pytest.param(2.5, id="fraction"),
            pytest.param(None, id="null"),
            pytest.param({}, id="empty mapping"),
            pytest.param({"limit": "5"}, id="text in a mapping"),
            pytest.param({"limit": 5, "max": 6}, id="unknown option"),
        ],
    )
    def test_other_values_are_refused(self, value: object) -> None:
        """Anything but a whole number above 0 is an error."""
        with pytest.raises(CriterionError):
            MaxWords.parse(value)
