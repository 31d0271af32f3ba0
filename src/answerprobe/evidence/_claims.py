"""Claims as SQL: who may do a run, and whether what it brings still counts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from answerprobe.evidence._now import now
from answerprobe.evidence._records import Claim, FinishedRun
from answerprobe.evidence._schema import duties, monitors, replicas, runs
from answerprobe.run import RunState


# A timer may fire a little before its time, and clocks are known to so much.
_EARLY_SECONDS = 0.25

_LOCK_MONITORS = (
    sa.select(monitors.c.name, monitors.c.epoch, monitors.c.claimed_by)
    .where(monitors.c.name.in_(sa.bindparam("b_names", expanding=True)))
    # In one order everywhere: two replicas cannot wait for each other's rows.
    .order_by(monitors.c.name)
    .with_for_update()
)
# Keeps the row from being deleted meanwhile, not from being renewed.
_LOCK_REPLICA = (
    sa.select(replicas.c.id)
    .where(replicas.c.id == sa.bindparam("b_replica"))
    .with_for_update(read=True, key_share=True)
)
_CLAIM = (
    sa.update(monitors)
    .where(
        monitors.c.name == sa.bindparam("b_name"),
        monitors.c.claimed_by.is_(None),
        monitors.c.definition == sa.bindparam("b_definition"),
    )
    .values(claimed_by=sa.bindparam("b_replica"), epoch=monitors.c.epoch + 1)
    .returning(monitors.c.epoch)
)
_CLAIM_DUE = _CLAIM.where(
    monitors.c.paused_manually.is_(sa.false()),
    sa.or_(
        monitors.c.due_at <= now() + _EARLY_SECONDS,
        # Further ahead than an interval: a clock was set back.
        monitors.c.due_at
        > now() + sa.bindparam("b_every", type_=sa.Double) + _EARLY_SECONDS,
    ),
)
# The queued run of a wish, which may start by now.
_READY = (
    runs.c.id == sa.bindparam("b_id"),
    runs.c.monitor == sa.bindparam("b_name"),
    runs.c.state == RunState.QUEUED.value,
    sa.or_(runs.c.not_before.is_(None), runs.c.not_before <= now() + _EARLY_SECONDS),
)
_CLAIM_QUEUED = _CLAIM.where(sa.exists().where(*_READY))
_START = (
    sa.update(runs)
    .where(*_READY)
    .values(
        state=RunState.RUNNING.value,
        started_at=sa.bindparam("b_started_at"),
        replica=sa.bindparam("b_replica"),
    )
    .returning(*runs.c)
)
_FREE = (
    sa.update(monitors)
    .where(
        monitors.c.claimed_by.is_not(None),
        ~sa.exists().where(replicas.c.id == monitors.c.claimed_by),
    )
    .values(
        claimed_by=None,
        epoch=monitors.c.epoch + 1,
        revision=monitors.c.revision + 1,
        changed_at=now(),
    )
)
_INTERRUPT = (
    sa.update(runs)
    .where(
        runs.c.state == RunState.RUNNING.value,
        runs.c.replica.is_not(None),
        ~sa.exists().where(replicas.c.id == runs.c.replica),
    )
    .values(state=RunState.INTERRUPTED.value, finished_at=now())
    .returning(runs.c.id, runs.c.monitor)
)
_RELEASE = (
    sa.update(monitors)
    .where(
        monitors.c.name == sa.bindparam("b_name"),
        monitors.c.claimed_by == sa.bindparam("b_replica"),
        monitors.c.epoch == sa.bindparam("b_epoch"),
    )
    .values(
        claimed_by=None,
        epoch=monitors.c.epoch + 1,
        revision=monitors.c.revision + 1,
        changed_at=now(),
    )
)
_INTERRUPT_OWN = (
    sa.update(runs)
    .where(
        runs.c.monitor == sa.bindparam("b_name"),
        runs.c.state == RunState.RUNNING.value,
        runs.c.replica == sa.bindparam("b_replica"),
    )
    .values(state=RunState.INTERRUPTED.value, finished_at=now())
)
# A run that was begun while the store was away: whose it is can be told only now.
_ADOPT = (
    sa.update(monitors)
    .where(
        monitors.c.name
        == sa.select(runs.c.monitor)
        .where(
            runs.c.id == sa.bindparam("b_run"),
            runs.c.state == RunState.RUNNING.value,
            runs.c.replica == sa.bindparam("b_replica"),
        )
        .scalar_subquery(),
        monitors.c.epoch == sa.bindparam("b_epoch"),
        monitors.c.claimed_by.is_(None),
        sa.exists().where(replicas.c.id == sa.bindparam("b_replica")),
    )
    .values(claimed_by=sa.bindparam("b_replica"))
)
_CLAIMED = sa.select(monitors.c.name, monitors.c.epoch).where(
    monitors.c.claimed_by == sa.bindparam("b_replica")
)
_FREE_DUTIES = sa.delete(duties).where(
    ~sa.exists().where(replicas.c.id == duties.c.replica)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """
    A run that *replica* would do: due, or queued where *run_id* is given.

    *definition* is that of the monitor which it knows. *every_seconds* is the interval
    of one that is due, *total* its number of samples.
    """

    replica: str
    monitor: str
    definition: str
    started_at: datetime
    every_seconds: float = 0.0
    total: int = 0
    run_id: int | None = None


def claim(connection: sa.Connection, wish: Wish) -> int | None:
    """Return the epoch of *wish*'s claim; None where it cannot be had now."""
    if not alive(connection, wish.replica):
        return None
    values: dict[str, object] = {
        "b_name": wish.monitor,
        "b_definition": wish.definition,
        "b_replica": wish.replica,
    }
    if wish.run_id is None:
        return connection.execute(
            _CLAIM_DUE, {**values, "b_every": wish.every_seconds}
        ).scalar_one_or_none()
    return connection.execute(
        _CLAIM_QUEUED, {**values, "b_id": wish.run_id}
    ).scalar_one_or_none()


