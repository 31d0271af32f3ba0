"""Power: how many samples show a difference."""

import math

from statistics import NormalDist

from answerprobe.passrate._interval import Z_95


# The usual chance of finding a difference that is there.
POWER = 0.8


def runs_to_separate(one: float, other: float, z: float = Z_95) -> int | None:
    """
    Return how many samples of each show that two pass rates differ, 4 times of 5.

    None where the rates are equal: no number separates what is alike.

    Source: J. L. Fleiss, "Statistical Methods for Rates and Proportions", 2nd edition
    (1981), equation 3.14: two equal groups, without continuity correction.
    """
    if one == other:
        return None
    mean = (one + other) / 2
    alike = math.sqrt(2 * mean * (1 - mean))
    apart = math.sqrt(one * (1 - one) + other * (1 - other))
    needed = z * alike + NormalDist().inv_cdf(POWER) * apart
    return math.ceil((needed / (one - other)) ** 2)


def rate_to_separate(one: float, samples: int) -> float | None:
    """
    Return the highest rate below *one* that *samples* of each tell from it.

    As `runs_to_separate` counts them; None where not even 0 is far enough.
    """

    def is_apart(other: float) -> bool:
        needed = runs_to_separate(one, other)
        return needed is not None and needed <= samples

    if not is_apart(0.0):
        return None
    low, high = 0.0, one
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_apart(middle) else (low, middle)
    return low
