from hypothesis import given
from hypothesis import strategies as st

from answerprobe.scheduler import _grid as grid


NAMES = st.text(min_size=1, max_size=30)
INTERVALS = st.floats(min_value=1, max_value=86_400 * 7)
INSTANTS = st.floats(min_value=1.7e9, max_value=2.5e9)


class TestOffset:
    @given(name=NAMES, interval=INTERVALS)
    def test_lies_within_the_interval(self, name: str, interval: float) -> None:
        """A grid is never shifted by a whole interval or more."""
        assert 0 <= grid.offset(name, interval) < interval

    def test_spreads_monitors_over_the_interval(self) -> None:
        """A thousand hourly monitors are not due in the same minute."""
        offsets = [grid.offset(f"monitor {n}", 3600) for n in range(1000)]

        minutes = {int(offset // 60) for offset in offsets}
        assert len(minutes) == 60


class TestFirstDue:
    @given(name=NAMES, interval=INTERVALS, now=INSTANTS)
    def test_is_soon(self, name: str, interval: float, now: float) -> None:
        """A new monitor waits for 30 s at most, and for no more than its interval."""
        wait = grid.first_due(name, interval, now=now) - now

        assert -1e-6 <= wait <= min(interval, 30.0)


class TestRestoredDue:
    def test_keeps_the_phase_over_a_restart(self) -> None:
        """A due time ahead stays."""
        assert grid.restored_due(1_000_100, 3600, now=1_000_000) == 1_000_100

    def test_runs_once_what_is_overdue(self) -> None:
        """Days without the daemon make one run, now."""
        assert grid.restored_due(1_000_000, 3600, now=2_000_000) == 2_000_000

    def test_distrusts_a_due_time_too_far_ahead(self) -> None:
        """After the clock was set back, a monitor does not wait for days."""
        assert grid.restored_due(9_000_000, 3600, now=1_000_000) == 1_000_000


class TestNextDue:
    @given(name=NAMES, interval=INTERVALS, now=INSTANTS)
    def test_lies_ahead_by_an_interval_at_most(
        self, name: str, interval: float, now: float
    ) -> None:
        """Whatever the clock says, it neither floods nor stalls."""
        due = grid.next_due(name, interval, due=now, now=now)

        assert 0 < due - now <= interval * 1.01

    @given(name=NAMES, interval=INTERVALS, now=INSTANTS)
    def test_steps_by_exactly_one_interval_on_the_grid(
        self, name: str, interval: float, now: float
    ) -> None:
        """From a point of the grid the next is an interval away."""
        first = grid.next_due(name, interval, due=now, now=now)

        second = grid.next_due(name, interval, due=first, now=first)

        assert abs(second - first - interval) < 1e-3

    @given(name=NAMES, interval=INTERVALS, now=INSTANTS, early=st.floats(-0.01, 0.01))
    def test_does_not_repeat_a_point_when_a_timer_fires_early(
        self, name: str, interval: float, now: float, early: float
    ) -> None:
        """A timer that is a few milliseconds off makes no second run."""
        first = grid.next_due(name, interval, due=now, now=now)

        second = grid.next_due(name, interval, due=first, now=first + early)

        assert abs(second - first - interval) < 1e-3

    @given(name=NAMES, interval=INTERVALS, now=INSTANTS, jump=st.floats(-1e7, 1e7))
    def test_a_clock_that_jumped_is_right(
        self, name: str, interval: float, now: float, jump: float
    ) -> None:
        """After a jump the next run is at most one and a half intervals away."""
        due = grid.next_due(name, interval, due=now, now=now + jump)

        assert due - (now + jump) <= interval * 1.51
