"""
What is deleted: on request, and with age.

In small transactions, each followed by a pause as long as it took: whoever else writes
gets the store in between.
"""

import asyncio

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa

from answerprobe.evidence._database import Database
from answerprobe.evidence._now import now
from answerprobe.evidence._records import (
    DEFAULT_RETENTION,
    ROWS_KEPT_SECONDS,
    Forgotten,
    Pruned,
)
from answerprobe.evidence._schema import (
    deploys,
    experiments,
    monitors,
    runs,
    samples,
)
from answerprobe.monitor import Retention
from answerprobe.run import RunState, Trigger
from answerprobe.verdict import Outcome


_BATCH = 500
# Runs of an experiment stay as they are when its command is killed; one that goes on
# notices that they are gone.
_ENDED = sa.or_(
    runs.c.state.in_([RunState.COMPLETED.value, RunState.INTERRUPTED.value]),
    runs.c.trigger == Trigger.EXPERIMENT.value,
)
_NEWER = samples.alias("newer")
# Whether a sample is the newest one of its case that passed.
_LAST_GOOD = sa.and_(
    samples.c.outcome == Outcome.PASS.value,
    samples.c.counted.is_(sa.true()),
    ~sa.exists().where(
        _NEWER.c.monitor == samples.c.monitor,
        _NEWER.c.case_id == samples.c.case_id,
        _NEWER.c.counted.is_(sa.true()),
        _NEWER.c.outcome == Outcome.PASS.value,
        _NEWER.c.id > samples.c.id,
    ),
)
_IDS: sa.BindParameter[Any] = sa.bindparam("b_ids", expanding=True)
_AFTER: sa.BindParameter[int] = sa.bindparam("b_after")
_TEXTS = (
    sa.select(
        samples.c.id, samples.c.monitor, samples.c.started_at, _LAST_GOOD.label("keep")
    )
    .where(
        samples.c.outcome == sa.bindparam("b_outcome"),
        samples.c.texts.is_not(None),
        samples.c.id > _AFTER,
    )
    .order_by(samples.c.id)
    .limit(_BATCH)
)
_SAMPLES = (
    sa.select(
        samples.c.id,
        samples.c.started_at.label("at"),
        samples.c.texts.is_not(None).label("keep"),
    )
    .where(samples.c.id > _AFTER)
    .order_by(samples.c.id)
    .limit(_BATCH)
)
_RUNS = (
    sa.select(
        runs.c.id,
        runs.c.queued_at.label("at"),
        sa.or_(~_ENDED, sa.exists().where(samples.c.run_id == runs.c.id)).label("keep"),
    )
    .where(runs.c.id > _AFTER)
    .order_by(runs.c.id)
    .limit(_BATCH)
)
_FIRST = -1


async def prune(
    database: Database, now: datetime, retention: Mapping[str, Retention]
) -> Pruned:
    """Delete what is older than *retention* (by monitor) allows."""
    at = now.timestamp()
    texts = 0
    for outcome in Outcome:
        texts += await _prune_texts(database, at, outcome, retention)
    cutoff = at - ROWS_KEPT_SECONDS
    pruned = Pruned(
        texts=texts,
        samples=await _prune_rows(database, samples, _SAMPLES, cutoff),
        runs=await _prune_rows(database, runs, _RUNS, cutoff),
    )
    await database.write(partial(_prune_deploys, cutoff=cutoff))
    await database.write(partial(_prune_experiments, cutoff=cutoff))
    return pruned


async def _prune_texts(
    database: Database, at: float, outcome: Outcome, retention: Mapping[str, Retention]
) -> int:
    """Take the texts of samples that ended in *outcome* and are too old."""

    def kept_seconds(of: Retention) -> float:
        """Return how long texts of this outcome are kept."""
        passed = outcome is Outcome.PASS
        return of.passes_seconds if passed else of.failures_seconds

    oldest_young = at - min(map(kept_seconds, [*retention.values(), DEFAULT_RETENTION]))
    after, taken = _FIRST, 0
    while True:
        query = partial(_rows, _TEXTS, b_after=after, b_outcome=outcome.value)
        found = await database.read(query)
        expired = [
            row.id
            for row in found
            if not row.keep
            and row.started_at
            < at - kept_seconds(retention.get(row.monitor, DEFAULT_RETENTION))
        ]
        if expired:
            take = sa.update(samples).where(samples.c.id.in_(_IDS)).values(texts=None)
            await _gently(database, partial(_execute, take, b_ids=expired))
            taken += len(expired)
        if len(found) < _BATCH or found[-1].started_at >= oldest_young:
            return taken
        after = found[-1].id


