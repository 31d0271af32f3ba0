"""Limits on how often somebody may try, in bounded memory."""

import ipaddress
import time

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple


_MOST_KEYS = 4096


class _Bucket(NamedTuple):
    """How many tries were left at an instant."""

    left: float
    at: float


class Limiter:
    """
    Lets each key try *burst* times at once, and *per_second* after that.

    What was not seen for long is forgotten first; then it may try anew.
    """

    def __init__(
        self,
        *,
        burst: int,
        per_second: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait_seconds(self, key: str) -> float:
        """Return how long *key* must wait for its next try, 0 for not at all."""
        left = self._refilled(key)
        return 0.0 if left >= 1 else (1 - left) / self._per_second

    def count(self, key: str) -> None:
        """Count a try of *key*."""
        left = max(0.0, self._refilled(key) - 1)
        self._buckets[key] = _Bucket(left, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)

    def _refilled(self, key: str) -> float:
        """Return how many tries *key* has now."""
        bucket = self._buckets.get(key)
        if bucket is None:
            return float(self._burst)
        grown = (self._clock() - bucket.at) * self._per_second
        return min(float(self._burst), bucket.left + grown)


def peer_key(remote: str | None) -> str:
    """Return who *remote* is: an address, or the network one IPv6 subscriber has."""
    try:
        address = ipaddress.ip_address((remote or "").partition("%")[0])
    except ValueError:
        return remote or ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
