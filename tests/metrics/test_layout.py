"""The lines of a monitor's series."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

from answerprobe.metrics.layout import carried_over, criteria_of
from answerprobe.metrics.negotiation import Format
from answerprobe.metrics.store import Segment
from answerprobe.text import scrub
from metrics.making import Shown, make_case, make_monitor


VALUES = st.text(st.characters(exclude_categories=()) | st.sampled_from('"\\\n%{},=#'))


class TestLabels:
    """Label values in lines."""

    @given(name=VALUES, label=VALUES, case_id=VALUES)
    def test_survive_whatever_is_in_them(
        self, name: str, label: str, case_id: str
    ) -> None:
        """Quotes, line breaks, percent signs and lone surrogates break nothing."""
        shown = Shown()
        case = make_case(case_id)
        shown.declare(make_monitor(name, cases=(case,), labels={"team": label}))

        for parse, text in (
            (parse_text, shown.text()),
            (parse_openmetrics, shown.text(Format.OPENMETRICS) + "# EOF\n"),
        ):
            found = [
                sample.labels
                for family in parse(text)
                for sample in family.samples
                if sample.name == "answerprobe_case_window_samples"
            ]
            assert found == [
                {"monitor": scrub(name), "team": scrub(label), "case": scrub(case_id)}
            ]


class TestCriteriaOf:
    """A case's criteria as labels."""

    def test_the_implied_one_comes_first_and_once(self) -> None:
        """Written or not, `answered` is there."""
        assert criteria_of(make_case("a", "contains")) == ("answered", "contains")
        assert criteria_of(make_case("a", "contains", "answered")) == (
            "answered",
            "contains",
        )


class TestCarriedOver:
    """Values of series that stay."""

    def test_only_the_same_series_keeps_its_value(self) -> None:
        """A series is the same if its whole line is."""
        old = Segment(b'a{x="1"} %a\na{x="2"} %a\n', [5, 6])
        new = Segment(b'a{x="2"} %a\na{x="3"} %a\n', [0, 0])

        assert carried_over(new, old) == Segment(new.template, [6, 0])

    def test_nothing_stays_of_nothing(self) -> None:
        """A family without series is no exception."""
        assert carried_over(Segment(b"", []), Segment(b"", [])) == Segment(b"", [])
