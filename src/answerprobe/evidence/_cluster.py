"""What replicas of one PostgreSQL ask it: leases, claims, news, budgets, duties."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from answerprobe.evidence import _claims, _reads, _replicas, _run_ends, _run_writes
from answerprobe.evidence._claims import Wish
from answerprobe.evidence._database import Database
from answerprobe.evidence._instants import from_epoch
from answerprobe.evidence._operations import Begin
from answerprobe.evidence._records import (
    Claim,
    RunSummary,
    StoredMonitor,
    UnfinishedRun,
)
from answerprobe.evidence._replicas import Granted, Member, Renewed
from answerprobe.run import RunRequest, Trigger


# Transactions are much shorter: what one of them changed is seen.
_RECENT_SECONDS = 60.0
_MOST_QUEUED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A run that was claimed, as it stands in the store from now on."""

    claim: Claim
    run_id: int
    request: RunRequest
    queued_at: datetime
    started_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """
    What became of a wish: *taken*, or not; and what the store has of the monitor.

    *waiting*: it is a queued run that was not taken and still waits.
    """

    taken: Taken | None
    state: StoredMonitor | None
    spent_tokens: int
    waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a replica is told of one monitor."""

    state: StoredMonitor
    last_run: RunSummary | None
    spent_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """
    What a replica has to know from time to time.

    *revisions* of monitors that changed of late, *claimed* the epochs of those that it
    has claimed, *queued* the next runs that wait, *spent_tokens* those of all monitors.
    """

    revisions: Mapping[str, int]
    claimed: Mapping[str, int]
    queued: tuple[UnfinishedRun, ...]
    spent_tokens: int


class Cluster:
    """A PostgreSQL that replicas share. Every method may raise StoreUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def join(self, member: Member, lease_seconds: float) -> list[tuple[int, str]]:
        """Let *member* be a replica; return runs (id, monitor) this interrupted."""
        return await self._database.write(
            partial(_replicas.join, member=member, lease_seconds=lease_seconds)
        )

    async def renew(
        self, replica: str, *, lease_seconds: float, held_tokens: int
    ) -> Renewed | None:
        """Renew the lease of *replica*; None where it is no replica any more."""
        return await self._database.write(
            partial(
                _replicas.renew,
                replica=replica,
                lease_seconds=lease_seconds,
                held_tokens=held_tokens,
            )
        )

    async def bury(self) -> list[tuple[int, str]]:
        """Free what replicas had whose lease is over; return runs (id, monitor)."""
        return await self._database.write(_replicas.bury)

    async def leave(self, replica: str) -> None:
        """Let *replica* be one no more."""
        await self._database.write(partial(_replicas.leave, replica=replica))

    async def claim(self, wish: Wish, month: str) -> Reply:
        """Claim what *wish* says, if it can be had now."""
        return await self._database.write(partial(_claim, wish=wish, month=month))

    async def release(self, monitor: str, claim: Claim) -> None:
        """Give up *claim*; what ran under it is interrupted."""
        await self._database.write(
            partial(_claims.release, monitor=monitor, held=claim)
        )

    async def news(
        self, replica: str, *, since_ever: bool, queued_after: int, month: str
    ) -> News:
        """Return what *replica* has to know now."""
        return await self._database.read(
            partial(
                _news,
                replica=replica,
                seconds=None if since_ever else _RECENT_SECONDS,
                queued_after=queued_after,
                month=month,
            )
        )

    async def tell(self, names: Collection[str], month: str) -> Mapping[str, Told]:
        """Return what the store has of the monitors *names*."""
        return await self._database.read(partial(_tell, names=names, month=month))

    async def grant(
        self,
        replica: str,
        *,
        month: str,
        limit_tokens: int,
        held_tokens: int,
        further_tokens: int,
    ) -> Granted:
        """Tell whether the common budget lets one more sample of *replica* start."""
        return await self._database.write(
            partial(
                _replicas.grant,
                replica=replica,
                month=month,
                limit_tokens=limit_tokens,
                held_tokens=held_tokens,
                further_tokens=further_tokens,
            )
        )

    async def take_duty(self, name: str, replica: str) -> bool:
        """Whether *replica* may do *name* for all."""
        return await self._database.write(
            partial(_replicas.take_duty, name=name, replica=replica)
        )

    async def end_duty(self, name: str, replica: str) -> None:
        """Let others do *name*."""
        await self._database.write(
            partial(_replicas.end_duty, name=name, replica=replica)
        )


def _news(
    connection: sa.Connection,
    replica: str,
    seconds: float | None,
    queued_after: int,
    month: str,
) -> News:
    """Return what *replica* has to know."""
    queued = _reads.queued_runs(connection, queued_after, _MOST_QUEUED)
    return News(
        revisions=_reads.changed_monitors(connection, seconds),
        claimed=_claims.claimed(connection, replica),
        queued=tuple(map(_run_ends.unfinished, queued)),
        spent_tokens=_reads.total_spent_tokens(connection, month),
    )


def _claim(connection: sa.Connection, wish: Wish, month: str) -> Reply:
    """Claim what *wish* says, with the run's row, or change nothing that counts."""
    taken = None
    epoch = _claims.claim(connection, wish)
    if epoch is not None:
        taken = _take(connection, wish, epoch)
        if taken is None:
            claim = Claim(replica=wish.replica, epoch=epoch)
            _claims.release(connection, wish.monitor, claim)
    state = _reads.load_monitors(connection, [wish.monitor]).get(wish.monitor)
    spent = _reads.spent_tokens(connection, month, [wish.monitor])
    return Reply(
        taken=taken,
        state=state,
        spent_tokens=spent[wish.monitor],
        waiting=taken is None and _waits(connection, wish),
    )


def _take(connection: sa.Connection, wish: Wish, epoch: int) -> Taken | None:
    """Write the run of *wish*, which is claimed; None where it waits no more."""
    claim = Claim(replica=wish.replica, epoch=epoch)
    if wish.run_id is not None:
        row = _claims.start(connection, wish)
        if row is None:
            return None
        return Taken(
            claim=claim,
            run_id=wish.run_id,
            request=_reads.request_of(row),
            queued_at=from_epoch(row["queued_at"]),
            started_at=wish.started_at,
        )
    request = RunRequest(monitor=wish.monitor, trigger=Trigger.SCHEDULE)
    begin = Begin(
        request=request,
        queued_at=wish.started_at,
        started_at=wish.started_at,
        total=wish.total,
        claim=claim,
    )
    (run_id,) = _run_writes.begin(connection, [begin])
    return Taken(
        claim=claim,
        run_id=run_id,
        request=request,
        queued_at=wish.started_at,
        started_at=wish.started_at,
    )


def _waits(connection: sa.Connection, wish: Wish) -> bool:
    """Whether the run of *wish* is queued and may be claimed later."""
    if wish.run_id is None:
        return False
    found = _reads.queued_runs(connection, wish.run_id - 1, 1)
    return any(row["id"] == wish.run_id for row in found)


def _tell(
    connection: sa.Connection, names: Collection[str], month: str
) -> Mapping[str, Told]:
    """Return what is known of the monitors *names*."""
    states = _reads.load_monitors(connection, names)
    ids = {state.status.last_run_id for state in states.values()}
    runs = _reads.summaries(connection, {i for i in ids if i is not None})
    spent = _reads.spent_tokens(connection, month, list(states))
    return {
        name: Told(
            state=state,
            last_run=runs.get(state.status.last_run_id or 0),
            spent_tokens=spent[name],
        )
        for name, state in states.items()
    }
