"""Queries, the same for SQLite and PostgreSQL."""

import json

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa

from answerprobe.evidence import _sample_json, _status_json
from answerprobe.evidence._instants import from_epoch, from_epoch_or_none
from answerprobe.evidence._now import now
from answerprobe.evidence._records import (
    RunPage,
    RunQuery,
    RunSummary,
    StoredDeploy,
    StoredMonitor,
    StoredTokens,
)
from answerprobe.evidence._schema import (
    RUN_COUNTER,
    counters,
    deploys,
    ledger,
    monitors,
    runs,
    samples,
)
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.sample import TokenRole
from answerprobe.verdict import Outcome


_OUTCOME_COLUMNS = {
    Outcome.PASS: runs.c.passed,
    Outcome.FAIL: runs.c.failed,
    Outcome.ERROR: runs.c.errors,
    Outcome.NOT_JUDGED: runs.c.not_judged,
}
_TOKENS = sa.func.sum(ledger.c.input_tokens + ledger.c.output_tokens)


def load_monitors(
    connection: sa.Connection, names: Collection[str] | None = None
) -> Mapping[str, StoredMonitor]:
    """Return all that is known of monitors *names* (None: of all), by name."""
    newest = sa.select(sa.func.max(deploys.c.id)).group_by(deploys.c.monitor)
    wanted = sa.select(monitors)
    if names is not None:
        newest = newest.where(deploys.c.monitor.in_(names))
        wanted = wanted.where(monitors.c.name.in_(names))
    deployed = {
        row.monitor: StoredDeploy(version=row.version, at=from_epoch(row.at))
        for row in connection.execute(
            sa.select(deploys).where(deploys.c.id.in_(newest))
        )
    }
    return {
        row.name: StoredMonitor(
            first_seen=from_epoch(row.first_seen),
            due_at=from_epoch_or_none(row.due_at),
            paused_manually=row.paused_manually,
            status=_status_json.decode(row.status),
            definition=row.definition,
            revision=row.revision,
            deploy=deployed.get(row.name),
            epoch=row.epoch,
        )
        for row in connection.execute(wanted)
    }


def changed_monitors(
    connection: sa.Connection, seconds: float | None
) -> Mapping[str, int]:
    """Return monitors that changed in the last *seconds* (None: all) and revisions."""
    query = sa.select(monitors.c.name, monitors.c.revision)
    if seconds is not None:
        query = query.where(monitors.c.changed_at > now() - seconds)
    return {row.name: row.revision for row in connection.execute(query)}


def queued_runs(
    connection: sa.Connection, after: int, limit: int
) -> Sequence[sa.RowMapping]:
    """Return queued runs with ids above *after*, in their order."""
    query = (
        sa.select(runs)
        .where(runs.c.state == RunState.QUEUED.value, runs.c.id > after)
        .order_by(runs.c.id)
        .limit(limit)
    )
    return connection.execute(query).mappings().all()


def spent_tokens(
    connection: sa.Connection, month: str, names: Collection[str]
) -> Mapping[str, int]:
    """Return how many tokens each of the monitors *names* spent in *month*."""
    query = (
        sa.select(ledger.c.monitor, _TOKENS)
        .where(ledger.c.month == month, ledger.c.monitor.in_(names))
        .group_by(ledger.c.monitor)
    )
    found: dict[str, int] = {
        name: int(tokens) for name, tokens in connection.execute(query)
    }
    return {name: found.get(name, 0) for name in names}


def total_spent_tokens(connection: sa.Connection, month: str) -> int:
    """Return how many tokens were spent in *month*, all together."""
    query = sa.select(sa.func.coalesce(_TOKENS, 0)).where(ledger.c.month == month)
    return int(connection.execute(query).scalar_one())


def forgotten_since(connection: sa.Connection, since: datetime) -> frozenset[str]:
    """Return the monitors whose evidence was deleted on request after *since*."""
    query = sa.select(monitors.c.name).where(
        monitors.c.forgotten_at >= since.timestamp()
    )
    return frozenset(connection.execute(query).scalars())


def load_run(connection: sa.Connection, run_id: int) -> Run | None:
    """Return run *run_id* with its samples; None where there is none."""
    query = sa.select(runs).where(runs.c.id == run_id)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    found = connection.execute(
        sa.select(samples).where(samples.c.run_id == run_id).order_by(samples.c.id)
    ).mappings()
    kept = tuple(_sample_json.sample_of(sample_row) for sample_row in found)
    return Run(
        id=run_id,
        request=request_of(row),
        state=RunState(row["state"]),
        queued_at=from_epoch(row["queued_at"]),
        total=row["total"],
        done=row["done"],
        started_at=from_epoch_or_none(row["started_at"]),
        finished_at=from_epoch_or_none(row["finished_at"]),
        samples=tuple(sample for sample in kept if not sample.second_look),
        second_look=tuple(sample for sample in kept if sample.second_look),
    )