def alive(connection: sa.Connection, replica: str) -> bool:
    """Whether *replica* is known, which it is then until the transaction ends."""
    found = connection.execute(_LOCK_REPLICA, {"b_replica": replica})
    return found.scalar_one_or_none() is not None


def start(connection: sa.Connection, wish: Wish) -> sa.RowMapping | None:
    """Let the queued run of *wish*, which is claimed, start; None: it waits no more."""
    values = {
        "b_id": wish.run_id,
        "b_name": wish.monitor,
        "b_started_at": wish.started_at.timestamp(),
        "b_replica": wish.replica,
    }
    return connection.execute(_START, values).mappings().one_or_none()


def free(connection: sa.Connection) -> Sequence[tuple[int, str]]:
    """Free what replicas had that are gone; return their runs, now interrupted."""
    connection.execute(_FREE)
    connection.execute(_FREE_DUTIES)
    return [(row.id, row.monitor) for row in connection.execute(_INTERRUPT)]


def claimed(connection: sa.Connection, replica: str) -> Mapping[str, int]:
    """Return the monitors that *replica* has claimed, with their epochs."""
    rows = connection.execute(_CLAIMED, {"b_replica": replica})
    return {row.name: row.epoch for row in rows}


def release(connection: sa.Connection, monitor: str, held: Claim) -> None:
    """Give up *held*; a run under it is interrupted."""
    values = {"b_name": monitor, "b_replica": held.replica}
    if connection.execute(_RELEASE, {**values, "b_epoch": held.epoch}).rowcount:
        connection.execute(_INTERRUPT_OWN, values)


def adopt(connection: sa.Connection, claims: Mapping[int, Claim]) -> None:
    """Claim the monitors of runs that go on (id -> claim), if nobody has meanwhile."""
    if claims:
        rows = [
            {"b_run": run_id, "b_replica": held.replica, "b_epoch": held.epoch}
            for run_id, held in claims.items()
        ]
        connection.execute(_ADOPT, rows)


def lost(connection: sa.Connection, finished: Collection[FinishedRun]) -> set[int]:
    """Return which of *finished* had a claim that holds no longer; keep the others."""
    claimed = [item for item in finished if item.claim is not None]
    if not claimed:
        return set()
    now_held = _held(connection, {item.run.request.monitor for item in claimed})
    return {
        item.run.id
        for item in claimed
        if not _holds(now_held.get(item.run.request.monitor), item.claim)
    }


def holding(connection: sa.Connection, claims: Mapping[str, Claim]) -> set[str]:
    """Return those monitors of *claims* whose claims hold, and keep them so."""
    if not claims:
        return set()
    now_held = _held(connection, claims.keys())
    return {n for n, wanted in claims.items() if _holds(now_held.get(n), wanted)}


def keep(connection: sa.Connection, names: Collection[str]) -> None:
    """Let nobody else change the monitors *names* until the transaction ends."""
    if names:
        _held(connection, names)


def _held(
    connection: sa.Connection, names: Collection[str]
) -> Mapping[str, tuple[int, str | None]]:
    """Return the epoch and the claimant of monitors; they stay, for now."""
    rows = connection.execute(_LOCK_MONITORS, {"b_names": sorted(names)})
    return {row.name: (row.epoch, row.claimed_by) for row in rows}


def _holds(found: tuple[int, str | None] | None, wanted: Claim | None) -> bool:
    """Whether a monitor that has *found* is still *wanted*'s, or its last user's."""
    if found is None or wanted is None:
        return False
    epoch, claimant = found
    return epoch == wanted.epoch and claimant in (None, wanted.replica)
