"""Statistics of pass rates."""

import math

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.passrate import (
    Change,
    Counted,
    Difference,
    best_bound,
    clears,
    newcombe,
    rate_to_separate,
    runs_to_separate,
    smallest_number,
    wilson,
    z_of,
)


class TestWilson:
    """The Wilson score interval."""

    @pytest.mark.parametrize(
        ("passed", "judged", "low"),
        [
            pytest.param(1, 1, 0.2065, id="1 of 1"),
            pytest.param(3, 3, 0.4385, id="3 of 3"),
            pytest.param(4, 4, 0.5101, id="4 of 4"),
            pytest.param(20, 20, 0.8389, id="20 of 20"),
        ],
    )
    def test_known_lower_bounds(self, passed: int, judged: int, low: float) -> None:
        """Bounds as tables have them, at 95%."""
        assert wilson(passed, judged).low == pytest.approx(low, abs=5e-5)

    @pytest.mark.parametrize(
        ("passed", "judged", "interval"),
        [
            pytest.param(81, 263, (0.2553, 0.3662), id="81 of 263"),
            pytest.param(15, 148, (0.0624, 0.1605), id="15 of 148"),
            pytest.param(0, 20, (0.0, 0.1611), id="0 of 20"),
            pytest.param(1, 29, (0.0061, 0.1718), id="1 of 29"),
        ],
    )
    def test_published_intervals(
        self, passed: int, judged: int, interval: tuple[float, float]
    ) -> None:
        """Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3."""
        assert wilson(passed, judged) == pytest.approx(interval, abs=5e-5)

    def test_known_interval(self) -> None:
        """Both bounds of a rate in the middle."""
        interval = wilson(8, 10)

        assert interval == pytest.approx((0.4902, 0.9433), abs=5e-5)

    def test_holds_the_rate_whatever_the_counts(self) -> None:
        """For all counts up to 200: 0 <= low <= rate <= high <= 1."""
        for judged in range(1, 201):
            for passed in range(judged + 1):
                low, high = wilson(passed, judged)
                assert 0 <= low <= passed / judged <= high <= 1

    def test_more_passes_raise_both_bounds(self) -> None:
        """It grows with the passes, for all counts up to 100."""
        for judged in range(1, 101):
            intervals = [wilson(passed, judged) for passed in range(judged + 1)]
            assert intervals == sorted(intervals)

    @given(st.integers(1, 1000), st.data())
    def test_passes_and_fails_mirror(self, judged: int, data: st.DataObject) -> None:
        """The interval of the fails is that of the passes, seen from 1."""
        passed = data.draw(st.integers(0, judged))

        low, high = wilson(passed, judged)

        assert wilson(judged - passed, judged) == pytest.approx((1 - high, 1 - low))

    @given(st.integers(1, 1000), st.data())
    def test_more_confidence_is_wider(self, judged: int, data: st.DataObject) -> None:
        """A higher z takes in more."""
        passed = data.draw(st.integers(0, judged))

        narrow, wide = wilson(passed, judged, 1.64), wilson(passed, judged, 2.58)

        assert wide.low <= narrow.low <= narrow.high <= wide.high

    @pytest.mark.parametrize(
        ("passed", "judged"),
        [
            pytest.param(0, 0, id="none judged"),
            pytest.param(2, 1, id="more than judged"),
            pytest.param(-1, 1, id="negative"),
        ],
    )
    def test_impossible_counts_are_refused(self, passed: int, judged: int) -> None:
        """Nothing judged has no rate: that is for the caller to know."""
        with pytest.raises(ValueError, match="no pass rate"):
            wilson(passed, judged)


counted = st.integers(1, 200).flatmap(
    lambda judged: st.builds(Counted, st.integers(0, judged), st.just(judged))
)


class TestNewcombe:
    """The hybrid score interval of the difference of two pass rates."""

    @pytest.mark.parametrize(
        ("after", "before", "interval"),
        [
            pytest.param((56, 70), (48, 80), (0.0524, 0.3339), id="a"),
            pytest.param((9, 10), (3, 10), (0.1705, 0.8090), id="b"),
            pytest.param((6, 7), (2, 7), (0.0582, 0.8062), id="c"),
            pytest.param((5, 56), (0, 29), (-0.0381, 0.1926), id="d"),
            pytest.param((0, 10), (0, 20), (-0.1611, 0.2775), id="e"),
            pytest.param((0, 10), (0, 10), (-0.2775, 0.2775), id="f"),
            pytest.param((10, 10), (0, 20), (0.6791, 1.0), id="g"),
            pytest.param((10, 10), (0, 10), (0.6075, 1.0), id="h"),
        ],
    )
    def test_published_intervals(
        self,
        after: tuple[int, int],
        before: tuple[int, int],
        interval: tuple[float, float],
    ) -> None:
        """Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10."""
        found = newcombe(Counted(*before), Counted(*after))

        # The last digit is rounded, and z is 1.96 here.
        assert (found.low, found.high) == pytest.approx(interval, abs=1e-4)

    @given(counted, counted)
    def test_holds_the_difference_within_bounds(
        self, before: Counted, after: Counted
    ) -> None:
        """-1 <= low <= difference <= high <= 1."""
        difference, low, high = newcombe(before, after)

        assert -1 - 1e-9 <= low <= difference <= high <= 1 + 1e-9

    @given(counted, counted)
    def test_swapped_groups_mirror(self, before: Counted, after: Counted) -> None:
        """Which of the two came first changes the sign, nothing else."""
        difference, low, high = newcombe(before, after)

        swapped = newcombe(after, before)

        assert swapped == pytest.approx((-difference, -high, -low))

    @given(counted, st.integers(1, 100), st.data())
    def test_more_passes_raise_both_bounds(
        self, before: Counted, judged: int, data: st.DataObject
    ) -> None:
        """One more pass afterwards never lowers a bound."""
        passed = data.draw(st.integers(0, judged - 1))

        one = newcombe(before, Counted(passed, judged))
        more = newcombe(before, Counted(passed + 1, judged))

        assert more.low >= one.low - 1e-12
        assert more.high >= one.high - 1e-12