async def _prune_rows(
    database: Database,
    table: sa.Table,
    query: sa.Select[Any],
    cutoff: float,
) -> int:
    """Delete rows of *table* older than *cutoff*, but those that *query* keeps."""
    after, deleted = _FIRST, 0
    while True:
        found = await database.read(partial(_rows, query, b_after=after))
        expired = [row.id for row in found if row.at < cutoff and not row.keep]
        if expired:
            delete = sa.delete(table).where(table.c.id.in_(_IDS))
            await _gently(database, partial(_execute, delete, b_ids=expired))
            deleted += len(expired)
        if len(found) < _BATCH or found[-1].at >= cutoff:
            return deleted
        after = found[-1].id


def _prune_deploys(connection: sa.Connection, cutoff: float) -> None:
    """Delete old deploys, but each monitor's newest."""
    newest = sa.select(sa.func.max(deploys.c.id)).group_by(deploys.c.monitor)
    connection.execute(
        sa.delete(deploys).where(deploys.c.at < cutoff, deploys.c.id.not_in(newest))
    )


def _prune_experiments(connection: sa.Connection, cutoff: float) -> None:
    """Delete old experiments; their runs are old too."""
    connection.execute(sa.delete(experiments).where(experiments.c.started_at < cutoff))


def count_forget(
    connection: sa.Connection, monitor: str, case_id: str | None
) -> Forgotten:
    """Return how much `forget` would delete."""
    of_it = _of(monitor, case_id)
    rows = sa.select(sa.func.count()).select_from(samples).where(of_it)
    return Forgotten(
        runs=connection.execute(
            sa.select(sa.func.count()).where(_emptied(monitor, case_id))
        ).scalar_one(),
        samples=connection.execute(rows).scalar_one(),
    )


async def forget(
    database: Database, monitor: str, case_id: str | None, now: datetime
) -> Forgotten:
    """
    Delete evidence of *monitor*, or of one case of it; ledger and status stay.

    A run that goes on is left alone. Of runs that had other cases too the rest stays.
    """
    forgotten = await database.read(
        partial(count_forget, monitor=monitor, case_id=case_id)
    )
    emptied = await database.read(
        lambda connection: list(
            connection.execute(
                sa.select(runs.c.id).where(_emptied(monitor, case_id))
            ).scalars()
        )
    )
    mark = partial(_mark_forgotten, monitor=monitor, at=now.timestamp())
    of_it = sa.select(samples.c.id).where(_of(monitor, case_id)).limit(_BATCH)
    delete = sa.delete(samples).where(samples.c.id.in_(of_it))
    while await _gently(database, partial(_execute, delete)):
        pass
    remove = sa.delete(runs).where(runs.c.id.in_(_IDS))
    for ids in _batches(emptied):
        await _gently(database, partial(_execute, remove, b_ids=ids))
    if case_id is None:
        tried = sa.delete(experiments).where(experiments.c.monitor == monitor)
        await _gently(database, partial(_execute, tried))
    await database.write(mark)
    await database.tidy()
    return forgotten


def _of(monitor: str, case_id: str | None) -> sa.ColumnElement[bool]:
    """Return the condition for samples of *monitor*, or of one case of it."""
    of_it = samples.c.monitor == monitor
    return of_it if case_id is None else sa.and_(of_it, samples.c.case_id == case_id)


def _emptied(monitor: str, case_id: str | None) -> sa.ColumnElement[bool]:
    """Return the condition for ended runs that have nothing else."""
    of_it = sa.and_(runs.c.monitor == monitor, _ENDED)
    if case_id is None:
        return of_it
    own = sa.exists().where(samples.c.run_id == runs.c.id, samples.c.case_id == case_id)
    other = sa.exists().where(
        samples.c.run_id == runs.c.id, samples.c.case_id != case_id
    )
    return sa.and_(of_it, own, ~other)


def _mark_forgotten(connection: sa.Connection, monitor: str, at: float) -> None:
    """Tell daemons that what they remember of *monitor* may be gone."""
    connection.execute(
        sa.update(monitors)
        .where(monitors.c.name == monitor)
        .values(forgotten_at=at, revision=monitors.c.revision + 1, changed_at=now())
    )


def _rows(
    query: sa.Select[Any], connection: sa.Connection, **values: object
) -> Sequence[sa.Row[Any]]:
    """Return all rows of *query*."""
    return connection.execute(query, values).all()


def _execute(
    statement: sa.Delete | sa.Update, connection: sa.Connection, **values: object
) -> int:
    """Carry out *statement*; return how many rows it changed."""
    return connection.execute(statement, values).rowcount


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield *ids* in pieces that fit into one transaction."""
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


async def _gently(database: Database, work: Callable[[sa.Connection], int]) -> int:
    """Run *work* in a transaction, then let others have the store for as long."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    changed = await database.write(work)
    await asyncio.sleep(loop.time() - began)
    return changed
