"""False pages: how often chance alone wakes somebody."""

import math

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.passrate import (
    Bar,
    Rules,
    degraded_pages,
    down_pages,
    misses,
    regressed_pages,
    runs_until_degraded,
    runs_until_regressed,
    surely_seen_rate,
)


CONFIRMED = Rules(baseline_runs=20, confirm=True)
AT_ONCE = Rules(baseline_runs=20, confirm=False)
CHANCES = st.floats(0.0, 1.0)
HOURLY = 720


class TestDegradedPages:
    """Two runs in a row below target."""

    @pytest.mark.parametrize(
        ("rate", "a_month"),
        [
            pytest.param(0.99, 0.6, id="99%"),
            pytest.param(0.97, 5.0, id="97%"),
            pytest.param(0.95, 12.5, id="95%"),
        ],
    )
    def test_one_case_hourly(self, rate: float, a_month: float) -> None:
        """Three samples, target 90%: each of them has to pass."""
        below = misses(Bar.of_target(3, 0.9), rate)

        assert below == pytest.approx(1 - rate**3)
        assert degraded_pages(below, HOURLY) == pytest.approx(a_month, abs=0.05)

    def test_what_stays_below_pages_once(self) -> None:
        """One alert that goes on firing."""
        assert degraded_pages(1.0, HOURLY) == 1.0

    @given(CHANCES, st.floats(0.1, 1e5))
    def test_is_bounded(self, below: float, runs: float) -> None:
        """Never negative, never more than every second run."""
        assert 0 <= degraded_pages(below, runs) <= max(1.0, runs / 2)


class TestRegressedPages:
    """A case that always passed fails."""

    def test_without_a_second_look_it_is_a_fail_after_as_many_passes(self) -> None:
        """Run by run: it fails, and the twenty before passed."""
        expected = HOURLY * 0.05 * 0.95**20

        assert regressed_pages(0.05, HOURLY, AT_ONCE) == pytest.approx(expected)

    def test_a_second_look_forgives_most(self) -> None:
        """Both have to fail."""
        once = regressed_pages(0.007, HOURLY, AT_ONCE)

        assert regressed_pages(0.007, HOURLY, CONFIRMED) < once / 100

    def test_what_fails_often_has_no_baseline(self) -> None:
        """It regresses less often than what fails now and then."""
        often, now_and_then = (
            regressed_pages(chance, HOURLY, AT_ONCE) for chance in (0.5, 0.05)
        )

        assert often < now_and_then

    @given(CHANCES, st.booleans())
    def test_is_bounded(self, fails: float, confirm: bool) -> None:  # noqa: FBT001
        """Never negative, and never more than one in as many runs as it must pass."""
        rules = Rules(baseline_runs=20, confirm=confirm)

        assert 0 <= regressed_pages(fails, HOURLY, rules) <= HOURLY / 20

    @given(CHANCES)
    def test_confirm_never_adds(self, fails: float) -> None:
        """A second look takes pages away."""
        confirmed = regressed_pages(fails, HOURLY, CONFIRMED)

        assert confirmed <= regressed_pages(fails, HOURLY, AT_ONCE) * (1 + 1e-9)


class TestDownPages:
    """Nothing is answered."""

    def test_two_runs_in_a_row_are_one_page(self) -> None:
        """It begins where the run before was answered."""
        assert down_pages(0.1, HOURLY, AT_ONCE) == pytest.approx(HOURLY * 0.1 * 0.9)

    def test_a_second_look_must_be_unanswered_too(self) -> None:
        """For small chances about the square."""
        found = down_pages(1e-3, HOURLY, CONFIRMED)

        assert found == pytest.approx(HOURLY * 1e-6, rel=1e-3)

    @pytest.mark.parametrize("unanswered", [0.0, 1e-300, 1.0])
    def test_the_ends(self, unanswered: float) -> None:
        """What never begins, and what never ends."""
        found = down_pages(unanswered, HOURLY, CONFIRMED)

        assert found == pytest.approx(0.0, abs=1e-200)


class TestRunsUntil:
    """How soon a drop pages."""

    def test_two_in_a_row(self) -> None:
        """A coin shows two heads in a row after six throws on average."""
        assert runs_until_degraded(0.5) == 6.0

    def test_what_is_always_below(self) -> None:
        """Two runs, no more and no fewer."""
        assert runs_until_degraded(1.0) == 2.0

    def test_what_is_never_below(self) -> None:
        """No run is enough."""
        assert runs_until_degraded(0.0) == math.inf

    @pytest.mark.parametrize(
        ("fails", "rules", "runs"),
        [
            pytest.param([0.5], AT_ONCE, 2.0, id="one case"),
            pytest.param([0.5], CONFIRMED, 4.0, id="confirmed"),
            pytest.param([0.5, 0.5], AT_ONCE, 4 / 3, id="the first of two"),
            pytest.param([1.0, 0.1], CONFIRMED, 1.0, id="certain"),
            pytest.param([0.0], AT_ONCE, math.inf, id="never"),
        ],
    )
    def test_a_case(self, fails: list[float], rules: Rules, runs: float) -> None:
        """Any of them."""
        assert runs_until_regressed(fails, rules) == pytest.approx(runs)


class TestSurelySeenRate:
    """What two runs show."""

    def test_three_samples(self) -> None:
        """Both runs below target, 4 times of 5: 1 - rate**3 is the root of 0.8."""
        rate = surely_seen_rate(Bar(3, 3))

        assert rate == pytest.approx((1 - math.sqrt(0.8)) ** (1 / 3), abs=1e-6)

    def test_more_samples_show_less(self) -> None:
        """The rate comes closer to the target."""
        found = [surely_seen_rate(Bar.of_target(n, 0.9)) or 0 for n in (10, 50, 200)]

        assert found == sorted(found)
        assert found[-1] < 0.9

    def test_without_a_bar_nothing_shows(self) -> None:
        """No rate is low enough."""
        assert surely_seen_rate(Bar(3, 0)) is None
