"""Exact binomial probabilities, also of thousands of samples."""

import math

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Self

from answerprobe.passrate._bar import clears


class Bar(NamedTuple):
    """At least *needed* of *samples* must pass."""

    samples: int
    needed: int

    @classmethod
    def of_target(cls, samples: int, target: float) -> Self:
        """Return the bar that a pass ratio of *target* sets for so many *samples*."""
        needed = math.floor(samples * target)
        # Compared as a run is: 29 of 100 reach 29%, whatever rounding says of 0.29.
        while needed / samples < target:
            needed += 1
        return cls(samples, needed)

    @classmethod
    def of_threshold(cls, samples: int, above: float, z: float) -> Self:
        """Return the bar that a lower bound *above* sets for so many *samples*."""
        numbers = range(1, samples + 1)
        cleared = (n for n in numbers if clears(n, samples, above, z))
        return cls(samples, next(cleared, samples + 1))


@lru_cache(maxsize=8192)
def misses(bar: Bar, rate: float) -> float:
    """Return the chance that fewer pass than *bar* needs, at that true pass *rate*."""
    allowed = bar.samples - bar.needed
    if allowed < 0 or rate <= 0:
        return 0.0 if bar.needed <= 0 else 1.0
    if bar.needed <= 0 or rate >= 1:
        return 0.0
    # From the border away from the mean, where the terms get smaller and smaller: what
    # is too small for a float there is too small to matter.
    if allowed + 1 > bar.samples * (1 - rate):
        return _sum(_terms(bar.samples, allowed + 1, 1 - rate))
    # The same seen from the passes.
    return max(0.0, 1 - _sum(_terms(bar.samples, bar.needed, rate)))


def _terms(samples: int, first: int, rate: float) -> Iterator[float]:
    """Yield the chances of *first*, *first* + 1, ... of *samples* at that *rate*."""
    term = math.exp(
        math.lgamma(samples + 1)
        - math.lgamma(first + 1)
        - math.lgamma(samples - first + 1)
        + first * math.log(rate)
        + (samples - first) * math.log1p(-rate)
    )
    odds = rate / (1 - rate)
    for count in range(first, samples + 1):
        yield term
        term *= (samples - count) / (count + 1) * odds


def _sum(terms: Iterator[float]) -> float:
    """Return the sum of falling *terms*, without those that change nothing."""
    total = 0.0
    for term in terms:
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, total)
