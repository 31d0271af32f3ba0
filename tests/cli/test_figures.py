"""Figures of chance, as a person reads them."""

import math

import pytest

from answerprobe.cli import _figures as figures


class TestOften:
    """How often something happens."""

    @pytest.mark.parametrize(
        ("count", "shown"),
        [
            pytest.param(0.0, "0.00", id="0.0"),
            pytest.param(0.0042, "0.00", id="0.0042"),
            pytest.param(0.0275, "0.03", id="0.0275"),
            pytest.param(0.0996, "0.1", id="0.0996"),
            pytest.param(12.54, "12.5", id="12.54"),
            pytest.param(99.96, "100", id="99.96"),
            pytest.param(1234.5, "1,234", id="1234.5"),
        ],
    )
    def test_two_digits_matter(self, count: float, shown: str) -> None:
        """Small ones keep two decimals, large ones none."""
        assert figures.often(count) == shown


class TestSpan:
    """How long something takes."""

    @pytest.mark.parametrize(
        ("seconds", "shown"),
        [
            pytest.param(0.2, "1s", id="0.2"),
            pytest.param(42.4, "42s", id="42.4"),
            pytest.param(6904.0, "1h55m", id="6904.0"),
            (100_000.0, "1d4h"),
            (400_000.0, "5 days"),
            pytest.param(1e10, "never", id="1e10"),
            pytest.param(math.inf, "never", id="math.inf"),
        ],
    )
    def test_two_units_at_most(self, seconds: float, shown: str) -> None:
        """What takes over ten years does not happen."""
        assert figures.span(seconds) == shown


class TestRuns:
    """After how many runs."""

    @pytest.mark.parametrize(
        ("number", "shown"),
        [
            pytest.param(3.84, "3.8", id="3.84"),
            pytest.param(142.6, "143", id="142.6"),
            pytest.param(1e7, "never", id="1e7"),
            pytest.param(math.inf, "never", id="math.inf"),
        ],
    )
    def test_a_tenth_of_a_few(self, number: float, shown: str) -> None:
        """Of many, whole ones."""
        assert figures.runs(number) == shown


class TestDollars:
    """What something costs."""

    @pytest.mark.parametrize(
        ("amount", "shown"),
        [
            pytest.param(None, "", id="None"),
            pytest.param(0.0, "0.00", id="0.0"),
            pytest.param(0.001, "<0.01", id="0.001"),
            pytest.param(1234.5, "1,234.50", id="1234.5"),
        ],
    )
    def test_in_cents(self, amount: float | None, shown: str) -> None:
        """What costs something is never shown as nothing."""
        assert figures.dollars(amount) == shown


class TestAtMost:
    """A rate that a drop must reach."""

    @pytest.mark.parametrize(
        ("rate", "shown"),
        [
            pytest.param(0.4726, "47% or less", id="0.4726"),
            pytest.param(0.5, "50% or less", id="0.5"),
            pytest.param(None, "no drop", id="None"),
        ],
    )
    def test_is_rounded_down(self, rate: float | None, shown: str) -> None:
        """More than is true is not promised."""
        assert figures.at_most(rate) == shown
