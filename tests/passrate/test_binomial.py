"""Exact binomial probabilities."""

import math

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.passrate import Z_95, Bar, best_bound, clears, misses


RATES = st.floats(0.001, 0.999)


def summed_up(bar: Bar, rate: float) -> float:
    """Return the chance to miss *bar*, term by term."""
    return math.fsum(
        math.comb(bar.samples, k) * rate**k * (1 - rate) ** (bar.samples - k)
        for k in range(min(bar.needed, bar.samples + 1))
    )


class TestBar:
    """How many samples must pass."""

    @pytest.mark.parametrize(
        ("samples", "target", "needed"),
        [
            pytest.param(3, 0.9, 3, id="all of three"),
            pytest.param(10, 0.9, 9, id="exactly the target"),
            pytest.param(12, 0.9, 11, id="rounded up"),
            pytest.param(100, 0.29, 29, id="a product that is rounded down"),
            pytest.param(100, 0.07, 7, id="a product that is rounded up"),
            pytest.param(5, 1.0, 5, id="every one"),
        ],
    )
    def test_of_a_target(self, samples: int, target: float, needed: int) -> None:
        """The fewest passes whose ratio is not below it."""
        assert Bar.of_target(samples, target) == Bar(samples, needed)

    @given(st.integers(1, 2000), st.floats(0.001, 1.0))
    def test_agrees_with_how_runs_are_compared(
        self, samples: int, target: float
    ) -> None:
        """One pass fewer is below the target."""
        _, needed = Bar.of_target(samples, target)

        assert needed / samples >= target > (needed - 1) / samples

    @pytest.mark.parametrize("samples", [4, 5, 20, 200])
    def test_of_a_threshold(self, samples: int) -> None:
        """The fewest passes whose lower bound is above it."""
        _, needed = Bar.of_threshold(samples, 0.5, Z_95)

        assert clears(needed, samples, 0.5, Z_95)
        assert not clears(needed - 1, samples, 0.5, Z_95)

    def test_of_a_threshold_that_nothing_clears(self) -> None:
        """More than there are."""
        assert best_bound(3, Z_95) < 0.5
        assert Bar.of_threshold(3, 0.5, Z_95) == Bar(3, 4)


class TestMisses:
    """The chance that too few pass."""

    @given(st.integers(1, 80), st.integers(0, 81), RATES)
    def test_is_that_of_the_terms_summed_up(
        self, samples: int, needed: int, rate: float
    ) -> None:
        """Whichever end it is summed up from."""
        bar = Bar(samples, min(needed, samples + 1))

        assert misses(bar, rate) == pytest.approx(summed_up(bar, rate), abs=1e-12)

    @pytest.mark.parametrize(
        ("bar", "rate", "chance"),
        [
            # Poisson with mean 2 is its limit: P(X > 4) = 0.0527 (Abramowitz and
            # Stegun, table 26.7 with chi-squared 4 and 10 degrees of freedom: 0.94735).
            pytest.param(Bar(20_000, 19_996), 0.9999, 0.05265, id="poisson"),
            # The normal distribution is its limit in the middle.
            pytest.param(Bar(20_000, 10_000), 0.5, 0.4972, id="middle"),
            pytest.param(Bar(20_000, 20_000), 0.95, 1.0, id="hopeless"),
            pytest.param(Bar(20_000, 1), 0.95, 0.0, id="sure"),
        ],
    )
    def test_of_many_samples(self, bar: Bar, rate: float, chance: float) -> None:
        """No term is too large or too small for a float."""
        assert misses(bar, rate) == pytest.approx(chance, abs=5e-5)

    @pytest.mark.parametrize(
        ("bar", "rate", "chance"),
        [
            pytest.param(Bar(3, 2), 0.0, 1.0, id="nothing passes"),
            pytest.param(Bar(3, 2), 1.0, 0.0, id="everything passes"),
            pytest.param(Bar(3, 0), 0.0, 0.0, id="nothing is needed"),
            pytest.param(Bar(3, 4), 1.0, 1.0, id="more than there are"),
        ],
    )
    def test_at_the_ends(self, bar: Bar, rate: float, chance: float) -> None:
        """What is certain."""
        assert misses(bar, rate) == chance

    @given(st.integers(1, 300), RATES, RATES)
    def test_falls_with_the_rate(self, samples: int, one: float, other: float) -> None:
        """Better answers miss a bar less often."""
        bar = Bar(samples, -(-2 * samples // 3))
        low, high = sorted((one, other))

        assert misses(bar, low) >= misses(bar, high) - 1e-12
