"""Intervals: where a pass rate lies, and how far two of them lie apart."""

import math

from enum import StrEnum
from statistics import NormalDist
from typing import NamedTuple, Self


# Two-sided 95% of the normal distribution, as tables and other tools round it.
Z_95 = 1.96


class Interval(NamedTuple):
    """A range that the true rate lies in, with the confidence asked for."""

    low: float
    high: float


class Counted(NamedTuple):
    """How many samples *passed* of those that were *judged*."""

    passed: int
    judged: int


class Difference(NamedTuple):
    """By how much a rate rose (fell, if below 0), and the interval around that."""

    difference: float
    low: float
    high: float


class Change(StrEnum):
    """What an interval of a difference allows to say."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_DETECTABLE_DIFFERENCE = "no_detectable_difference"

    @classmethod
    def of(cls, found: Difference) -> Self:
        """Return what *found* says: a difference only where 0 lies outside."""
        if found.low > 0:
            return cls.IMPROVED
        return cls.REGRESSED if found.high < 0 else cls.NO_DETECTABLE_DIFFERENCE


def z_of(confidence: float) -> float:
    """Return the two-sided quantile of a *confidence* between 0 and 1."""
    # As everybody writes it, so that figures agree with theirs to the last digit.
    if confidence == 0.95:
        return Z_95
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(passed: int, judged: int, z: float = Z_95) -> Interval:
    """
    Return the Wilson score interval of *passed* out of *judged* (at least 1).

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927); without continuity correction, two-sided.
    """
    if judged < 1 or not 0 <= passed <= judged:
        message = f"{passed} of {judged} is no pass rate"
        raise ValueError(message)
    rate = passed / judged
    scale = 1 + z * z / judged
    centre = (rate + z * z / (2 * judged)) / scale
    spread = rate * (1 - rate) / judged + z * z / (4 * judged * judged)
    half = z * math.sqrt(spread) / scale
    # Rounding must not push a bound past the rate itself at 0 and 1.
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == judged else min(1.0, centre + half)
    return Interval(low, high)


def newcombe(before: Counted, after: Counted, z: float = Z_95) -> Difference:
    """
    Return the difference *after* - *before* of two independent pass rates.

    Source: R. G. Newcombe, "Interval estimation for the difference between independent
    proportions", Statistics in Medicine 17 (1998), method 10: the hybrid score
    interval, without continuity correction, two-sided. Each of the rates is of at least
    one sample.
    """
    low_before, high_before = wilson(*before, z)
    low_after, high_after = wilson(*after, z)
    rate_before = before.passed / before.judged
    rate_after = after.passed / after.judged
    difference = rate_after - rate_before
    below = math.hypot(rate_after - low_after, high_before - rate_before)
    above = math.hypot(high_after - rate_after, rate_before - low_before)
    return Difference(difference, difference - below, difference + above)
