"""What would make a monitor page less for nothing, or notice a drop sooner."""

import pytest

from answerprobe.config import plan
from answerprobe.config.advice import Option, as_it_is, options
from config.loading import load_text, whole


def found(text: str) -> dict[str, Option]:
    """Return the options of the one monitor by what would be written."""
    (only,) = plan(load_text(text))
    return {option.change: option for option in options(only)}


class TestOptions:
    """Concrete numbers, worked out."""

    def test_begin_with_what_there_is(self) -> None:
        """To compare with."""
        (only,) = plan(load_text(whole()))

        first, *_ = options(only)

        assert first == as_it_is(only)
        assert first.pages == only.false_pages(0.97, confirm=True).total
        assert first.samples_a_month == 2160

    def test_of_one_case(self) -> None:
        """Five samples would page more at 90%; ten forgive one."""
        changes = found(whole())

        assert list(changes) == [
            "as it is",
            "samples: 10",
            "4 cases",
            "target: 66%",
            "every: 30m",
        ]

    @pytest.mark.parametrize("change", ["samples: 10", "4 cases", "target: 66%"])
    def test_halves_the_false_pages(self, change: str) -> None:
        """Less would not be worth it."""
        changes = found(whole())

        assert changes[change].pages <= changes["as it is"].pages / 2

    def test_is_what_the_plan_says_of_it(self) -> None:
        """As if it were written."""
        (changed,) = plan(load_text(whole("samples: 10")))

        option = found(whole())["samples: 10"]

        assert option.pages == changed.false_pages(0.97, confirm=True).total
        assert option.samples_a_month == changed.samples_a_month

    def test_a_shorter_interval_is_sooner(self) -> None:
        """And asks twice as often."""
        changes = found(whole())

        now, sooner = changes["as it is"], changes["every: 30m"]
        assert sooner.noticed_seconds == now.noticed_seconds / 2
        assert sooner.samples_a_month == 2 * now.samples_a_month

    def test_confirm_is_offered_for_less_than_half(self) -> None:
        """It costs next to nothing: here a quarter of the pages is reason enough."""
        changes = found(whole("confirm: 0"))

        assert changes["confirm: 30s"].pages > changes["as it is"].pages / 2

    def test_confirm_is_offered_where_it_is_off_and_matters(self) -> None:
        """A low target leaves only what a second look can take away."""
        text = "confirm: 0\n    target: 30%"

        assert "confirm: 30s" in found(whole(text))
        assert "confirm: 30s" not in found(whole("target: 30%"))

    def test_a_quorum_that_forgives_nothing_can_forgive(self) -> None:
        """As a case that must pass five times of five regresses by chance."""
        text = "samples: 5\n    pass_at_least: 5\n    target: 50%"
        changes = found(whole(text))

        assert changes["pass_at_least: 4"].pages < changes["as it is"].pages / 2

    def test_samples_of_thresholds_stay(self) -> None:
        """Their bar would have to be chosen anew."""
        text = whole(case="threshold: {above: 0.5}")

        assert not any(change.startswith("samples") for change in found(text))

    def test_on_demand_there_is_none(self) -> None:
        """Nothing comes of itself."""
        assert found(whole("every: manual")) == {}

    def test_no_interval_below_a_minute(self) -> None:
        """That would be a load test."""
        text = whole("every: 90s")

        assert not any(change.startswith("every") for change in found(text))
