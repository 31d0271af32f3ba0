"""Figures of chance, as a person reads them."""

import math

from answerprobe import durations


_DAY_SECONDS = 86400.0
# Who waits for ten years waits for nothing.
_NEVER_SECONDS = 3650 * _DAY_SECONDS
_NEVER_RUNS = 1e6


def often(count: float) -> str:
    """Return how often something happens."""
    if count >= 99.95:
        return f"{count:,.0f}"
    return f"{count:.1f}" if count >= 0.095 else f"{count:.2f}"


def runs(number: float) -> str:
    """Return after how many runs something happens."""
    if number > _NEVER_RUNS:
        return "never"
    return f"{number:,.1f}" if number < 99.95 else f"{number:,.0f}"


def span(seconds: float) -> str:
    """Return *seconds* as a duration of two units at most."""
    if seconds > _NEVER_SECONDS:
        return "never"
    if seconds >= 3 * _DAY_SECONDS:
        return f"{seconds / _DAY_SECONDS:,.0f} days"
    step = 3600 if seconds >= _DAY_SECONDS else 60 if seconds >= 600 else 1
    return durations.show(max(1, round(seconds / step)) * step)


def dollars(amount: float | None) -> str:
    """Return an amount of money; nothing where nobody knows."""
    if amount is None:
        return ""
    return "<0.01" if 0 < amount < 0.005 else f"{amount:,.2f}"


def at_most(rate: float | None) -> str:
    """Return a rate that lower ones are meant with; none where it takes no value."""
    return "no drop" if rate is None else f"{math.floor(rate * 100 + 1e-9)}% or less"


def finite(number: float) -> float | None:
    """Return *number*, None where it is infinite: JSON knows no such number."""
    return number if math.isfinite(number) else None
