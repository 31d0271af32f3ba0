"""Statistics of pass rates. Pure; every rate is a ratio from 0 to 1."""

import math

from typing import NamedTuple


# Two-sided 95% of the normal distribution, as tables and other tools round it.
Z_95 = 1.96


class Interval(NamedTuple):
    """A range that the true rate lies in, with the confidence asked for."""

    low: float
    high: float


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
