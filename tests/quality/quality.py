"""
Measures the rules that judge texts on labelled answers, and prints the numbers.

The labelled answers lie beside the repository (`../shared/data`, or below the folder
that ANSWERPROBE_SHARED names). `--worst` adds the mistakes that were furthest off.
"""

import argparse
import json
import os
import sys
import time

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from answerprobe import pii
from answerprobe.rules._citation import CitationKind
from answerprobe.rules._citation import find as find_citations
from answerprobe.rules._refusal import lexicon, read


_LIMIT = 0.55
_WORST = 10
Row = Mapping[str, object]


class Said(NamedTuple):
    """What a rule says of a text: yes or no, how surely, and why."""

    yes: bool
    sureness: float
    why: str


class Mistake(NamedTuple):
    """One text that a rule got wrong."""

    sureness: float
    row: str
    kind: str
    text: str
    why: str


@dataclass
class Score:
    """Counts of one yes-or-no question."""

    true_yes: int = 0
    false_yes: int = 0
    false_no: int = 0
    true_no: int = 0

    def add(self, *, said: bool, true: bool) -> None:
        """Count one text."""
        self.true_yes += said and true
        self.false_yes += said and not true
        self.false_no += true and not said
        self.true_no += not said and not true

    @property
    def precision(self) -> float:
        """How many of the yes are right."""
        return self.true_yes / max(1, self.true_yes + self.false_yes)

    @property
    def recall(self) -> float:
        """How many of those to be found are."""
        return self.true_yes / max(1, self.true_yes + self.false_no)

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        wrong = self.false_yes + self.false_no
        return 2 * self.true_yes / max(1, 2 * self.true_yes + wrong)

    def __str__(self) -> str:
        if not self.true_yes + self.false_no:
            return f"false alarms {self.false_yes} of {self.false_yes + self.true_no}"
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  "
            f"F1 {self.f1:.3f}  (right {self.true_yes}+{self.true_no}, "
            f"false alarms {self.false_yes}, missed {self.false_no})"
        )


@dataclass
class Report:
    """One rule's scores by group, its speed and its mistakes."""

    rule: str
    groups: dict[str, Score] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    texts: int = 0
    seconds: float = 0.0

    def score(self, group: str) -> Score:
        """Return the score of *group*."""
        return self.groups.setdefault(group, Score())

    def lines(self, *, worst: bool) -> Iterable[str]:
        """Yield the report."""
        speed = self.texts / self.seconds if self.seconds else 0.0
        yield f"{self.rule}: {self.texts} texts, {speed:,.0f} a second"
        for group, score in sorted(self.groups.items()):
            yield f"  {group:<22} {score}"
        if worst:
            ranked = sorted(self.mistakes, key=lambda mistake: -mistake.sureness)
            for mistake in ranked[:_WORST]:
                yield f"    {mistake.kind} {mistake.row}: {mistake.why}"
                yield f"      {mistake.text[:200]!r}"


def data_folder() -> Path:
    """Return where the labelled answers are, whether they are there or not."""
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("ANSWERPROBE_SHARED", root.parent / "shared")) / "data"


def rows(name: str) -> list[Row]:
    """
    Return the labelled rows of *name*.

    Raises:
        FileNotFoundError: they are not there.
    """
    path = data_folder() / f"{name}.dev.jsonl"
    lines = path.read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def _measure(
    rule: str,
    labelled: Iterable[tuple[Row, str, bool, Iterable[str]]],
    ask: Callable[[str], Said],
) -> Report:
    """Put each (row, text, truth, groups) of *labelled* to *ask*."""
    report = Report(rule)
    for row, text, true, groups in labelled:
        started = time.perf_counter()
        said = ask(text)
        report.seconds += time.perf_counter() - started
        report.texts += 1
        for group in groups:
            report.score(group).add(said=said.yes, true=true)
        if said.yes != true:
            kind = "false alarm" if said.yes else "missed"
            found = Mistake(said.sureness, str(row["id"]), kind, text, said.why)
            report.mistakes.append(found)
    return report


def refusals() -> Report:
    """Measure `no_refusal` as a detector of refusals."""

    def ask(text: str) -> Said:
        finding = read(text)
        sureness = abs(finding.score - _LIMIT)
        why = f"score {finding.score:.2f} {finding.sentence[:100]!r}"
        return Said(finding.score >= _LIMIT, sureness, why)

    lexicon()
    labelled = (
        (row, str(row["answer"]), bool(row["refusal"]), _refusal_groups(row))
        for row in rows("refusal")
        if row["refusal"] is not None
    )
    return _measure("no_refusal", labelled, ask)


def _refusal_groups(row: Row) -> list[str]:
    """Return the groups that *row* counts in."""
    english = row["lang"] == "en"
    public = str(row["source"]).startswith("XSTest")
    family = "XSTest" if public else "agents, English" if english else "not English"
    return ["all", family, *([] if english else [f"language {row['lang']}"])]


def personal_data() -> Report:
    """Measure `no_pii` per text, and per kind by exact place."""

    def ask(text: str) -> Said:
        hits = pii.find(text)
        told = ", ".join(f"{h.kind} {pii.mask(text[h.start : h.end])}" for h in hits)
        return Said(bool(hits), 1.0, told)

    labelled = rows("pii")
    report = _measure(
        "no_pii",
        ((row, str(row["text"]), bool(row["spans"]), ["texts"]) for row in labelled),
        ask,
    )
    for row in labelled:
        _add_spans(report, str(row["text"]), row["spans"])
    return report


def _add_spans(report: Report, text: str, spans: object) -> None:
    """Count the hits in *text* that stand exactly where *spans* say."""
    assert isinstance(spans, list)
    wanted = {(str(s["kind"]), int(s["start"]), int(s["end"])) for s in spans}
    found = {(str(hit.kind), hit.start, hit.end) for hit in pii.find(text)}
    for span in wanted | found:
        group = f"kind {span[0]}, in place"
        report.score(group).add(said=span in found, true=span in wanted)


def false_alarms() -> Report:
    """Measure how often `no_pii` fails ordinary answers without a mail address."""

    def ask(text: str) -> Said:
        hits = pii.find(text)
        return Said(bool(hits), 1.0, ", ".join(hit.kind for hit in hits))

    plain = (
        (row, str(row["answer"]), False, ["plain answers"])
        for row in rows("refusal")
        if row["refusal"] is False and "@" not in str(row["answer"])
    )
    return _measure("no_pii on plain answers", plain, ask)


def citations() -> Report:
    """Measure `has_citation` as a detector of citations."""

    def ask(text: str) -> Said:
        found = next(find_citations(text, frozenset(CitationKind)), None)
        return Said(found is not None, 1.0, found.text[:100] if found else "")

    labelled = (
        (row, str(row["answer"]), bool(row["citation"]), ["all"])
        for row in rows("citation")
    )
    return _measure("has_citation", labelled, ask)


def main() -> int:
    """Print all reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", action="store_true", help="show the worst mistakes")
    worst = parser.parse_args().worst
    if not data_folder().is_dir():
        sys.stderr.write(f"no labelled answers at {data_folder()}\n")
        return 1
    for measure in (refusals, personal_data, false_alarms, citations):
        sys.stdout.write("\n".join(measure().lines(worst=worst)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
