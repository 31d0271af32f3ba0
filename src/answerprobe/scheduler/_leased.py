"""Claims where several replicas share a store: each run is one replica's."""

import asyncio
import hashlib

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import structlog

from answerprobe.errors import StoreError
from answerprobe.evidence import Claim, Cluster, Reply, Wish
from answerprobe.ledger import Ledger, month_of
from answerprobe.runner import Claimed, Job
from answerprobe.scheduler._claims import Ruling
from answerprobe.scheduler._membership import Membership
from answerprobe.scheduler._watch import Watch


_log = structlog.get_logger()
# Who comes first is a hash of monitor and replica: each does its share.
_TURN_SECONDS = 0.05
_FULL_SECONDS = 0.1
# Claims on their way: more would only wait for a connection.
_AT_ONCE = 4


class Faults(Protocol):
    """Who is told that the store failed."""

    def failed(self, exc: StoreError) -> None:
        """A use of the store failed."""
        ...


class LeasedClaims:
    """
    Those of a replica: the store decides, and its lease says for how long.

    While all places are *full*, others may have what is due. One that has joined claims
    nothing before it is *met*: somebody may go on alone, if the store goes away now.
    """

    shared = True

    def __init__(
        self,
        *,
        cluster: Cluster,
        membership: Membership,
        faults: Faults,
        ledger: Ledger,
        full: Callable[[], bool],
    ) -> None:
        self._cluster = cluster
        self._membership = membership
        self._faults = faults
        self._ledger = ledger
        self._full = full
        self._lines = asyncio.Semaphore(_AT_ONCE)
        self._mine: dict[str, Claim] = {}
        self._asking: set[str] = set()
        self._stopped = False

    async def take(self, watch: Watch, job: Job) -> Ruling:
        """Claim the run of *watch* that *job* is."""
        self._asking.add(watch.name)
        try:
            return await self._take(watch, job)
        except StoreError as exc:
            self._faults.failed(exc)
            # What the store has is to be looked at again, changed or not.
            watch.revision = -1
            if self._membership.alone and not self._stopped:
                # Nobody else will do it, and it is not known when the store is back.
                self._membership.detached = True
                return Ruling(job=self._unbacked(watch, job))
            return Ruling(job=None, waiting=job.progress.run_id is not None)
        finally:
            self._asking.discard(watch.name)

    async def _take(self, watch: Watch, job: Job) -> Ruling:
        """Claim *job*'s run when it is this replica's turn."""
        queued = job.progress.run_id is not None
        if not queued:
            await asyncio.sleep(_turn(self._membership.id, watch.name))
        async with self._lines:
            # Places are left all the time; nothing says when.
            while self._must_wait() and not self._stopped:  # noqa: ASYNC110
                await asyncio.sleep(_FULL_SECONDS)
            if self._stopped or watch.outdated:
                return Ruling(job=None, waiting=queued)
            if self._membership.acts_alone:
                return Ruling(job=self._unbacked(watch, job))
            month = month_of(self._membership.now())
            asked = asyncio.ensure_future(
                self._cluster.claim(self._wish(watch, job), month)
            )
            # One that nobody waits for any more is given up by `orphans`.
            reply = await asyncio.shield(asked)
        self._ledger.take_up(watch.name, reply.spent_tokens)
        return self._ruling(watch, job, reply)

    def _must_wait(self) -> bool:
        """Whether nothing may be claimed for now."""
        return self._full() or not self._membership.met

    def _wish(self, watch: Watch, job: Job) -> Wish:
        """Return what is asked of the store."""
        return Wish(
            replica=self._membership.id,
            monitor=watch.name,
            # That of the job: a reload may have come while it waited for its turn.
            definition=job.monitor.definition,
            started_at=self._membership.now(),
            every_seconds=watch.monitor.every_seconds or 0.0,
            total=len(job.assignment.plan),
            run_id=job.progress.run_id,
        )

    def _ruling(self, watch: Watch, job: Job, reply: Reply) -> Ruling:
        """Return what *reply* means for *job*."""
        taken, state = reply.taken, reply.state
        if taken is None or state is None:
            return Ruling(job=None, waiting=reply.waiting, state=state)
        self._mine[watch.name] = taken.claim
        job.progress.run_id = taken.run_id
        claimed = replace(
            job,
            request=taken.request,
            queued_at=taken.queued_at,
            previous=state.status.of(watch.monitor),
            claimed=Claimed(claim=taken.claim, started_at=taken.started_at),
            holds=lambda: self._holds(watch.name, taken.claim),
        )
        return Ruling(job=claimed, state=state)

    def _unbacked(self, watch: Watch, job: Job) -> Job:
        """Return *job* as one that counts if nobody claims the monitor meanwhile."""
        claim = Claim(replica=self._membership.id, epoch=watch.epoch)
        self._mine[watch.name] = claim
        return replace(
            job,
            claimed=Claimed(claim=claim, started_at=None),
            holds=lambda: self._holds(watch.name, claim),
        )

    def _holds(self, name: str, claim: Claim) -> bool:
        """Whether *claim* of the monitor *name* is still this replica's."""
        return self._mine.get(name) is claim and self._membership.holds()

    def has(self, name: str) -> bool:
        """Whether the monitor *name* is claimed here."""
        return name in self._mine

    def ended(self, watch: Watch) -> None:
        """Have nothing claimed of *watch* any more."""
        self._mine.pop(watch.name, None)

    def stop(self) -> None:
        """Claim nothing more."""
        self._stopped = True

    def lose(self) -> None:
        """Have lost all claims: the lease was over, and somebody saw it."""
        self._mine.clear()

    def orphans(self, claimed: Mapping[str, int]) -> Mapping[str, Claim]:
        """Return those *claimed* in the store (name, epoch) that nothing here does."""
        return {
            name: Claim(replica=self._membership.id, epoch=epoch)
            for name, epoch in claimed.items()
            if name not in self._mine and name not in self._asking
        }


def _turn(replica: str, monitor: str) -> float:
    """Return how long *replica* lets others go first."""
    digest = hashlib.sha256(f"{replica} {monitor}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64 * _TURN_SECONDS
