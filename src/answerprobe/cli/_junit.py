"""Reports as JUnit's XML, which every CI system reads."""

import xml.etree.ElementTree as ET

from collections.abc import Sequence

from answerprobe.cli._report import NOT_ASKED, CaseReport, Report, reason
from answerprobe.run import SampleResult
from answerprobe.verdict import Outcome


_TAGS = {
    Outcome.FAIL: "failure",
    Outcome.ERROR: "error",
    Outcome.NOT_JUDGED: "skipped",
}


def as_junit(reports: Sequence[Report]) -> str:
    """Return a test suite for each monitor and a test case for each sample."""
    root = ET.Element("testsuites")
    for report in reports:
        outcomes = report.run.outcomes
        unasked = sum(case.unasked for case in report.cases)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_xml(report.run.request.monitor),
            tests=str(sum(outcomes.values()) + unasked),
            failures=str(outcomes[Outcome.FAIL]),
            errors=str(outcomes[Outcome.ERROR]),
            skipped=str(outcomes[Outcome.NOT_JUDGED] + unasked),
            time=f"{report.run.duration_seconds:.3f}",
        )
        for case in report.cases:
            _add_case(suite, case)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _add_case(suite: ET.Element, case: CaseReport) -> None:
    """Add the samples of *case* to *suite*, and those that were never asked."""
    name = case.result.case_id
    for number, sample in enumerate(case.samples, 1):
        _add_sample(suite, f"{name} [{number}]", sample)
    for number in range(case.unasked):
        place = f"{name} [{len(case.samples) + number + 1}]"
        skipped = ET.SubElement(_element(suite, place, 0.0), "skipped")
        skipped.set("message", NOT_ASKED)


def _add_sample(suite: ET.Element, name: str, sample: SampleResult) -> None:
    """Add *sample* to *suite*, as *name*."""
    element = _element(suite, name, sample.duration_seconds)
    tag = _TAGS.get(sample.outcome)
    if tag:
        told = ET.SubElement(element, tag, message=_xml(reason(sample)))
        if sample.failure:
            told.set("type", sample.failure.reason.value)
    if sample.answer:
        ET.SubElement(element, "system-out").text = _xml(sample.answer)


def _element(suite: ET.Element, name: str, seconds: float) -> ET.Element:
    """Return a new test case of *suite*."""
    return ET.SubElement(
        suite,
        "testcase",
        classname=suite.get("name", ""),
        name=_xml(name),
        time=f"{seconds:.3f}",
    )


def _xml(text: str) -> str:
    """Return *text* without the characters that XML 1.0 cannot hold."""
    return "".join(char for char in text if char in "\t\n\r" or _in_xml(char))


def _in_xml(char: str) -> bool:
    """Whether XML 1.0 can hold *char*, which is no white space."""
    return (
        char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff"
    )
