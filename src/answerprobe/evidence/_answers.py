"""What many cases said last, and when they last passed: two look-ups a few hundred."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

import sqlalchemy as sa

from answerprobe.evidence import _sample_json
from answerprobe.evidence._records import CaseAnswers
from answerprobe.evidence._schema import samples
from answerprobe.run import SampleResult
from answerprobe.verdict import Outcome


# Both databases take some 32,000 values in one statement; each row here has three.
_ROWS_A_STATEMENT = 4000
_T = TypeVar("_T")

Cases = Mapping[str, Mapping[str, str]]


class _Found(NamedTuple):
    """The sample of this number, which a case said last or passed with."""

    case: tuple[str, str]
    newest: int | None = None
    good: int | None = None


class Kept(NamedTuple):
    """Which samples of which cases there are, and their rows, not read yet."""

    found: Sequence[_Found]
    rows: Sequence[sa.RowMapping]


def load(connection: sa.Connection, cases: Cases) -> Kept:
    """
    Return what is kept of *cases*: by monitor, ids with fingerprints.

    An index look-up for each case and outcome, whatever the history's size.
    """
    wanted = [
        {"monitor": monitor, "case_id": case_id, "outcome": outcome.value}
        for monitor, ids in cases.items()
        for case_id in ids
        for outcome in Outcome
    ]
    found: dict[tuple[str, str], _Found] = {}
    for some in _batches(wanted):
        # In ascending order: the newest sample stays.
        for row in connection.execute(_newest(some)):
            if row.fingerprint == cases[row.monitor][row.case_id]:
                case = (row.monitor, row.case_id)
                known = found.get(case, _Found(case))
                passed = row.outcome == Outcome.PASS.value
                good = row.id if passed else known.good
                found[case] = _Found(case, newest=row.id, good=good)
    ids = {i for each in found.values() for i in (each.newest, each.good) if i}
    rows: list[sa.RowMapping] = []
    for numbers in _batches(sorted(ids)):
        query = sa.select(samples).where(samples.c.id.in_(numbers))
        rows += connection.execute(query).mappings()
    return Kept(list(found.values()), rows)


def read(kept: Kept) -> Mapping[str, Mapping[str, CaseAnswers]]:
    """Return what *kept* says, by monitor and case."""
    read = {row["id"]: _sample_json.sample_of(row) for row in kept.rows}
    answers: dict[str, dict[str, CaseAnswers]] = {}
    for each in kept.found:
        monitor, case_id = each.case
        answers.setdefault(monitor, {})[case_id] = CaseAnswers(
            newest=_at(read, each.newest), good=_at(read, each.good)
        )
    return answers


def _at(read: Mapping[int, SampleResult], number: int | None) -> SampleResult | None:
    """Return the sample *number*, if there is one."""
    return None if number is None else read.get(number)


def _newest(wanted: Sequence[Mapping[str, str]]) -> sa.Select[tuple[object, ...]]:
    """Return the query for the newest counted sample of each case and outcome."""
    names = ("monitor", "case_id", "outcome")
    columns = (sa.column(name, sa.Text) for name in names)
    rows = [tuple(each[name] for name in names) for each in wanted]
    some = sa.values(*columns, name="wanted").data(rows).cte()
    newest_id = (
        sa.select(samples.c.id)
        .where(
            samples.c.monitor == some.c.monitor,
            samples.c.case_id == some.c.case_id,
            samples.c.counted.is_(sa.true()),
            samples.c.outcome == some.c.outcome,
        )
        .order_by(samples.c.id.desc())
        .limit(1)
        .correlate(some)
        .scalar_subquery()
    )
    shown = (
        samples.c.id,
        samples.c.monitor,
        samples.c.case_id,
        samples.c.fingerprint,
        samples.c.outcome,
    )
    return (
        sa.select(*shown)
        .where(samples.c.id.in_(sa.select(newest_id).select_from(some)))
        .order_by(samples.c.id)
    )


def _batches(items: Sequence[_T]) -> Iterator[list[_T]]:
    """Yield *items*, at most so many at once as a statement may have."""
    left = iter(items)
    while batch := list(islice(left, _ROWS_A_STATEMENT)):
        yield batch
