"""What every dashboard and every panel of ours has."""

import json
import re

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from answerprobe.metrics._base import Kind
from answerprobe.metrics.exporter_families import ExporterFamily
from answerprobe.metrics.families import MonitorFamily
from boards import FILES, ROOT, Board, load, mapping, objects


FAMILIES = [each.family for each in (*MonitorFamily, *ExporterFamily)]
NAMES = {family.name for family in FAMILIES} | {
    family.name + suffix
    for family in FAMILIES
    if family.kind is Kind.HISTOGRAM
    for suffix in ("_bucket", "_sum", "_count")
}
RULES = sorted((ROOT / "alert_rules").glob("*.yml"))
NAME = re.compile(r"(?<![\w:])answerprobe_\w+(?![\w:])")
# Panels and rows of one dashboard, by how it is called in links.
UIDS = {"answerprobe-fleet", "answerprobe-monitor", "answerprobe-exporter"}


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def board(request: pytest.FixtureRequest) -> Board:
    """Return each dashboard in turn."""
    assert isinstance(request.param, Path)
    return load(request.param)


def drawn(board: Board) -> list[Mapping[str, object]]:
    """Return the panels of *board* that are no rows."""
    return [panel for panel in board.panels() if panel["type"] != "row"]


def defaults(panel: Mapping[str, object]) -> Mapping[str, object]:
    """Return how *panel* shows what has no setting of its own."""
    return mapping(mapping(panel["fieldConfig"])["defaults"])


class TestDashboards:
    """Each dashboard."""

    def test_names_are_those_that_links_use(self) -> None:
        """Alerts and other dashboards lead here; a new name would break them."""
        assert {load(file).text("uid") for file in FILES} == UIDS

    def test_links_stay_between_our_dashboards(self, board: Board) -> None:
        """A link to a dashboard leads to one that is there."""
        found = re.findall(r"/d/([\w-]+)", json.dumps(board.content))

        assert set(found) <= UIDS

    def test_ids_are_there_and_unique(self, board: Board) -> None:
        """Links to a panel hold its id."""
        ids = [panel["id"] for panel in board.panels()]

        assert len(set(ids)) == len(ids)
        assert all(isinstance(each, int) and each > 0 for each in ids)

    def test_rows_are_full(self, board: Board) -> None:
        """Panels fill the 24 columns and do not overlap."""
        taken = [
            (x, y)
            for panel in board.panels()
            for x, y in cells(mapping(panel["gridPos"]))
        ]

        assert len(set(taken)) == len(taken)
        assert {x for x, _ in taken} == set(range(24))

    def test_everything_asked_is_a_metric_of_ours(self, board: Board) -> None:
        """A panel of a metric that is gone would be empty for ever."""
        asked = {
            name for expr in board.everything_asked() for name in NAME.findall(expr)
        }

        assert asked
        assert asked <= NAMES


def cells(at: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return the cells of the grid that are covered."""
    x, y, w, h = (int(str(at[key])) for key in "xywh")
    return [(i, j) for i in range(x, x + w) for j in range(y, y + h)]


class TestPanels:
    """Each panel."""

    def test_says_what_it_shows(self, board: Board) -> None:
        """A title, and a description in sentences."""
        for panel in drawn(board):
            assert str(panel["title"]).strip()
            assert str(panel["description"]).endswith("."), panel["title"]

    def test_has_a_unit_and_thresholds(self, board: Board) -> None:
        """A number without a unit says nothing."""
        for panel in drawn(board):
            assert defaults(panel)["unit"], panel["title"]
            assert objects(mapping(defaults(panel)["thresholds"])["steps"])

    def test_asks_the_chosen_prometheus(self, board: Board) -> None:
        """Also where there are several."""
        sources = [panel["datasource"] for panel in drawn(board)] + [
            target["datasource"]
            for panel in drawn(board)
            for target in objects(panel["targets"])
        ]

        assert {str(mapping(source)["uid"]) for source in sources} == {"${datasource}"}


class TestRules:
    """The alert rules."""

    @pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
    def test_everything_asked_is_a_metric_of_ours(self, path: Path) -> None:
        """An alert on a metric that is gone would never fire; also in its text."""
        groups = objects(mapping(yaml.safe_load(path.read_text("utf-8")))["groups"])
        texts = [
            str(text)
            for group in groups
            for rule in objects(group["rules"])
            for text in (rule["expr"], *mapping(rule.get("annotations", {})).values())
        ]
        asked = {name for text in texts for name in NAME.findall(text)}

        assert asked
        assert asked <= NAMES
