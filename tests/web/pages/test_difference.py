"""Two answers, word by word."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.web.pages._difference import Difference, Piece, difference


GOOD = "You can return anything within 30 days of delivery."


def marked(pieces: tuple[Piece, ...]) -> list[str]:
    """Return what is marked of *pieces*."""
    return [piece.text for piece in pieces if piece.differs]


def text(pieces: tuple[Piece, ...]) -> str:
    """Return all of *pieces*."""
    return "".join(piece.text for piece in pieces)


class TestDifference:
    @pytest.mark.parametrize(
        ("new", "only_new", "only_good"),
        [
            pytest.param(GOOD, [], [], id="same"),
            pytest.param(GOOD.replace("30", "90"), ["90"], ["30"], id="one-word"),
            pytest.param(f"{GOOD} Or not.", ["Or not."], [], id="longer"),
            pytest.param(
                "You can return anything within 30 days.",
                [],
                ["of delivery"],
                id="less",
            ),
        ],
    )
    def test_whole_words_are_marked(
        self, new: str, only_new: list[str], only_good: list[str]
    ) -> None:
        """Not letters, and not the blanks around them."""
        found = difference(new, GOOD)

        assert found.alike
        assert (marked(found.new), marked(found.good)) == (only_new, only_good)

    def test_texts_without_much_in_common_are_not_marked(self) -> None:
        """Marks on everything would say nothing."""
        found = difference("Sixty, more or less.", GOOD)

        assert not found.alike
        assert marked(found.new) == marked(found.good) == []

    def test_a_lone_sign_between_changes_is_read_as_changed(self) -> None:
        """Speckles of what is the same by chance help nobody."""
        found = difference(
            "We sell red, green shoes today", "We sell big, new shoes today"
        )

        assert marked(found.new) == ["red, green"]

    @given(st.text(max_size=200), st.text(max_size=200))
    def test_nothing_is_lost(self, new: str, good: str) -> None:
        """Both texts can be read in full, whatever they are."""
        found = difference(new, good)

        assert (text(found.new), text(found.good)) == (new, good)

    @pytest.mark.parametrize(
        "new",
        [
            pytest.param("a " * 1000, id="repeated"),
            pytest.param("ab" * 1000, id="one-word"),
            pytest.param("a b " * 500, id="alternating"),
            pytest.param("., " * 700, id="signs"),
        ],
    )
    def test_long_texts_are_no_burden(self, new: str) -> None:
        """2 KB of the worst; its time is bounded by the suite's own limit."""
        found = difference(new, new[::-1])

        assert isinstance(found, Difference)

    def test_beyond_all_bounds_there_are_no_marks(self) -> None:
        """Nothing so long is ever kept."""
        found = difference("a b " * 50_000, "a c " * 50_000)

        assert not found.alike
