"""Which series a monitor has, and how their lines look, all but the values."""

from collections.abc import Iterator, Mapping, Sequence

from answerprobe.case import Case
from answerprobe.metrics._base import Family, Kind, LabelSource
from answerprobe.metrics.families import MonitorFamily
from answerprobe.metrics.store import Segment, Value
from answerprobe.monitor import Monitor
from answerprobe.text import scrub


# The criterion that every case has, written or not.
ANSWERED = "answered"


def escaped(value: str) -> str:
    """Return *value* as it stands between the quotes of a label."""
    return scrub(value).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def criteria_of(case: Case) -> tuple[str, ...]:
    """Return the labels of *case*'s criteria, the implied one first."""
    labels = dict.fromkeys((ANSWERED, *(c.label for c in case.criteria)))
    return tuple(labels)


def segments_of(monitor: Monitor) -> list[Segment]:
    """Return *monitor*'s series at their start, a segment for each family in order."""
    common = _labels({"monitor": monitor.name, **monitor.labels})
    leads = {
        frozenset[LabelSource](): [""],
        frozenset({LabelSource.CASE}): [
            f",{_labels({'case': case.id})}" for case in monitor.cases
        ],
        frozenset({LabelSource.CASE, LabelSource.CRITERION}): [
            f",{_labels({'case': case.id, 'criterion': label})}"
            for case in monitor.cases
            for label in criteria_of(case)
        ],
    }
    found = []
    for each in MonitorFamily:
        # A family with texts of its own has no series until they are known.
        lead = leads.get(each.family.sources - {LabelSource.CLOSED}, [])
        found.append(_segment(each.family, common, lead))
    return found


def text_segment(
    monitor: Monitor,
    family: Family,
    series: Sequence[tuple[Mapping[str, str], Value]],
) -> Segment:
    """Return *monitor*'s *series* of a family with texts, labels and value each."""
    common = _labels({"monitor": monitor.name, **monitor.labels})
    lines = [
        f"{family.name}{{{common},{_labels(labels)}}} %a\n" for labels, _ in series
    ]
    return Segment("".join(lines).encode(), [value for _, value in series])


def carried_over(new: Segment, old: Segment) -> Segment:
    """Return *new* with the values that *old* has for the same series."""
    known = dict(zip(old.template.split(b"\n"), old.values, strict=False))
    lines = new.template.split(b"\n")
    values = [
        known.get(line, value) for line, value in zip(lines, new.values, strict=False)
    ]
    return Segment(new.template, values)


def _segment(family: Family, common: str, leads: Sequence[str]) -> Segment:
    """Return the series of *family* for each of *leads*, its labels by monitor."""
    tails = [(family.name, tail) for tail in _closed_labels(family)]
    if family.kind is Kind.HISTOGRAM:
        tails = list(_histogram_tails(family))
    lines = [
        f"{name}{{{common}{lead}{tail}}} %a\n" for lead in leads for name, tail in tails
    ]
    return Segment("".join(lines).encode(), [family.start] * len(lines))


def _closed_labels(family: Family) -> Iterator[str]:
    """Yield the labels with closed sets of values, in the order of its positions."""
    names = [
        label.name for label in family.labels if label.source is LabelSource.CLOSED
    ]
    for key in family.positions:
        pairs = _labels(dict(zip(names, key, strict=True)))
        yield f",{pairs}" if pairs else ""


def _histogram_tails(family: Family) -> Iterator[tuple[str, str]]:
    """Yield names and labels of a histogram's series."""
    for bound in (*map(str, family.buckets), "+Inf"):
        yield f"{family.name}_bucket", f',le="{bound}"'
    yield f"{family.name}_sum", ""
    yield f"{family.name}_count", ""


def _labels(labels: Mapping[str, str]) -> str:
    """Return *labels* as between the braces of a line, safe in a template."""
    pairs = (f'{name}="{escaped(value)}"' for name, value in labels.items())
    return ",".join(pairs).replace("%", "%%")
