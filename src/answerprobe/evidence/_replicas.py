"""Replicas as SQL: who is there, whose lease is over, what each holds and does."""

from dataclasses import dataclass

import sqlalchemy as sa

from answerprobe.evidence import _claims, _reads
from answerprobe.evidence._now import now
from answerprobe.evidence._schema import duties, replicas


# Any number will do that nobody else uses: "budget" in ASCII.
_BUDGET_LOCK = 0x627564676574

_RENEW = (
    sa.update(replicas)
    .where(replicas.c.id == sa.bindparam("b_id"))
    .values(
        lease_until=now() + sa.bindparam("b_seconds", type_=sa.Double),
        held_tokens=sa.bindparam("b_held"),
    )
)
_HOLD = (
    sa.update(replicas)
    .where(replicas.c.id == sa.bindparam("b_id"))
    .values(held_tokens=sa.bindparam("b_held"))
)
# Both databases spell an upsert alike; a duty that somebody has stays theirs.
_TAKE_DUTY = sa.text(
    "INSERT INTO duties (name, replica) VALUES (:name, :replica)"
    " ON CONFLICT (name) DO NOTHING"
)
_OWN_DUTY = sa.select(duties.c.name).where(
    duties.c.name == sa.bindparam("b_name"), duties.c.replica == sa.bindparam("b_id")
)
_END_DUTY = sa.delete(duties).where(
    duties.c.name == sa.bindparam("b_name"), duties.c.replica == sa.bindparam("b_id")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A replica: its *id* for one life, and the *address* at which it listens."""

    id: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """
    What a replica learns when it renews its lease: *at* is the database's clock.

    *next_end* is when the first of others' leases ends; None: nobody else is there.
    """

    at: float
    next_end: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """Whether one more sample may start, and what was *spent* of the month so far."""

    may_start: bool
    spent_tokens: int


def join(
    connection: sa.Connection, member: Member, lease_seconds: float
) -> list[tuple[int, str]]:
    """
    Let *member* be a replica; return what runs this interrupted.

    One that was at its address is gone: two cannot listen there.
    """
    connection.execute(sa.delete(replicas).where(replicas.c.address == member.address))
    connection.execute(
        sa.insert(replicas).values(
            id=member.id,
            address=member.address,
            lease_until=now() + lease_seconds,
            held_tokens=0,
        )
    )
    return list(_claims.free(connection))


def renew(
    connection: sa.Connection, replica: str, *, lease_seconds: float, held_tokens: int
) -> Renewed | None:
    """Renew the lease of *replica*; None where it was over, and somebody saw it."""
    values = {"b_id": replica, "b_seconds": lease_seconds, "b_held": held_tokens}
    if connection.execute(_RENEW, values).rowcount == 0:
        return None
    next_end = sa.select(sa.func.min(replicas.c.lease_until)).where(
        replicas.c.id != replica, replicas.c.lease_until > now()
    )
    row = connection.execute(sa.select(now(), next_end.scalar_subquery())).one()
    return Renewed(at=float(row[0]), next_end=row[1])


def bury(connection: sa.Connection) -> list[tuple[int, str]]:
    """
    Take away replicas whose lease is over, and free all that they had.

    One that has its row locked, in the middle of something, is left for the next time.
    """
    dead = (
        sa.select(replicas.c.id)
        .where(replicas.c.lease_until < now())
        .with_for_update(skip_locked=True)
    )
    connection.execute(sa.delete(replicas).where(replicas.c.id.in_(dead)))
    return list(_claims.free(connection))


def leave(connection: sa.Connection, replica: str) -> None:
    """Let *replica* be one no more, and free what it has left."""
    connection.execute(sa.delete(replicas).where(replicas.c.id == replica))
    _claims.free(connection)


def grant(
    connection: sa.Connection,
    replica: str,
    *,
    month: str,
    limit_tokens: int,
    held_tokens: int,
    further_tokens: int,
) -> Granted:
    """
    Tell whether *limit_tokens* of *month* leave anything, one sample at a time.

    *replica* holds *held_tokens*, and *further_tokens* more if it may start.
    """
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_BUDGET_LOCK)))
    spent = _reads.total_spent_tokens(connection, month)
    query = sa.select(sa.func.coalesce(sa.func.sum(replicas.c.held_tokens), 0)).where(
        replicas.c.id != replica
    )
    held = int(connection.execute(query).scalar_one()) + held_tokens
    may_start = spent + held < limit_tokens
    if may_start:
        values = {"b_id": replica, "b_held": held_tokens + further_tokens}
        connection.execute(_HOLD, values)
    return Granted(may_start=may_start, spent_tokens=spent)


def take_duty(connection: sa.Connection, name: str, replica: str) -> bool:
    """Whether *replica* has the duty *name* from now on, or had it already."""
    if not _claims.alive(connection, replica):
        return False
    connection.execute(_TAKE_DUTY, {"name": name, "replica": replica})
    own = connection.execute(_OWN_DUTY, {"b_name": name, "b_id": replica})
    return own.scalar_one_or_none() is not None


def end_duty(connection: sa.Connection, name: str, replica: str) -> None:
    """Let others have the duty *name*, if *replica* has it."""
    connection.execute(_END_DUTY, {"b_name": name, "b_id": replica})
