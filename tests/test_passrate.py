"""Statistics of pass rates."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.passrate import wilson


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
