"""How many samples may be in flight at once: in the whole daemon, and at one host."""

import asyncio

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Slots:
    """
    The places that samples in flight take.

    A sample takes its host's place before the daemon's: one that waits for a host which
    hangs then holds nothing that others could use.
    """

    def __init__(
        self, *, in_flight: int, per_host: int, monotonic: Callable[[], float]
    ) -> None:
        self._all = asyncio.Semaphore(in_flight)
        self._in_flight = in_flight
        self._per_host = per_host
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._monotonic = monotonic
        self._waiting = 0
        # Insertion order is start order, so that the first is the oldest.
        self._started: dict[object, float] = {}

    def resize(self, *, in_flight: int, per_host: int) -> None:
        """Let so many samples be in flight; those that are keep their places."""
        if (in_flight, per_host) != (self._in_flight, self._per_host):
            self._in_flight, self._per_host = in_flight, per_host
            self._all = asyncio.Semaphore(in_flight)
            self._hosts = {}

    @property
    def in_flight(self) -> int:
        """How many samples are in flight."""
        return len(self._started)

    @property
    def full(self) -> bool:
        """Whether all places of the daemon are taken."""
        return len(self._started) >= self._in_flight

    @property
    def waiting(self) -> int:
        """How many samples wait for a place."""
        return self._waiting

    @property
    def oldest_seconds(self) -> float:
        """For how long the oldest sample in flight has been; 0 without any."""
        started = next(iter(self._started.values()), None)
        return 0.0 if started is None else self._monotonic() - started

    @asynccontextmanager
    async def take(self, host: str) -> AsyncIterator[None]:
        """Hold a place for a sample at *host*, waiting for it in line."""
        semaphore = self._hosts.get(host)
        if semaphore is None:
            semaphore = self._hosts[host] = asyncio.Semaphore(self._per_host)
        whole, key = self._all, object()
        self._waiting += 1
        try:
            await semaphore.acquire()
            try:
                await whole.acquire()
            except BaseException:
                semaphore.release()
                raise
        finally:
            self._waiting -= 1
        self._started[key] = self._monotonic()
        try:
            yield
        finally:
            del self._started[key]
            whole.release()
            semaphore.release()
