"""What pages show of the past: always a bounded piece of it, however long it is."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa

from answerprobe.evidence import _reads, _sample_json
from answerprobe.evidence._instants import from_epoch
from answerprobe.evidence._records import (
    FailingCase,
    Fault,
    HistoryPoint,
    KeptSample,
    RunSummary,
    SamplePage,
    SampleQuery,
    StoredDeploy,
)
from answerprobe.evidence._schema import deploys, runs, samples
from answerprobe.run import Run, RunState, Trigger
from answerprobe.sample import ErrorReason
from answerprobe.verdict import Outcome


# What a person looks for comes first.
_WORST_FIRST = (Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED, Outcome.PASS)
_BAD = (Outcome.FAIL.value, Outcome.ERROR.value)
_COUNTED = (Trigger.SCHEDULE.value, Trigger.MANUAL.value, Trigger.DEPLOY.value)
# Rows looked at for why samples failed: some 20 ms of SQLite.
_MOST_FAULTS = 2000


def recent_runs(
    connection: sa.Connection, monitors: Collection[str], each: int
) -> Mapping[str, tuple[RunSummary, ...]]:
    """Return the last *each* completed, counted runs of *monitors*, oldest first."""
    if not monitors:
        return {}
    # One look-up in the index for each monitor, all in one statement.
    parts = [
        sa.select(runs)
        .where(
            runs.c.monitor == monitor,
            runs.c.state == RunState.COMPLETED.value,
            runs.c.trigger.in_(_COUNTED),
            runs.c.case_ids.is_(None),
            runs.c.samples.is_(None),
        )
        .order_by(runs.c.id.desc())
        .limit(each)
        .subquery()
        for monitor in monitors
    ]
    found: dict[str, list[RunSummary]] = {}
    query = sa.union_all(*(sa.select(part) for part in parts))
    for row in connection.execute(query).mappings():
        found.setdefault(row["monitor"], []).append(_reads.summary_of(row))
    return {
        monitor: tuple(sorted(kept, key=lambda run: run.id))
        for monitor, kept in found.items()
    }


def run_samples(connection: sa.Connection, query: SampleQuery) -> SamplePage:
    """Return the page of a run's samples that *query* asks for."""
    numbered = (
        sa.select(
            samples.c.id,
            samples.c.case_id,
            samples.c.outcome,
            sa.func.row_number().over(order_by=samples.c.id).label("number"),
        )
        .where(samples.c.run_id == query.run_id)
        .subquery()
    )
    wanted = sa.select(numbered)
    if query.outcome is not None:
        wanted = wanted.where(numbered.c.outcome == query.outcome.value)
    if query.case_id is not None:
        wanted = wanted.where(numbered.c.case_id == query.case_id)
    count = sa.select(sa.func.count()).select_from(wanted.subquery())
    total = connection.execute(count).scalar_one()
    rank = {outcome.value: place for place, outcome in enumerate(_WORST_FIRST)}
    page = connection.execute(
        wanted.order_by(sa.case(rank, value=numbered.c.outcome), numbered.c.id)
        .offset(query.offset)
        .limit(query.limit)
    ).all()
    kept = _kept(connection, [row.id for row in page])
    return SamplePage(
        samples=tuple(
            KeptSample(
                run_id=query.run_id, number=row.number, sample=kept[row.id].sample
            )
            for row in page
            if row.id in kept
        ),
        total=total,
    )


def page_of(run: Run, query: SampleQuery) -> SamplePage:
    """Return the same of a *run* that is not in the store yet."""
    numbered = [
        KeptSample(run_id=run.id, number=number, sample=sample)
        for number, sample in enumerate((*run.samples, *run.second_look), 1)
        if query.outcome in (None, sample.outcome)
        and query.case_id in (None, sample.case_id)
    ]
    numbered.sort(key=lambda kept: _WORST_FIRST.index(kept.sample.outcome))
    page = numbered[query.offset : query.offset + query.limit]
    return SamplePage(samples=tuple(page), total=len(numbered))


def failing_cases(
    connection: sa.Connection, run_id: int, limit: int
) -> tuple[FailingCase, ...]:
    """Return the cases of a run with failed samples, the worst *limit* of them."""
    failed = sa.func.sum(sa.case((samples.c.outcome.in_(_BAD), 1), else_=0))
    first = sa.func.min(sa.case((samples.c.outcome.in_(_BAD), samples.c.id)))
    query = (
        sa.select(
            samples.c.case_id,
            failed.label("failed"),
            sa.func.count().label("samples"),
            first.label("first"),
        )
        .where(samples.c.run_id == run_id)
        .group_by(samples.c.case_id)
        .having(failed > 0)
        .order_by(failed.desc(), first)
        .limit(limit)
    )
    rows = connection.execute(query).all()
    kept = _kept(connection, [row.first for row in rows])
    return tuple(
        FailingCase(
            case_id=row.case_id,
            failed=row.failed,
            samples=row.samples,
            sample=kept[row.first].sample,
        )
        for row in rows
        if row.first in kept
    )