class TestChange:
    """The three words for a difference."""

    @pytest.mark.parametrize(
        ("low", "high", "change"),
        [
            pytest.param(0.01, 0.3, Change.IMPROVED, id="above 0"),
            pytest.param(-0.3, -0.01, Change.REGRESSED, id="below 0"),
            pytest.param(-0.1, 0.3, Change.NO_DETECTABLE_DIFFERENCE, id="around 0"),
            pytest.param(0.0, 0.3, Change.NO_DETECTABLE_DIFFERENCE, id="from 0"),
        ],
    )
    def test_a_difference_is_one_whose_interval_leaves_out_0(
        self, low: float, high: float, change: Change
    ) -> None:
        """Where 0 lies inside, nothing may be said."""
        assert Change.of(Difference((low + high) / 2, low, high)) is change


class TestBar:
    """What clears the bar of a threshold."""

    @pytest.mark.parametrize(
        ("above", "confidence", "number"),
        [
            pytest.param(0.5, 0.95, 4, id="half"),
            pytest.param(0.8, 0.95, 16, id="four fifths"),
            pytest.param(0.9, 0.95, 35, id="nine tenths"),
            pytest.param(0.5, 0.99, 7, id="half, surer"),
            pytest.param(0.25, 0.95, 2, id="a quarter"),
            pytest.param(0.0, 0.95, 1, id="anything at all"),
            pytest.param(0.99, 0.95, None, id="out of reach"),
            pytest.param(1.0, 0.95, None, id="certainty"),
        ],
    )
    def test_the_smallest_number_that_could_clear_it(
        self, above: float, confidence: float, number: int | None
    ) -> None:
        """That many passes clear it, one fewer do not."""
        z = z_of(confidence)

        assert smallest_number(above, z, 200) == number
        if number:
            assert clears(number, number, above, z)
            assert best_bound(number - 1, z) <= above if number > 1 else True

    def test_nothing_judged_clears_nothing(self) -> None:
        """Not even a bar of 0."""
        assert not clears(0, 0, 0.0, z_of(0.95))

    def test_confidence_is_two_sided(self) -> None:
        """As tables have it."""
        found = [z_of(0.9), z_of(0.95), z_of(0.99)]

        assert found == pytest.approx([1.6449, 1.96, 2.5758], abs=5e-5)


rates = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


def binomial(passed: int, samples: int, rate: float) -> float:
    """Return how likely so many of *samples* pass."""
    ways = math.comb(samples, passed)
    return ways * rate**passed * (1 - rate) ** (samples - passed)


class TestRunsToSeparate:
    """How many samples show a difference."""

    @pytest.mark.parametrize(
        ("one", "other", "number"),
        [
            pytest.param(0.9, 0.7, 62, id="a fifth apart"),
            pytest.param(0.5, 0.6, 388, id="a tenth apart"),
            pytest.param(0.65, 0.45, 96, id="around the middle"),
        ],
    )
    def test_known_numbers(self, one: float, other: float, number: int) -> None:
        """As calculators of sample sizes have them, for 95% and 80%."""
        assert runs_to_separate(one, other) == number

    def test_nothing_separates_what_is_alike(self) -> None:
        """Equal rates need no number, there is none."""
        assert runs_to_separate(0.7, 0.7) is None

    def test_the_number_has_its_power(self) -> None:
        """With so many samples 4 of 5 experiments find a drop from 95% to 70%."""
        number = runs_to_separate(0.95, 0.7) or 0
        outcomes = range(number + 1)

        power = math.fsum(
            binomial(before, number, 0.95) * binomial(after, number, 0.7)
            for before in outcomes
            for after in outcomes
            if newcombe(Counted(before, number), Counted(after, number)).high < 0
        )

        assert power == pytest.approx(0.8, abs=0.05)

    @given(rates, rates)
    def test_is_at_least_one_and_symmetric(self, one: float, other: float) -> None:
        """Which of the two came first does not matter."""
        number = runs_to_separate(one, other)

        assert number == runs_to_separate(other, one)
        assert number is None or number >= 1


class TestRateToSeparate:
    """The other way round: which rate so many samples show."""

    @given(st.floats(0.05, 1.0), st.integers(1, 5000))
    def test_is_the_highest_that_takes_no_more(self, one: float, samples: int) -> None:
        """A little above it takes more, where there is one at all."""
        found = rate_to_separate(one, samples)

        if found is None:
            assert (runs_to_separate(one, 0.0) or 0) > samples
            return
        needed = runs_to_separate(one, found)
        assert needed is not None
        assert needed <= samples
        above = runs_to_separate(one, found + (one - found) * 1e-3)
        assert above is None or above >= samples

    def test_a_known_one(self) -> None:
        """90% against 80% takes 199 of each."""
        assert runs_to_separate(0.9, 0.8) == 199
        assert rate_to_separate(0.9, 199) == pytest.approx(0.8, abs=1e-3)
