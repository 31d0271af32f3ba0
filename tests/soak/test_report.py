"""What the soak calls a problem."""

from dataclasses import dataclass, field

from soak.program import Scrape
from soak.report import Reading, lag_seconds, problems


_TEXT = """\
# TYPE answerprobe_runs_total counter
answerprobe_runs_total{{monitor="a",state="completed"}} {runs}
# TYPE answerprobe_internal_errors_total counter
answerprobe_internal_errors_total {errors}
# TYPE answerprobe_event_loop_lag_seconds histogram
answerprobe_event_loop_lag_seconds_bucket{{le="0.01"}} 98
answerprobe_event_loop_lag_seconds_bucket{{le="0.05"}} 99
answerprobe_event_loop_lag_seconds_bucket{{le="+Inf"}} 100
"""


@dataclass
class Listed:
    """A program whose API lists these runs."""

    states: list[str] = field(default_factory=lambda: ["completed"] * 3)

    def runs(self) -> list[dict[str, object]]:
        """Return the runs."""
        return [
            {"id": number, "monitor": "a", "state": state}
            for number, state in enumerate(self.states)
        ]


def scrape(*, runs: int = 3, errors: int = 0) -> Scrape:
    """Return what a daemon says that has made so many *runs* and *errors*."""
    return Scrape(_TEXT.format(runs=runs, errors=errors))


def readings(
    *, grown_bytes: int = 0, opened: int = 0, last: Scrape | None = None
) -> list[Reading]:
    """Return ten minutes in which so much was taken a minute."""
    return [
        Reading(
            minute=float(minute),
            resident_bytes=(100 << 20) + minute * grown_bytes,
            descriptors=20 + minute * opened,
            scrape=last or scrape(),
        )
        for minute in range(11)
    ]


class TestProblems:
    """What makes a soak fail."""

    def test_nothing_is_wrong(self) -> None:
        """All runs are there, nothing grew."""
        assert problems(readings(), Listed()) == []

    def test_a_run_that_is_not_in_the_store_is_lost(self) -> None:
        """It was counted, so it was finished."""
        found = problems(readings(last=scrape(runs=4)), Listed())

        assert found == ["1 runs are lost"]

    def test_a_run_that_was_not_counted_is_told(self) -> None:
        """The books must agree both ways."""
        found = problems(readings(last=scrape(runs=2)), Listed())

        assert found == ["1 runs are in the store but were not counted"]

    def test_a_run_that_goes_on_for_ever_is_told(self) -> None:
        """Nothing runs any more when the soak ends."""
        found = problems(readings(), Listed(["running"] * 3))

        assert found == ["run 0 is running for ever"]

    def test_memory_that_grows_and_stays_is_a_leak(self) -> None:
        """Beyond what caches take."""
        assert problems(readings(grown_bytes=1 << 20), Listed()) == []
        (found,) = problems(readings(grown_bytes=16 << 20), Listed())

        assert found.startswith("memory grew from")

    def test_descriptors_that_grow_and_stay_are_a_leak(self) -> None:
        """A few come and go."""
        (found,) = problems(readings(opened=50), Listed())

        assert found.startswith("descriptors grew from")

    def test_an_internal_error_is_a_problem(self) -> None:
        """The log has it."""
        found = problems(readings(last=scrape(errors=2)), Listed())

        assert found == ["2 internal errors: the log has them"]


class TestLag:
    """The loop's lag at a quantile."""

    def test_it_is_the_bound_of_its_bucket(self) -> None:
        """No more than the histogram says."""
        assert lag_seconds(scrape(), 0.5) == 0.01
        assert lag_seconds(scrape(), 0.99) == 0.05
