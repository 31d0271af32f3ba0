"""Does a rubric ask for several things at once?"""

import pytest

from answerprobe.config._several import asks_several


class TestAsksSeveral:
    """A guess made to be quiet."""

    @pytest.mark.parametrize(
        "rubric",
        [
            "Gives the 30-day refund window and links the policy.",
            "Names the price and does not promise a discount.",
            "States the opening hours and then asks for the branch.",
            "Apologizes and offers a refund.",
            "Says nine. Mentions that Sunday is closed. Offers a map.",
            "Must name the policy; must give a link to it",
            "The answer:\n- gives the window\n- links the policy",
            "The answer must\n1. greet the user\n2. give the window",
            "The answer is polite but doesn't apologise.",
        ],
    )
    def test_several(self, rubric: str) -> None:
        """Two verbs, sentences, or a list."""
        assert asks_several(rubric)

    @pytest.mark.parametrize(
        "rubric",
        [
            "Says nine.",
            "Gives the 30-day refund window.",
            "Lists names and prices of all plans.",
            "Says that shipping is free in Germany and Austria.",
            "Gives terms and conditions in plain words.",
            "Names the policies and links.",
            "Says that the shop opens at 9 a.m. on weekdays.",
            "Gives a source, e.g. the policy page.",
            "Refuses to name the customer's card. For example by saying it may not.",
            "Offers help in returning the shoes (this includes a label).",
            "Gives the window. Greetings and offers of help are fine.",
            "",
        ],
    )
    def test_one(self, rubric: str) -> None:
        """Lists of nouns, and what only explains."""
        assert not asks_several(rubric)

    @pytest.mark.parametrize(
        "rubric",
        [
            pytest.param("and " * 20_000, id="and"),
            pytest.param("a " + "s" * 80_000, id="one word"),
            pytest.param(" " * 80_000, id="blanks"),
            pytest.param("\n-" * 40_000, id="an empty list"),
        ],
    )
    @pytest.mark.timeout(30)
    def test_a_long_one_takes_no_time(self, rubric: str) -> None:
        """No pattern goes back and forth."""
        assert not asks_several(rubric)
