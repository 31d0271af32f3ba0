"""The catalogue, and that people can read about it."""

import re

from pathlib import Path

import pytest

from answerprobe.metrics._base import Family, Kind, LabelSource
from answerprobe.metrics.exporter_families import ExporterFamily
from answerprobe.metrics.families import MonitorFamily


DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"
MONITORS = [each.family for each in MonitorFamily]
ALL = [*MONITORS, *(each.family for each in ExporterFamily)]


def documented() -> dict[str, str]:
    """Return what the page says of each metric: name -> text below its heading."""
    parts = re.split(r"^### `(\w+)`$", DOCS.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class TestFamilies:
    """Every family."""

    def test_names_are_unique(self) -> None:
        """Both catalogues end up on one page."""
        assert len({family.name for family in ALL}) == len(ALL)

    @pytest.mark.parametrize("family", [pytest.param(f, id=f.name) for f in ALL])
    def test_follows_the_conventions(self, family: Family) -> None:
        """Prefix, suffix of counters, and a help text that is a sentence."""
        assert family.name.startswith("answerprobe_")
        assert family.name.endswith("_total") == (family.kind is Kind.COUNTER)
        assert bool(family.buckets) == (family.kind is Kind.HISTOGRAM)
        assert family.help.endswith(".")
        assert not set(family.help) & set('"\\\n')

    @pytest.mark.parametrize("family", [pytest.param(f, id=f.name) for f in MONITORS])
    def test_help_says_whose_schedule_it_follows(self, family: Family) -> None:
        """A scrape reads values, it makes none."""
        assert "the monitor's own schedule" in family.help

    @pytest.mark.parametrize("family", [pytest.param(f, id=f.name) for f in MONITORS])
    def test_closed_labels_come_after_the_open_ones(self, family: Family) -> None:
        """Positions of series are counted that way."""
        closed = [label.source is LabelSource.CLOSED for label in family.labels]

        assert closed == sorted(closed)


class TestDocs:
    """docs/metrics.md."""

    def test_has_a_heading_for_every_metric_and_no_other(self) -> None:
        """What is new is written down, what is gone is gone there too."""
        assert set(documented()) == {family.name for family in ALL}

    @pytest.mark.parametrize("family", [pytest.param(f, id=f.name) for f in ALL])
    def test_names_type_labels_and_a_query(self, family: Family) -> None:
        """As they are in the catalogue."""
        text = documented()[family.name]
        own = ["monitor"] if family in MONITORS else []
        labels = [*own, *(label.name for label in family.labels)]
        listed = ", ".join(f"`{name}`" for name in labels) or "none"

        assert f"{family.kind.capitalize()}. Labels: {listed}." in text
        assert re.search(r"```promql\n.+\n```", text, re.DOTALL)
        assert family.name in text

    @pytest.mark.parametrize("family", [pytest.param(f, id=f.name) for f in ALL])
    def test_names_every_value_of_closed_labels(self, family: Family) -> None:
        """A reader need not guess what a label may be."""
        text = documented()[family.name]

        for label in family.labels:
            missing = [value for value in label.values if f"`{value}`" not in text]
            assert not missing
