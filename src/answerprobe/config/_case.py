"""Cases, from their checked shape."""

import hashlib
import re

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from answerprobe import durations
from answerprobe.case import (
    BUILT_IN_RUBRICS,
    Case,
    Criterion,
    Quorum,
    Rubric,
    fingerprint,
)
from answerprobe.config._criterion import ANSWERED, Criteria, Parsed
from answerprobe.config._findings import Path
from answerprobe.config._levels import (
    Placed,
    Settings,
    check_fits,
    read_quorum,
    read_within,
)
from answerprobe.config._material import Materials, meaning
from answerprobe.config._reading import Reading, entries, text
from answerprobe.config._show import quote
from answerprobe.errors import CriterionError


_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReader:
    """Reads the cases of one monitor, with its settings and material."""

    settings: Settings
    materials: Materials
    criteria: Criteria
    reading: Reading

    def read(self, raw: Mapping[str, object], path: Path) -> Case | None:
        """Return the case; None where there is none to speak of."""
        ask = text(raw, "ask")
        if ask is None:
            return None
        written = list(self._written(raw, path))
        within = self._within(raw, path)
        check_fits(within, self.settings.every, self.reading)
        quorum = read_quorum(self.settings.quorum, raw, path, self.reading)
        return Case(
            id=text(raw, "id") or slug(ask),
            ask=ask,
            criteria=self._criteria(written, within.seconds),
            within_seconds=within.seconds,
            quorum=quorum,
            fingerprint=_fingerprint(ask, written, within.seconds, quorum),
        )

    def _written(
        self, raw: Mapping[str, object], path: Path
    ) -> Iterator[tuple[str, Parsed | None]]:
        """Yield the criteria as they are written; `answered` comes without a rule."""
        for index, entry in enumerate(entries(raw, "expect")):
            if not isinstance(entry, dict):
                continue
            for name, value in entry.items():
                if name == ANSWERED:
                    yield name, None
                    continue
                try:
                    if parsed := self._parsed(name, value):
                        yield name, parsed
                except CriterionError as exc:
                    place = (*path, "expect", index, name, *exc.path)
                    self.reading.findings.add(place, exc.message)

    def _parsed(self, name: str, value: object) -> Parsed | None:
        """Return the criterion *name*; None where its material is unusable."""
        if name not in BUILT_IN_RUBRICS:
            return self.criteria.parse(name, value)
        rubric = self.materials.rubric(name)
        return Parsed(rubric, meaning(rubric)) if rubric else None

    def _within(self, raw: Mapping[str, object], path: Path) -> Placed:
        """Return the deadline, which must not be written twice and differ."""
        within = read_within(self.settings.within, raw, path, self.reading)
        written = within if "within" in raw else None
        for index, entry in enumerate(entries(raw, "expect")):
            value = entry.get(ANSWERED) if isinstance(entry, dict) else None
            if not isinstance(value, dict) or "within" not in value:
                continue
            here = (*path, "expect", index, ANSWERED)
            found = read_within(within, value, here, self.reading)
            if written and found.path and written.seconds != found.seconds:
                before = durations.show(written.seconds)
                message = f"is another time than the case's other within ({before})"
                self.reading.findings.add(found.path, f"{message}; write it once")
            written = within = found
        return within

    def _criteria(
        self, written: list[tuple[str, Parsed | None]], within_seconds: float
    ) -> tuple[Criterion, ...]:
        """Return the criteria, `answered` among them, with labels that differ."""
        answered = self.criteria.answered(within_seconds)
        made: list[Criterion] = []
        if all(parsed for _, parsed in written):
            made.append(Criterion(label=ANSWERED, check=answered))
        seen: Counter[str] = Counter()
        for name, parsed in written:
            seen[name] += 1
            label = name if seen[name] == 1 else f"{name}#{seen[name]}"
            check = parsed.check if parsed else answered
            made.append(Criterion(label=label, check=check))
        return tuple(made)


def _fingerprint(
    ask: str,
    written: list[tuple[str, Parsed | None]],
    within_seconds: float,
    quorum: Quorum,
) -> str:
    """Return what changes with the meaning of a case."""
    return fingerprint(
        {
            "ask": ask,
            "expect": [[name, parsed.meaning] for name, parsed in written if parsed],
            "within": within_seconds,
            "samples": quorum.samples,
            "pass_at_least": quorum.pass_at_least,
        }
    )


def slug(ask: str) -> str:
    """Return an id made from the question: its words, as far as they are short."""
    words = _NO_WORD.sub("-", ask.casefold()).strip("-")
    if len(words) > _LONGEST_SLUG:
        words = words[: _LONGEST_SLUG + 1].rpartition("-")[0] or words[:_LONGEST_SLUG]
    return words or f"case-{hashlib.sha256(ask.encode()).hexdigest()[:8]}"


def has_rubric(case: Case) -> bool:
    """Whether a judge is needed for *case*."""
    return any(isinstance(criterion.check, Rubric) for criterion in case.criteria)


def fault_of_name(name: str) -> str | None:
    """Return what is wrong with *name*, of a monitor, case or judge."""
    if not name.isprintable():
        return f"is {quote(name)}; wanted: printable characters only"
    if name != name.strip():
        return f"is {quote(name)}; wanted: no blanks around it"
    return None
