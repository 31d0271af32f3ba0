"""The shipped dashboards, as Grafana reads them."""

import json
import re

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "grafana").glob("*.json"))
# What Grafana itself puts in; any length will do.
_BUILT_IN = {"__rate_interval": "1m"}


class Asked(NamedTuple):
    """A query, and what it is for."""

    where: str
    expr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One dashboard."""

    content: Mapping[str, object]

    def text(self, key: str) -> str:
        """Return the text at *key*."""
        return str(self.content[key])

    def panels(self) -> Iterator[Mapping[str, object]]:
        """Yield every panel and row."""
        yield from objects(self.content["panels"])

    def variables(self) -> Iterator[Mapping[str, object]]:
        """Yield every variable, in order."""
        yield from objects(mapping(self.content["templating"])["list"])

    def queries(self) -> Iterator[Asked]:
        """Yield what panels and annotations ask."""
        for panel in self.panels():
            for target in objects(panel.get("targets", [])):
                yield Asked(str(panel["title"]), str(target["expr"]))
        for mark in objects(mapping(self.content["annotations"])["list"]):
            if "expr" in mark:
                yield Asked(str(mark["name"]), str(mark["expr"]))

    def everything_asked(self) -> Iterator[str]:
        """Yield the queries of panels, annotations and variables."""
        yield from (asked.expr for asked in self.queries())
        yield from (str(v["query"]) for v in self.variables() if v["type"] == "query")


def load(path: Path) -> Board:
    """Return the dashboard in the file *path*."""
    return Board(content=mapping(json.loads(path.read_text("utf-8"))))


def filled(expr: str, values: Mapping[str, str]) -> str:
    """Return *expr* with its variables replaced by *values*."""
    for name, value in {**_BUILT_IN, **values}.items():
        expr = re.sub(rf"\${name}\b|\${{{name}(:\w+)?}}", lambda _: value, expr)  # noqa: B023  used at once
    assert not re.search(r"\$\{?[a-z_]", expr), f"a variable is unknown in {expr}"
    return expr


def objects(value: object) -> list[Mapping[str, object]]:
    """Return *value*, a list of objects."""
    assert isinstance(value, list)
    return [mapping(item) for item in value]


def mapping(value: object) -> Mapping[str, object]:
    """Return *value*, an object."""
    assert isinstance(value, dict)
    return value
