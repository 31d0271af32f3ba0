"""Finished runs as people and other programs read them."""

import json
import xml.etree.ElementTree as ET

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answerprobe.cli._common import ExitStatus
from answerprobe.run import CaseResult, Decision, Run, SampleResult
from answerprobe.verdict import Outcome
from answerprobe.web.run_csv import to_csv
from answerprobe.web.shapes import run_whole


_REASON_WIDTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run and what it decides of each case."""

    run: Run
    results: tuple[CaseResult, ...]


def exit_status(reports: Sequence[Report]) -> ExitStatus:
    """Return how the program ends: a fail outweighs what could not be judged."""
    decisions = {result.decision for report in reports for result in report.results}
    if Decision.FAILING in decisions:
        return ExitStatus.FAILED
    if Decision.UNDECIDED in decisions:
        return ExitStatus.NOT_JUDGED
    return ExitStatus.OK


def as_json(reports: Sequence[Report]) -> str:
    """Return `{"runs": [Run]}`."""
    runs = [run_whole(report.run) for report in reports]
    return json.dumps({"runs": runs}, ensure_ascii=False)


def as_csv(reports: Sequence[Report]) -> str:
    """Return a row for each sample."""
    return to_csv(report.run for report in reports).rstrip("\r\n")


def as_table(reports: Sequence[Report]) -> str:
    """Return a row for each case, with the first reason of those that don't pass."""
    rows = [("MONITOR", "CASE", "RESULT", "PASSED", "WHY")]
    rows.extend(
        (
            report.run.request.monitor,
            result.case_id,
            result.decision.value,
            f"{result.passed}/{result.samples}",
            _why(report.run, result),
        )
        for report in reports
        for result in report.results
    )
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[4]]).rstrip())
    return "\n".join(lines)


def _why(run: Run, result: CaseResult) -> str:
    """Return why a case doesn't pass, in one line; empty where it does."""
    if result.decision is Decision.PASSING:
        return ""
    for sample in run.samples:
        if sample.case_id == result.case_id and sample.outcome is not Outcome.PASS:
            text = " ".join(reason(sample).split())
            short = text[:_REASON_WIDTH]
            return short + "…" if len(text) > _REASON_WIDTH else short
    return ""


def reason(sample: SampleResult) -> str:
    """Return which criteria kept *sample* from passing, and why."""
    said = [
        f"{verdict.criterion}: {verdict.reason}"
        for verdict in sample.verdicts
        if verdict.outcome is not Outcome.PASS
    ]
    if sample.failure:
        return f"{sample.failure.reason.value}: {sample.failure.detail}"
    return "; ".join(said)


def as_junit(reports: Sequence[Report]) -> str:
    """Return a test suite for each monitor and a test case for each sample."""
    root = ET.Element("testsuites")
    for report in reports:
        run = report.run
        outcomes = run.outcomes
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_xml(run.request.monitor),
            tests=str(len(run.samples)),
            failures=str(outcomes[Outcome.FAIL]),
            errors=str(outcomes[Outcome.ERROR]),
            skipped=str(outcomes[Outcome.NOT_JUDGED]),
            time=f"{run.duration_seconds:.3f}",
        )
        for number, sample in enumerate(run.samples, 1):
            _add_case(suite, run, number, sample)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _add_case(suite: ET.Element, run: Run, number: int, sample: SampleResult) -> None:
    """Add *sample* to *suite*."""
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_xml(run.request.monitor),
        name=_xml(f"{sample.case_id} [{number}]"),
        time=f"{sample.duration_seconds:.3f}",
    )
    tag = {
        Outcome.FAIL: "failure",
        Outcome.ERROR: "error",
        Outcome.NOT_JUDGED: "skipped",
    }.get(sample.outcome)
    if tag:
        told = ET.SubElement(case, tag, message=_xml(reason(sample)))
        if sample.failure:
            told.set("type", sample.failure.reason.value)
    if sample.answer:
        ET.SubElement(case, "system-out").text = _xml(sample.answer)


def _xml(text: str) -> str:
    """Return *text* without the characters that XML 1.0 cannot hold."""
    return "".join(
        char
        for char in text
        if char in "\t\n\r" or (char >= " " and char not in "\ufffe\uffff")
    )


FORMATS: dict[str, Callable[[Sequence[Report]], str]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
    "csv": as_csv,
}
