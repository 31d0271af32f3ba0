"""
How runs end, as SQL, the same for SQLite and PostgreSQL.

Each function works in the transaction of the connection it is given, and takes many
ends at once: what costs is the statement, not the row.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from answerprobe.evidence import _claims, _sample_json, _state_writes
from answerprobe.evidence._instants import (
    from_epoch,
    from_epoch_or_none,
    to_epoch_or_none,
)
from answerprobe.evidence._reads import request_of
from answerprobe.evidence._records import FinishedRun, UnfinishedRun
from answerprobe.evidence._schema import runs, samples
from answerprobe.run import RunState, Trigger
from answerprobe.verdict import Outcome


_ENDED = (RunState.COMPLETED, RunState.INTERRUPTED)
# What a run counts for each outcome.
COUNTS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.ERROR: "errors",
    Outcome.NOT_JUDGED: "not_judged",
}
_UNFINISHED = runs.c.state.in_([RunState.QUEUED.value, RunState.RUNNING.value])
# The same for a statement that is executed for many runs at once: an IN is expanded at
# execution, which SQLAlchemy refuses to do there.
OPEN = sa.or_(
    runs.c.state == RunState.QUEUED.value, runs.c.state == RunState.RUNNING.value
)

# Locks the rows where that is a thing: the transaction's conditions stay true.
_LOCK_RUNS = (
    sa.select(runs.c.id, runs.c.monitor, runs.c.state, runs.c.replica)
    .where(runs.c.id.in_(sa.bindparam("b_ids", expanding=True)))
    .order_by(runs.c.id)
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
        **{column: sa.bindparam(f"b_{column}") for column in COUNTS.values()},
    )
)
_INTERRUPT = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), OPEN)
    .values(state=RunState.INTERRUPTED.value, finished_at=sa.bindparam("b_finished_at"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the store has of a run."""

    monitor: str
    state: str
    replica: str | None


def end(connection: sa.Connection, finished: Sequence[FinishedRun]) -> set[int]:
    """
    Write ended runs and what follows from them; return those that count.

    A run that the store has as ended already is left out with all its consequences: the
    commit that was thought lost did happen. One whose claim is lost is interrupted.
    """
    if not finished:
        return set()
    fenced = _claims.lost(connection, finished)
    ids = [item.run.id for item in finished]
    found = {
        row.id: _Known(monitor=row.monitor, state=row.state, replica=row.replica)
        for row in connection.execute(_LOCK_RUNS, {"b_ids": ids})
    }
    fresh, counting = [], set()
    for item in finished:
        row, lost = found.get(item.run.id), item.run.id in fenced
        if not lost and _is_open(row, item):
            fresh.append(item)
            counting.add(item.run.id)
        elif row is None:
            # Forgotten while it went on: nobody else has it, there is nothing to write.
            counting.update(() if lost else (item.run.id,))
        elif _is_written(row, item, lost=lost):
            counting.add(item.run.id)
    _write_ends(connection, fresh)
    for item in finished:
        row = found.get(item.run.id)
        if item.run.id not in counting and row and _is_own(row, item):
            interrupt(
                connection, [item.run.id], item.run.finished_at or item.run.queued_at
            )
    return counting


def _is_written(row: _Known, finished: FinishedRun, *, lost: bool) -> bool:
    """
    Whether *row* has this very end: its commit was thought lost and did happen.

    Where the claim is *lost*, another replica may have ended the run in its turn, and
    anybody interrupted it.
    """
    same = _is_same(row, finished) and row.state == finished.run.state.value
    if not lost:
        return same
    completed = finished.run.state is RunState.COMPLETED
    return same and completed and _is_own(row, finished)


def _is_own(row: _Known, finished: FinishedRun) -> bool:
    """Whether *row* is of that run, and no other replica does it."""
    mine = finished.claim.replica if finished.claim else None
    return _is_same(row, finished) and row.replica in (None, mine)


def _is_open(row: _Known | None, finished: FinishedRun) -> bool:
    """Whether *row* has the run not ended, and *finished* may be its end."""
    if row is None or not _is_same(row, finished):
        return False
    if row.state == RunState.QUEUED.value:
        return True
    # Without a claim nobody ends what another replica runs.
    unclaimed = row.replica is None or finished.claim is not None
    return row.state == RunState.RUNNING.value and unclaimed


def _is_same(row: _Known, finished: FinishedRun) -> bool:
    """Whether *row* is of that run, and not of another that was given its id."""
    return row.monitor == finished.run.request.monitor


def _write_ends(connection: sa.Connection, fresh: Sequence[FinishedRun]) -> None:
    """Write ends of runs that are open, and what follows from them."""
    if not fresh:
        return
    connection.execute(_END, [_end_row(item) for item in fresh])
    if rows := [row for item in fresh for row in _sample_json.rows_of(item.run)]:
        connection.execute(sa.insert(samples), rows)
    _state_writes.advance(
        connection,
        [
            _state_writes.Advance(
                name=item.run.request.monitor,
                status=item.status,
                due_at=item.due_at,
                release=item.claim is not None,
            )
            for item in fresh
            if item.status is not None or item.due_at is not None or item.claim
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
        **{f"b_{column}": counts[outcome] for outcome, column in COUNTS.items()},
    }


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

    Not those that replicas run: they end when their replica's lease does. Runs of
    experiments are left alone too: the command that carries one out shares the store,
    and may be at it.
    """
    ours = sa.and_(
        _UNFINISHED,
        runs.c.trigger != Trigger.EXPERIMENT.value,
        runs.c.replica.is_(None),
    )
    rows = connection.execute(
        sa.select(runs).where(ours).order_by(runs.c.id).with_for_update()
    ).mappings()
    found = tuple(unfinished(row) for row in rows)
    interrupt(
        connection, [run.id for run in found if run.state is RunState.RUNNING], at
    )
    return found


def unfinished(row: sa.RowMapping) -> UnfinishedRun:
    """Return the run of *row*, which has not ended."""
    return UnfinishedRun(
        id=row["id"],
        request=request_of(row),
        state=RunState(row["state"]),
        queued_at=from_epoch(row["queued_at"]),
        total=row["total"],
        not_before=from_epoch_or_none(row["not_before"]),
    )
