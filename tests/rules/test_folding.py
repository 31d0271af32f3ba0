"""When two texts are the same to a reader."""

import unicodedata

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.rules._folding import fold


_MARKS = st.text(alphabet="a\u0301\u0323 e\u1112\u1161\u11abÉß\u0390", max_size=40)


class TestFold:
    """What the text rules compare."""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("Ä", "a\u0308", id="decomposed and capital"),
            pytest.param("ﷺ", "ﷺ", id="itself"),
            pytest.param("30\u202fdays", "30 days", id="narrow no-break space"),
            pytest.param("30\u2011day", "30-day", id="non-breaking hyphen"),
            pytest.param("don\u2019t", "DON'T", id="curly apostrophe"),
            pytest.param("\u201cyes\u201d", '"yes"', id="curly quotation marks"),
            pytest.param("Maße", "MASSE", id="sharp s"),
            pytest.param("\u1112\u1161\u11ab", "\ud55c", id="hangul"),
        ],
    )
    def test_same(self, one: str, other: str) -> None:
        """These read the same."""
        assert fold(one, case_sensitive=False) == fold(other, case_sensitive=False)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("café", "cafe", id="accent"),
            pytest.param("10²", "102", id="superscript"),
            pytest.param("a b", "a\nb", id="line break"),
            pytest.param("1\u2013 2", "1- 2", id="en dash"),
        ],
    )
    def test_different(self, one: str, other: str) -> None:
        """These do not."""
        assert fold(one, case_sensitive=False) != fold(other, case_sensitive=False)

    @given(_MARKS)
    def test_composition_does_not_matter(self, text: str) -> None:
        """Composed and decomposed, a text folds to the same."""
        decomposed = unicodedata.normalize("NFD", text)

        assert fold(text, case_sensitive=True) == fold(decomposed, case_sensitive=True)

    @given(_MARKS, st.integers(1000, 1100))
    def test_long_texts_fold_as_short_ones(self, text: str, before: int) -> None:
        """The seams between the pieces of a long text change nothing."""
        folded = fold("x" * before + text, case_sensitive=False)

        assert folded == "x" * before + fold(text, case_sensitive=False)

    def test_a_run_of_marks_takes_linear_time(self) -> None:
        """A text that others take minutes to normalise is folded piece by piece."""
        assert fold("\u0301\u0323" * 100_000, case_sensitive=False)
