"""
When a monitor is due: pure, instants in seconds since the epoch (UTC).

A monitor's due times are a grid: every interval, at an offset that is a hash of its
name, so that a thousand hourly monitors don't all start on the hour.
"""

import hashlib
import math


# A monitor that never ran is not kept waiting for a whole interval.
_FIRST_WITHIN_SECONDS = 30.0


def offset(name: str, interval: float) -> float:
    """Return the seconds by which *name*'s grid is shifted, from 0 to *interval*."""
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64 * interval


def first_due(name: str, interval: float, *, now: float) -> float:
    """Return when a monitor that never ran is due first."""
    return now + offset(name, min(interval, _FIRST_WITHIN_SECONDS))


def restored_due(due: float, interval: float, *, now: float) -> float:
    """
    Return when a monitor whose stored due time is *due* runs next.

    What is overdue is due now, once. So is what lies further ahead than an interval:
    the clock was set back since.
    """
    return due if now <= due <= now + interval else now


def next_due(name: str, interval: float, *, due: float, now: float) -> float:
    """
    Return the first point of *name*'s grid after the run that was due at *due*.

    *now* is what the clock shows at that run. A timer may fire a little before its
    time; where the two are far apart, the clock jumped, and it is right.
    """
    base = due if abs(now - due) < interval / 2 else now
    shift = offset(name, interval)
    point = shift + (math.floor((base - shift) / interval) + 1) * interval
    # The grid's arithmetic is exact to microseconds only: never the same point again.
    return point if point - base > interval * 1e-3 else point + interval