def list_runs(connection: sa.Connection, query: RunQuery) -> RunPage:
    """Return the page of runs that *query* asks for."""
    wanted = sa.select(runs).order_by(runs.c.id.desc()).limit(query.limit + 1)
    if query.monitor is not None:
        wanted = wanted.where(runs.c.monitor == query.monitor)
    if query.trigger is not None:
        wanted = wanted.where(runs.c.trigger == query.trigger.value)
    if query.outcome is not None:
        wanted = wanted.where(_OUTCOME_COLUMNS[query.outcome] > 0)
    if query.before is not None:
        wanted = wanted.where(runs.c.id < query.before)
    found = [summary_of(row) for row in connection.execute(wanted).mappings()]
    more = len(found) > query.limit
    page = tuple(found[: query.limit])
    return RunPage(runs=page, next=page[-1].id if more else None)


def summaries(
    connection: sa.Connection, run_ids: Collection[int]
) -> Mapping[int, RunSummary]:
    """Return the runs of *run_ids* that there are, without samples."""
    query = sa.select(runs).where(runs.c.id.in_(run_ids))
    return {row["id"]: summary_of(row) for row in connection.execute(query).mappings()}


def newest(
    connection: sa.Connection,
    monitor: str,
    case_ids: Collection[str],
    outcomes: Collection[Outcome],
) -> Mapping[str, SampleResult]:
    """Return each case's newest counted sample that ended in one of *outcomes*."""
    # In ascending order: of several outcomes the newest sample stays.
    return {
        row["case_id"]: _sample_json.sample_of(row)
        for row in newest_rows(connection, monitor, case_ids, outcomes)
    }


def newest_rows(
    connection: sa.Connection,
    monitor: str,
    case_ids: Collection[str],
    outcomes: Collection[Outcome],
) -> Sequence[sa.RowMapping]:
    """
    Return the newest counted sample of each case and outcome, in ascending order.

    One query: an index look-up for each case and outcome, whatever the history's size.
    """
    pairs = [(case, outcome.value) for case in case_ids for outcome in outcomes]
    if not pairs:
        return ()
    wanted = (
        sa.values(
            sa.column("case_id", sa.Text), sa.column("outcome", sa.Text), name="wanted"
        )
        .data(pairs)
        .cte()
    )
    newest_id = (
        sa.select(samples.c.id)
        .where(
            samples.c.monitor == monitor,
            samples.c.case_id == wanted.c.case_id,
            samples.c.counted.is_(sa.true()),
            samples.c.outcome == wanted.c.outcome,
        )
        .order_by(samples.c.id.desc())
        .limit(1)
        .correlate(wanted)
        .scalar_subquery()
    )
    query = (
        sa.select(samples)
        .where(samples.c.id.in_(sa.select(newest_id).select_from(wanted)))
        .order_by(samples.c.id)
    )
    return connection.execute(query).mappings().all()


def load_ledger(connection: sa.Connection, month: str) -> tuple[StoredTokens, ...]:
    """Return what was spent in *month*."""
    query = (
        sa.select(ledger)
        .where(ledger.c.month == month)
        .order_by(ledger.c.monitor, ledger.c.role, ledger.c.estimated)
    )
    return tuple(
        StoredTokens(
            month=row.month,
            monitor=row.monitor,
            role=TokenRole(row.role),
            estimated=row.estimated,
            input_tokens=row.input_tokens,
            output_tokens=row.output_tokens,
        )
        for row in connection.execute(query)
    )


def last_run_id(connection: sa.Connection) -> int:
    """Return the highest run id ever given; 0 before the first."""
    query = sa.select(counters.c.value).where(counters.c.name == RUN_COUNTER)
    return int(connection.execute(query).scalar_one())


def request_of(row: sa.RowMapping) -> RunRequest:
    """Return what the run of *row* was asked to do."""
    ids = row["case_ids"]
    return RunRequest(
        monitor=row["monitor"],
        trigger=Trigger(row["trigger"]),
        case_ids=None if ids is None else tuple(json.loads(ids)),
        samples=row["samples"],
        version=row["version"],
        reason=row["reason"],
    )


def summary_of(row: sa.RowMapping) -> RunSummary:
    """Return the run of *row*."""
    return RunSummary(
        id=row["id"],
        request=request_of(row),
        state=RunState(row["state"]),
        queued_at=from_epoch(row["queued_at"]),
        total=row["total"],
        done=row["done"],
        started_at=from_epoch_or_none(row["started_at"]),
        finished_at=from_epoch_or_none(row["finished_at"]),
        outcomes={
            outcome: row[column.name] for outcome, column in _OUTCOME_COLUMNS.items()
        },
    )
