"""
Steps of runs as SQL, the same for SQLite and PostgreSQL.

Each function works in the transaction of the connection it is given, and takes many
steps at once: what costs is the statement, not the row.
"""

import itertools
import json

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa

from answerprobe.evidence import _sample_json, _state_writes
from answerprobe.evidence._instants import from_epoch, to_epoch_or_none
from answerprobe.evidence._operations import Begin, ChangeVersion, Start
from answerprobe.evidence._reads import request_of
from answerprobe.evidence._records import FinishedRun, UnfinishedRun
from answerprobe.evidence._schema import RUN_COUNTER, counters, runs, samples
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.text import scrub
from answerprobe.verdict import Outcome


_ENDED = (RunState.COMPLETED, RunState.INTERRUPTED)
# What a run counts for each outcome.
_COUNTS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "errors",
    Outcome.NOT_JUDGED: "not_judged",
}
_UNFINISHED = runs.c.state.in_([RunState.QUEUED.value, RunState.RUNNING.value])
# The same for a statement that is executed for many runs at once: an IN is expanded at
# execution, which SQLAlchemy refuses to do there.
_OPEN = sa.or_(
    runs.c.state == RunState.QUEUED.value, runs.c.state == RunState.RUNNING.value
)

_TAKE_IDS = (
    sa.update(counters)
    .where(counters.c.name == RUN_COUNTER)
    .values(value=counters.c.value + sa.bindparam("b_count", type_=sa.BigInteger))
    .returning(counters.c.value)
)
_RAISE_IDS = (
    sa.update(counters)
    .where(counters.c.name == RUN_COUNTER, counters.c.value < sa.bindparam("b_least"))
    .values(value=sa.bindparam("b_least"))
)
_PRESENT = sa.select(runs.c.id).where(
    runs.c.id.in_(sa.bindparam("b_ids", expanding=True))
)
_DELETE_TWIN = sa.delete(runs).where(
    runs.c.monitor == sa.bindparam("b_monitor"),
    runs.c.queued_at == sa.bindparam("b_queued_at"),
    runs.c.id > sa.bindparam("b_after"),
    runs.c.id < sa.bindparam("b_id"),
    _OPEN,
)
_START = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), _OPEN)
    .values(state=RunState.RUNNING.value, started_at=sa.bindparam("b_started_at"))
)
# Locks the rows where that is a thing: the transaction's conditions stay true.
_LOCK_OPEN = (
    sa.select(runs.c.id)
    .where(runs.c.id.in_(sa.bindparam("b_ids", expanding=True)), _UNFINISHED)
    .with_for_update()
)
_END = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"))
    .values(
        state=sa.bindparam("b_state"),
        started_at=sa.func.coalesce(
            runs.c.started_at, sa.bindparam("b_started_at", type_=sa.Double)
        ),
        finished_at=sa.bindparam("b_finished_at"),
        done=sa.bindparam("b_done"),
        **{column: sa.bindparam(f"b_{column}") for column in _COUNTS.values()},
    )
)
_INTERRUPT = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), _OPEN)
    .values(state=RunState.INTERRUPTED.value, finished_at=sa.bindparam("b_finished_at"))
)
_CHANGE_VERSION = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), runs.c.state == RunState.QUEUED.value)
    .values(version=sa.bindparam("b_version"))
)


def begin(connection: sa.Connection, begins: Sequence[Begin]) -> list[int]:
    """Write new runs and return their ids."""
    if not begins:
        return []
    fresh = sum(begin.run_id is None for begin in begins)
    last = (
        connection.execute(_TAKE_IDS, {"b_count": fresh}).scalar_one() if fresh else 0
    )
    numbers = itertools.count(last - fresh + 1)
    ids = [next(numbers) if begin.run_id is None else begin.run_id for begin in begins]
    promised = [begin for begin in begins if begin.run_id is not None]
    present = _settle_promised(connection, promised) if promised else set()
    rows = [
        _run_row(run_id, begin)
        for run_id, begin in zip(ids, begins, strict=True)
        if run_id not in present
    ]
    if rows:
        connection.execute(sa.insert(runs), rows)
    return ids


def _settle_promised(connection: sa.Connection, promised: Sequence[Begin]) -> set[int]:
    """
    Make room for runs whose ids were given while the store was down.

    Returns the ids that are written already. A twin was written, with another id, by a
    commit that seemed to have failed.
    """
    ids = [begin.run_id for begin in promised if begin.run_id is not None]
    connection.execute(_RAISE_IDS, {"b_least": max(ids)})
    twins = [
        {
            "b_monitor": begin.request.monitor,
            "b_queued_at": begin.queued_at.timestamp(),
            "b_after": begin.twin_after,
            "b_id": begin.run_id,
        }
        for begin in promised
        if begin.twin_after is not None
    ]
    if twins:
        connection.execute(_DELETE_TWIN, twins)
    return set(connection.execute(_PRESENT, {"b_ids": ids}).scalars())


