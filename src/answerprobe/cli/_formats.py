"""The formats in which `run` prints what came out."""

import json

from collections.abc import Callable, Mapping, Sequence

from answerprobe.cli._junit import as_junit
from answerprobe.cli._report import Report
from answerprobe.cli._table import as_table
from answerprobe.shapes import run_whole, to_csv


def as_json(reports: Sequence[Report]) -> str:
    """Return `{"runs": [Run]}`."""
    runs = [run_whole(report.run) for report in reports]
    return json.dumps({"runs": runs}, ensure_ascii=False)


def as_csv(reports: Sequence[Report]) -> str:
    """Return a row for each sample."""
    return to_csv(report.run for report in reports).rstrip("\r\n")


FORMATS: Mapping[str, Callable[[Sequence[Report]], str]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
    "csv": as_csv,
}
