"""A run as CSV, for spreadsheets."""

import csv
import io
import re

from collections.abc import Iterable, Iterator

from answerprobe.case import BUILT_IN_RUBRICS
from answerprobe.run import Run, SampleResult
from answerprobe.sample import Speaker


COLUMNS = (
    "run",
    "case",
    "sample",
    "outcome",
    "error_reason",
    "turns",
    "tools_called",
    "tools_missing",
    "tools_unexpected",
    "duration_seconds",
    "judge_reason",
    "answer",
)
# A cell that begins like this, blanks apart, is run as a formula by spreadsheets.
# Source: OWASP, "CSV Injection"; the wide forms are what Japanese Excel takes too.
_FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)
_JUDGED = frozenset({"judge", *BUILT_IN_RUBRICS})
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def to_csv(runs: Iterable[Run]) -> str:
    """Return all samples of *runs*, a row each, with a header."""
    return "".join(csv_lines(runs))


def csv_lines(runs: Iterable[Run]) -> Iterator[str]:
    """Yield what `to_csv` returns, row by row."""
    yield _line(COLUMNS)
    for run in runs:
        for number, sample in enumerate(run.samples, 1):
            yield _line(map(_defused, _cells(run, number, sample)))


def _line(cells: Iterable[str]) -> str:
    """Return *cells* as a row of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()


def _cells(run: Run, number: int, sample: SampleResult) -> list[str]:
    """Return a sample's cells, in the order of COLUMNS."""
    called = [call.name for turn in sample.turns for call in turn.tool_calls]
    return [
        str(run.id),
        sample.case_id,
        str(number),
        sample.outcome.value,
        sample.failure.reason.value if sample.failure else "",
        str(sum(turn.speaker is Speaker.USER for turn in sample.turns)),
        " ".join(called),
        " ".join(sample.tools_missing),
        " ".join(sample.tools_unexpected),
        f"{sample.duration_seconds:.3f}",
        _judge_reason(sample),
        sample.answer or "",
    ]


def _judge_reason(sample: SampleResult) -> str:
    """Return what the judge said, if it was asked."""
    return "; ".join(
        verdict.reason
        for verdict in sample.verdicts
        if verdict.criterion.partition("#")[0] in _JUDGED
    )


def _defused(cell: str) -> str:
    """Return *cell* so that no spreadsheet runs it; a number stays one."""
    if not cell.startswith(_FORMULA) and not cell.lstrip().startswith(_FORMULA):
        return cell
    return cell if _NUMBER.fullmatch(cell) else "'" + cell
