"""Reports as a table for a person at a terminal."""

from collections import Counter
from collections.abc import Sequence

from answerprobe.cli._columns import columns, one_line
from answerprobe.cli._common import counts
from answerprobe.cli._report import Report
from answerprobe.run import Decision


_WHY_WIDTH = 80
_HEAD = ("MONITOR", "CASE", "RESULT", "PASSED", "WHY")


def as_table(reports: Sequence[Report]) -> str:
    """Return a row for each case, with the first reason of those that don't pass."""
    rows = [
        _HEAD,
        *(
            (
                one_line(report.run.request.monitor),
                one_line(case.result.case_id),
                case.result.decision.value,
                f"{case.result.passed}/{case.result.samples}",
                _cut(one_line(case.why)),
            )
            for report in reports
            for case in report.cases
        ),
    ]
    return "\n".join([*columns(rows), "", _summary(reports)])


def _summary(reports: Sequence[Report]) -> str:
    """Return how many cases there were and how they ended."""
    found = Counter(case.result.decision for report in reports for case in report.cases)
    ends = (f"{found[one]} {one.value}" for one in Decision if found[one])
    return f"{counts(found.total(), 'case')}: {', '.join(ends)}"


def _cut(text: str) -> str:
    """Return *text*, cut to its column."""
    return text if len(text) <= _WHY_WIDTH else f"{text[: _WHY_WIDTH - 1]}…"
