"""
Steps of runs as SQL, the same for SQLite and PostgreSQL.

Each function works in the transaction of the connection it is given, and takes many
steps at once: what costs is the statement, not the row.
"""

import itertools
import json

from collections.abc import Sequence
from dataclasses import replace

import sqlalchemy as sa

from answerprobe.evidence import _claims as claims
from answerprobe.evidence._instants import (
    to_epoch_or_none,
)
from answerprobe.evidence._operations import Begin, ChangeVersion, Start
from answerprobe.evidence._records import Claim
from answerprobe.evidence._run_ends import COUNTS, OPEN
from answerprobe.evidence._schema import RUN_COUNTER, counters, runs
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.text import scrub


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
_WAITING = sa.select(runs.c.id).where(
    runs.c.state == RunState.QUEUED.value,
    *(
        runs.c[name].is_not_distinct_from(
            sa.bindparam(f"b_{name}", type_=runs.c[name].type)
        )
        for name in ("monitor", "trigger", "case_ids", "samples", "version")
    ),
)
_MERGE_DEPLOY = (
    sa.update(runs)
    .where(
        runs.c.state == RunState.QUEUED.value,
        *(
            runs.c[name] == sa.bindparam(f"b_{name}", type_=runs.c[name].type)
            for name in ("monitor", "trigger")
        ),
    )
    .values(
        version=sa.bindparam("b_version"),
        not_before=sa.bindparam("b_not_before", type_=sa.Double),
    )
    .returning(runs.c.id)
)
_PRESENT = sa.select(runs.c.id).where(
    runs.c.id.in_(sa.bindparam("b_ids", expanding=True))
)
_DELETE_TWIN = sa.delete(runs).where(
    runs.c.monitor == sa.bindparam("b_monitor"),
    runs.c.queued_at == sa.bindparam("b_queued_at"),
    runs.c.id > sa.bindparam("b_after"),
    runs.c.id < sa.bindparam("b_id"),
    OPEN,
)
_START = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), OPEN)
    .values(
        state=RunState.RUNNING.value,
        started_at=sa.bindparam("b_started_at"),
        replica=sa.func.coalesce(
            sa.bindparam("b_replica", type_=sa.Text), runs.c.replica
        ),
    )
)
_CHANGE_VERSION = (
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("b_id"), runs.c.state == RunState.QUEUED.value)
    .values(
        version=sa.bindparam("b_version"),
        not_before=sa.bindparam("b_not_before", type_=sa.Double),
    )
)


def begin(connection: sa.Connection, begins: Sequence[Begin]) -> list[int]:
    """Write new runs and return their ids; of a merged one that of the other."""
    merged = _merged(connection, begins)
    new: dict[object, Begin] = {}
    for place, begin in enumerate(begins):
        if place not in merged:
            # Of several that wait for the same the last one tells what it is.
            new[_key(place, begin)] = begin
    added = dict(zip(new, _add(connection, list(new.values())), strict=True))
    return [
        merged[place] if place in merged else added[_key(place, begin)]
        for place, begin in enumerate(begins)
    ]


def _key(place: int, begin: Begin) -> object:
    """Return what is the same for beginnings that are to be one run."""
    if not begin.merge:
        return place
    deploy = begin.request.trigger is Trigger.DEPLOY
    return replace(begin.request, version=None) if deploy else begin.request


def _merged(connection: sa.Connection, begins: Sequence[Begin]) -> dict[int, int]:
    """Return the ids of waiting runs that serve for *begins*, by their place."""
    wanted = {n: begin for n, begin in enumerate(begins) if begin.merge}
    if not wanted:
        return {}
    # Until the end of the transaction nobody else queues runs of these monitors.
    claims.keep(connection, {begin.request.monitor for begin in wanted.values()})
    found = {}
    for place, begin in wanted.items():
        same = {f"b_{key}": v for key, v in _request_columns(begin.request).items()}
        if begin.request.trigger is Trigger.DEPLOY:
            values = {
                "b_monitor": same["b_monitor"],
                "b_trigger": same["b_trigger"],
                "b_version": same["b_version"],
                "b_not_before": to_epoch_or_none(begin.not_before),
            }
            run_id = connection.execute(_MERGE_DEPLOY, values).scalars().first()
        else:
            run_id = connection.execute(_WAITING, same).scalars().first()
        if run_id is not None:
            found[place] = run_id
    return found


def _add(connection: sa.Connection, begins: Sequence[Begin]) -> list[int]:
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
        "not_before": to_epoch_or_none(begin.not_before),
        "replica": _replica(begin.claim),
        "started_at": to_epoch_or_none(begin.started_at),
        "total": begin.total,
        "done": 0,
        **dict.fromkeys(COUNTS.values(), 0),
    }


def _replica(claim: Claim | None) -> str | None:
    """Return whose run it is; None for that of a command, which has no lease."""
    return (claim.replica or None) if claim else None


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
            {
                "b_id": step.run_id,
                "b_started_at": step.started_at.timestamp(),
                "b_replica": _replica(step.claim),
            }
            for step in starts
        ]
        connection.execute(_START, rows)


def change_version(connection: sa.Connection, change: ChangeVersion) -> None:
    """Write that a queued run is for another version."""
    version = None if change.version is None else scrub(change.version)
    values = {
        "b_id": change.run_id,
        "b_version": version,
        "b_not_before": to_epoch_or_none(change.not_before),
    }
    connection.execute(_CHANGE_VERSION, values)
