"""What cases of many monitors said last, and when they last passed: in two queries."""

import json

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from answerprobe.evidence import _sample_json
from answerprobe.evidence._records import CaseAnswers
from answerprobe.evidence._schema import samples
from answerprobe.run import SampleResult
from answerprobe.verdict import Outcome


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
        (monitor, case_id, outcome.value)
        for monitor, ids in cases.items()
        for case_id in ids
        for outcome in Outcome
    ]
    found: dict[tuple[str, str], _Found] = {}
    if not wanted:
        return Kept([], [])
    # In ascending order: the newest sample stays.
    for row in connection.execute(_newest(connection.dialect.name, wanted)):
        if row.fingerprint == cases[row.monitor][row.case_id]:
            case = (row.monitor, row.case_id)
            known = found.get(case, _Found(case))
            good = row.id if row.outcome == Outcome.PASS.value else known.good
            found[case] = _Found(case, newest=row.id, good=good)
    ids = sorted({i for each in found.values() for i in (each.newest, each.good) if i})
    numbers = _listed(connection.dialect.name, ids)
    query = sa.select(samples).where(
        samples.c.id.in_(sa.select(sa.cast(numbers.c[0], sa.BigInteger)))
    )
    rows = connection.execute(query).mappings().all()
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


def _newest(
    dialect: str, wanted: Sequence[tuple[str, str, str]]
) -> sa.Select[tuple[object, ...]]:
    """Return the query for the newest counted sample of each case and outcome."""
    some = _listed(dialect, wanted, columns=3)
    newest_id = (
        sa.select(samples.c.id)
        .where(
            samples.c.monitor == some.c[0],
            samples.c.case_id == some.c[1],
            samples.c.counted.is_(sa.true()),
            samples.c.outcome == some.c[2],
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


def _listed(dialect: str, rows: Sequence[object], columns: int = 1) -> sa.CTE:
    """
    Return *rows* as a table of texts, with so many *columns* or the row itself.

    They are one parameter, in JSON: ten thousand of their own keep SQLAlchemy busy for
    seconds, and everybody else waiting.
    """
    text = sa.bindparam(None, json.dumps(rows), type_=sa.Text)
    row: sa.ColumnElement[str]
    cells: list[sa.ColumnElement[str]]
    if dialect == "sqlite":
        row = sa.func.json_each(text).table_valued("value").c.value
        cells = [sa.func.json_extract(row, f"$[{n}]") for n in range(columns)]
    else:
        elements = sa.func.json_array_elements(sa.cast(text, sa.JSON))
        row = elements.column_valued("element")
        cells = [row.op("->>")(n) for n in range(columns)]
    told = cells if columns > 1 else [sa.cast(row, sa.Text)]
    return sa.select(*(cell.label(f"c{n}") for n, cell in enumerate(told))).cte()
