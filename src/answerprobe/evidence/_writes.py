"""Operations carried out, many in one transaction."""

import itertools

from collections.abc import Sequence

import sqlalchemy as sa

from answerprobe.evidence import (
    _calibrations,
    _claims,
    _run_ends,
    _run_writes,
    _state_writes,
)
from answerprobe.evidence import _operations as op
from answerprobe.evidence._records import FinishedRun


def write(
    connection: sa.Connection, operations: Sequence[op.Operation]
) -> list[int | None]:
    """
    Write *operations* in their order.

    Returns the run's id for each Begin, and for each FinishedRun that counts. Steps of
    different runs may change places; each run's own stay in order.
    """
    ids: list[int | None] = []
    for of_runs, group in itertools.groupby(operations, key=_is_step):
        if of_runs:
            ids += _write_steps(connection, list(group))
        else:
            for operation in group:
                _write_one(connection, operation)
                ids.append(None)
    return ids


def _is_step(operation: op.Operation) -> bool:
    """Whether *operation* is a step of a run, which may move past other runs'."""
    return isinstance(operation, op.Begin | op.Start | FinishedRun)


def _write_steps(
    connection: sa.Connection, operations: Sequence[op.Operation]
) -> list[int | None]:
    """Write steps of runs: first all beginnings, then all starts, then all ends."""
    begins = [step for step in operations if isinstance(step, op.Begin)]
    starts = [step for step in operations if isinstance(step, op.Start)]
    ends = [step for step in operations if isinstance(step, FinishedRun)]
    # Monitors before the counter of runs, as who claims one: none waits for the other.
    _claims.keep(
        connection,
        {step.request.monitor for step in begins if step.claim or step.merge}
        | {step.run.request.monitor for step in ends if step.claim},
    )
    ids_begun = _run_writes.begin(connection, begins)
    _run_writes.start(connection, starts)
    counting = _run_ends.end(connection, ends)
    _claims.adopt(
        connection,
        {n: b.claim for n, b in zip(ids_begun, begins, strict=True) if b.claim}
        | {step.run_id: step.claim for step in starts if step.claim},
    )
    begun = iter(ids_begun)
    ids: list[int | None] = []
    for step in operations:
        match step:
            case op.Begin():
                ids.append(next(begun))
            case FinishedRun() if step.run.id in counting:
                ids.append(step.run.id)
            case _:
                ids.append(None)
    return ids


def _write_one(  # noqa: C901  a branch for each operation
    connection: sa.Connection, operation: op.Operation
) -> None:
    """Write an operation that is no step of a run."""
    match operation:
        case op.ChangeVersion():
            _run_writes.change_version(connection, operation)
        case op.SaveMonitors():
            _state_writes.save_monitors(connection, operation)
        case op.SavePause():
            _state_writes.save_pause(connection, operation)
        case op.AddLedger():
            _state_writes.add_ledger(connection, operation.entries)
        case op.RecordDeploy():
            _state_writes.record_deploy(connection, operation)
        case op.SaveCalibration():
            _calibrations.save(connection, operation.calibration)
        case op.Remains():
            _write_remains(connection, operation)
        case op.Begin() | op.Start() | FinishedRun():
            _write_steps(connection, [operation])


def _write_remains(connection: sa.Connection, remains: op.Remains) -> None:
    """Write what stays of runs whose evidence was dropped."""
    names = sorted(remains.statuses.keys() | remains.due.keys())
    holding = _claims.holding(connection, remains.claims)
    _state_writes.advance(
        connection,
        [
            _state_writes.Advance(
                name=name,
                status=remains.statuses.get(name),
                due_at=remains.due.get(name),
                release=name in holding,
            )
            for name in names
            if name not in remains.claims or name in holding
        ],
    )
    _run_ends.interrupt(connection, remains.run_ids, remains.at)
    _state_writes.add_ledger(connection, remains.ledger)
