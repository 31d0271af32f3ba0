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
