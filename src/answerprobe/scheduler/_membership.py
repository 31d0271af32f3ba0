"""A replica among others: its lease, and what time it is for all of them."""

import os
import secrets
import socket
import time

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import structlog

from answerprobe.evidence import Cluster, Member, Renewed


_log = structlog.get_logger()
LEASE_SECONDS = 15.0


def _boottime() -> float:
    """Return seconds of a clock that nobody sets, and that no sleep stops."""
    # CLOCK_MONOTONIC stands while a machine is suspended; leases go on meanwhile.
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Membership:
    """
    The part of this process in a cluster.

    Its lease ends, by a clock of its own, so long after it was asked for. *detached*:
    it cannot reach the store. *alone*: nobody else was there when it last could.
    *met*: whoever was there before has looked since, and does not go on alone.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        address: str,
        lease_seconds: float = LEASE_SECONDS,
        boottime: Callable[[], float] = _boottime,
    ) -> None:
        self._cluster = cluster
        self._address = f"{socket.gethostname()}/{address}"
        self._lease_seconds = lease_seconds
        self._boottime = boottime
        self._until = float("-inf")
        self._learnt = self._boottime()
        # The database's clock less ours.
        self._ahead = time.time() - self._boottime()
        # When it was seen there by its own first look, by the database's clock.
        self._joined_at: float | None = None
        self.id = ""
        self.alone = False
        self.met = False
        self.detached = False

    def now(self) -> datetime:
        """Return the present instant by the database's clock, as far as it is known."""
        return datetime.fromtimestamp(self._boottime() + self._ahead, UTC)

    @property
    def acts_alone(self) -> bool:
        """Whether it goes on without the store, like a daemon with a file."""
        return self.detached and self.alone

    @property
    def unlearnt_seconds(self) -> float:
        """For how long nothing was learnt of what others did."""
        return self._boottime() - self._learnt

    def learnt(self) -> None:
        """Note that all that others did is known now."""
        self._learnt = self._boottime()

    def holds(self) -> bool:
        """Whether what this replica claimed is still its own."""
        return self._boottime() < self._until or self.acts_alone

    async def join(self, *, again: bool = False) -> None:
        """
        Be a replica from now on, under a new id.

        At first in place of one that was at this address; *again*, after it was held to
        be dead, in nobody's place: two that think to have one address live on.
        """
        mark = secrets.token_hex(4)
        member = Member(
            id=f"{socket.gethostname()}-{os.getpid()}-{mark}",
            address=f"{self._address}#{mark}" if again else self._address,
        )
        asked = self._boottime()
        interrupted = await self._cluster.join(member, self._lease_seconds)
        self.id = member.id
        self._joined_at, self.met = None, False
        self._until = asked + self._lease_seconds
        _tell_of(interrupted)
        await self.renew(held_tokens=0)
        _log.info("replica.joined", replica=self.id, alone=self.alone)

    async def renew(self, *, held_tokens: int) -> bool:
        """Renew the lease; False where it is lost, with all that was claimed."""
        asked = self._boottime()
        renewed = await self._cluster.renew(
            self.id, lease_seconds=self._lease_seconds, held_tokens=held_tokens
        )
        seen = self._boottime()
        self.detached = False
        if renewed is None:
            self._until = float("-inf")
            return False
        self._until = asked + self._lease_seconds
        # Half of the way there and back: it was read in between.
        self._ahead = renewed.at - (asked + seen) / 2
        self._look_around(renewed)
        return True

    def _look_around(self, renewed: Renewed) -> None:
        """Know who is there, and whether they know of this replica."""
        if self._joined_at is None:
            self._joined_at = renewed.at
        alone = renewed.next_end is None
        # A lease that ends so late was renewed since, with a look at who is there. Who
        # comes later looks at once.
        looked = self._joined_at + self._lease_seconds
        self.met = self.met or renewed.next_end is None or renewed.next_end >= looked
        if alone != self.alone:
            self.alone = alone
            _log.info("replica.company_changed", alone=self.alone)

    async def bury(self) -> None:
        """Free what others had whose lease is over."""
        _tell_of(await self._cluster.bury())

    async def leave(self) -> None:
        """Be a replica no more: others take over at once."""
        self._until = float("-inf")
        await self._cluster.leave(self.id)


def _tell_of(interrupted: Iterable[tuple[int, str]]) -> None:
    """Write which runs (id, monitor) of replicas that are gone were interrupted."""
    for run, monitor in interrupted:
        _log.warning("run.interrupted", monitor=monitor, run=run, reason="replica gone")