def _run_row(run_id: int, begin: Begin) -> dict[str, object]:
    """Return the row of a new run."""
    request = begin.request
    state = RunState.QUEUED if begin.started_at is None else RunState.RUNNING
    return {
        "id": run_id,
        **_request_columns(request),
        "state": state.value,
        "queued_at": begin.queued_at.timestamp(),
        "started_at": to_epoch_or_none(begin.started_at),
        "total": begin.total,
        "done": 0,
        **dict.fromkeys(_COUNTS.values(), 0),
    }


def _request_columns(request: RunRequest) -> dict[str, object]:
    """Return what a row keeps of *request*."""
    ids = request.case_ids
    return {
        "monitor": request.monitor,
        "trigger": request.trigger.value,
        "case_ids": None if ids is None else scrub(json.dumps(ids)),
        "samples": request.samples,
        "version": None if request.version is None else scrub(request.version),
        "reason": None if request.reason is None else scrub(request.reason),
    }


def start(connection: sa.Connection, starts: Sequence[Start]) -> None:
    """Write that queued runs start."""
    if starts:
        rows = [
            {"b_id": step.run_id, "b_started_at": step.started_at.timestamp()}
            for step in starts
        ]
        connection.execute(_START, rows)


def end(connection: sa.Connection, finished: Sequence[FinishedRun]) -> None:
    """
    Write ended runs and what follows from them.

    A run that the store has as ended already is left out with all its consequences: the
    commit that was thought lost did happen.
    """
    if not finished:
        return
    open_ids = set(
        connection.execute(
            _LOCK_OPEN, {"b_ids": [item.run.id for item in finished]}
        ).scalars()
    )
    fresh = [item for item in finished if item.run.id in open_ids]
    if not fresh:
        return
    connection.execute(_END, [_end_row(item) for item in fresh])
    if rows := [row for item in fresh for row in _sample_json.rows_of(item.run)]:
        connection.execute(sa.insert(samples), rows)
    _state_writes.advance(
        connection,
        [
            (item.run.request.monitor, item.status, item.due_at)
            for item in fresh
            if item.status is not None or item.due_at is not None
        ],
    )
    _state_writes.add_ledger(
        connection, [entry for item in fresh for entry in item.ledger]
    )


def _end_row(finished: FinishedRun) -> dict[str, object]:
    """Return what the row of an ended run becomes."""
    run = finished.run
    if run.state not in _ENDED:
        message = f"run {run.id} has not ended"
        raise ValueError(message)
    counts = run.outcomes
    return {
        "b_id": run.id,
        "b_state": run.state.value,
        "b_started_at": to_epoch_or_none(run.started_at),
        "b_finished_at": to_epoch_or_none(run.finished_at),
        "b_done": run.done,
        **{f"b_{column}": counts[outcome] for outcome, column in _COUNTS.items()},
    }


def change_version(connection: sa.Connection, change: ChangeVersion) -> None:
    """Write that a queued run is for another version."""
    version = None if change.version is None else scrub(change.version)
    values = {"b_id": change.run_id, "b_version": version}
    connection.execute(_CHANGE_VERSION, values)


def interrupt(
    connection: sa.Connection, run_ids: Collection[int], at: datetime
) -> None:
    """Make those of the runs *run_ids* interrupted that have not ended."""
    if run_ids:
        ended = at.timestamp()
        rows = [{"b_id": run_id, "b_finished_at": ended} for run_id in run_ids]
        connection.execute(_INTERRUPT, rows)


def interrupt_unfinished(
    connection: sa.Connection, at: datetime
) -> tuple[UnfinishedRun, ...]:
    """
    Make running runs interrupted; return them and those that are queued.

    Runs of experiments are left alone: the command that carries one out shares the
    store, and may be at it.
    """
    ours = sa.and_(_UNFINISHED, runs.c.trigger != Trigger.EXPERIMENT.value)
    rows = connection.execute(
        sa.select(runs).where(ours).order_by(runs.c.id).with_for_update()
    ).mappings()
    found = tuple(
        UnfinishedRun(
            id=row["id"],
            request=request_of(row),
            state=RunState(row["state"]),
            queued_at=from_epoch(row["queued_at"]),
            total=row["total"],
        )
        for row in rows
    )
    interrupt(
        connection, [run.id for run in found if run.state is RunState.RUNNING], at
    )
    return found
