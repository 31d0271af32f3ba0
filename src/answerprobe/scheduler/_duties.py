"""What one replica does for all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from answerprobe.errors import StoreError
from answerprobe.evidence import Cluster
from answerprobe.scheduler._membership import Membership


class Duties(Protocol):
    """Who says whether something is to be done here."""

    @property
    def shared(self) -> bool:
        """Whether others may do it."""
        ...

    async def take(self, name: str) -> bool:
        """Whether *name* is to be done here, and by nobody else until it is done."""
        ...

    async def end(self, name: str) -> None:
        """*name* is done."""
        ...


class SoleDuties:
    """Those of a daemon that shares its store with no other: all."""

    shared = False

    async def take(self, name: str) -> bool:
        """Have it done here."""
        del name
        return True

    async def end(self, name: str) -> None:
        """Do nothing."""


class SharedDuties:
    """Those of a replica: the store knows who does what."""

    shared = True

    def __init__(self, cluster: Cluster, membership: Membership) -> None:
        self._cluster = cluster
        self._membership = membership

    async def take(self, name: str) -> bool:
        """Whether *name* is to be done here; not while the store is away."""
        try:
            return await self._cluster.take_duty(name, self._membership.id)
        except StoreError:
            return False

    async def end(self, name: str) -> None:
        """Let others do *name*; where the store is away, once the lease is over."""
        with suppress(StoreError):
            await self._cluster.end_duty(name, self._membership.id)


@asynccontextmanager
async def on_duty(duties: Duties, name: str) -> AsyncIterator[bool]:
    """Yield whether *name* is to be done in the block."""
    taken = await duties.take(name)
    try:
        yield taken
    finally:
        if taken:
            await duties.end(name)