def failing_cases_of(run: Run, limit: int) -> tuple[FailingCase, ...]:
    """Return the same of a *run* that is not in the store yet."""
    both = (*run.samples, *run.second_look)
    asked = Counter(sample.case_id for sample in both)
    bad = [sample for sample in both if sample.outcome.value in _BAD]
    failed = Counter(sample.case_id for sample in bad)
    first = {sample.case_id: sample for sample in reversed(bad)}
    return tuple(
        FailingCase(
            case_id=case_id,
            failed=count,
            samples=asked[case_id],
            sample=first[case_id],
        )
        for case_id, count in failed.most_common(limit)
    )


def newest_kept(
    connection: sa.Connection,
    monitor: str,
    case_ids: Collection[str],
    outcomes: Collection[Outcome],
) -> tuple[KeptSample, ...]:
    """Return the newest counted sample of each case and outcome, oldest first."""
    return tuple(
        _kept_sample(row)
        for row in _reads.newest_rows(connection, monitor, case_ids, outcomes)
    )


def case_history(
    connection: sa.Connection, monitor: str, case_id: str, limit: int
) -> tuple[HistoryPoint, ...]:
    """Return the last *limit* counted samples of a case, oldest first."""
    parts = [
        sa.select(samples.c.id)
        .where(
            samples.c.monitor == monitor,
            samples.c.case_id == case_id,
            samples.c.counted.is_(sa.true()),
            samples.c.outcome == outcome.value,
        )
        .order_by(samples.c.id.desc())
        .limit(limit)
        .subquery()
        for outcome in Outcome
    ]
    ids = sa.union_all(*(sa.select(part.c.id) for part in parts)).subquery()
    newest = sa.select(ids.c.id).order_by(ids.c.id.desc()).limit(limit)
    columns = (
        samples.c.run_id,
        samples.c.fingerprint,
        samples.c.outcome,
        samples.c.started_at,
        samples.c.facts,
    )
    query = (
        sa.select(*columns)
        .where(samples.c.id.in_(newest))
        .order_by(samples.c.run_id, samples.c.id)
    )
    return tuple(
        HistoryPoint(
            run_id=row.run_id,
            fingerprint=row.fingerprint,
            outcome=Outcome(row.outcome),
            at=from_epoch(row.started_at),
        )
        for row in connection.execute(query)
        if not _sample_json.of_second_look(row.facts)
    )


def faults(connection: sa.Connection, run_ids: Sequence[int]) -> tuple[Fault, ...]:
    """Return why samples of *run_ids* failed, the most frequent reason first."""
    query = (
        sa.select(samples.c.case_id, samples.c.facts)
        .where(samples.c.run_id.in_(run_ids), samples.c.outcome.in_(_BAD))
        .order_by(samples.c.id.desc())
        .limit(_MOST_FAULTS)
    )
    found: dict[tuple[ErrorReason | None, str | None], list[str]] = {}
    for row in connection.execute(query):
        reason, criterion = _sample_json.why(row.facts)
        found.setdefault((reason, criterion), []).append(row.case_id)
    return tuple(
        Fault(
            error=reason,
            criterion=criterion,
            samples=len(cases),
            cases=len(set(cases)),
        )
        for (reason, criterion), cases in sorted(
            found.items(), key=lambda item: -len(item[1])
        )
    )


def recent_deploys(
    connection: sa.Connection, monitor: str, limit: int
) -> tuple[StoredDeploy, ...]:
    """Return the last *limit* deploys of *monitor*'s agent, newest first."""
    query = (
        sa.select(deploys)
        .where(deploys.c.monitor == monitor)
        .order_by(deploys.c.id.desc())
        .limit(limit)
    )
    return tuple(
        StoredDeploy(version=row.version, at=from_epoch(row.at))
        for row in connection.execute(query)
    )


def _kept(connection: sa.Connection, ids: Iterable[int]) -> dict[int, KeptSample]:
    """Return the samples of *ids*, by these."""
    query = sa.select(samples).where(samples.c.id.in_(list(ids)))
    return {
        row["id"]: _kept_sample(row) for row in connection.execute(query).mappings()
    }


def _kept_sample(row: sa.RowMapping) -> KeptSample:
    """Return the sample of *row*, with its run."""
    return KeptSample(run_id=row["run_id"], sample=_sample_json.sample_of(row))
