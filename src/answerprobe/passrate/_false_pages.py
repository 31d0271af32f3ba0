"""
False pages: how often chance alone wakes somebody, and how soon a drop does.

Every sample passes with the true pass rate, independent of all others. What the status
of a monitor does with the samples of a run is what is computed here; a test holds the
two together.
"""

import math

from collections.abc import Iterable
from dataclasses import dataclass

from answerprobe.passrate._binomial import Bar, misses
from answerprobe.passrate._power import POWER


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """
    What it takes to page.

    A case regresses when it fails after so many runs that it all passed
    (*baseline_runs*). *confirm*: bad news must come twice.
    """

    baseline_runs: int
    confirm: bool

    def seen(self, chance: float) -> float:
        """Return the chance that what happens by *chance* is bad news that count."""
        return chance * chance if self.confirm else chance


def degraded_pages(below: float, runs: float) -> float:
    """
    Return how often in so many *runs* two in a row begin to be below target.

    *below* is the chance that one is. The first two runs may be the first such pair;
    each later run is the second of a new one if the run before it is below target and
    the one before that was not.
    """
    pair = below * below
    if runs < 2:
        return runs * (1 - below) * pair
    return pair + (runs - 2) * (1 - below) * pair


def regressed_pages(fails: float, runs: float, rules: Rules) -> float:
    """
    Return how often in so many *runs* a case regresses, in the long run.

    *fails* is the chance that it fails in one look. From one page to the next it has
    to pass as many runs in a row as the baseline has, which takes (s^-n - 1) / q runs
    on average (q: it fails, s: it passes; W. Feller, "An Introduction to Probability
    Theory and Its Applications" I, 3rd edition, XIII.7), and then to fail.
    """
    if fails <= 0 or fails >= 1:
        return 0.0
    exponent = -rules.baseline_runs * math.log1p(-fails)
    # Past that no float goes, and nobody waits.
    if exponent > 700:
        return 0.0
    until_all_passed = math.expm1(exponent) / fails
    seen = rules.seen(fails)
    # One in (until all passed + 1 / seen) runs; what is too small to divide by is none.
    return runs * seen / (until_all_passed * seen + 1)


def down_pages(unanswered: float, runs: float, rules: Rules) -> float:
    """
    Return how often in so many *runs* a monitor begins to be down, in the long run.

    *unanswered* is the chance that no sample of a run, or of a second look, is
    answered. Only the first of several such runs is looked at twice.
    """
    if unanswered <= 0 or unanswered >= 1:
        return 0.0
    seen = rules.seen(unanswered)
    return runs * seen / (1 + seen / (1 - unanswered))


def runs_until_degraded(below: float) -> float:
    """
    Return after how many runs two in a row are below target, on average.

    *below* is the chance that one is; infinite where it is 0. (Feller I, XIII.7.)
    """
    return (1 + below) / (below * below) if below > 1e-150 else math.inf


def runs_until_regressed(fails: Iterable[float], rules: Rules) -> float:
    """
    Return after how many runs one of several cases that always passed regresses.

    *fails* are the chances that each fails in one look; infinite where all are 0.
    """
    none = math.fsum(math.log1p(-rules.seen(min(one, 1 - 1e-16))) for one in fails)
    page = -math.expm1(none)
    return 1 / page if page > 0 else math.inf


def surely_seen_rate(bar: Bar) -> float | None:
    """
    Return the highest pass rate that two runs in a row show, 4 times of 5.

    None where no rate is low enough: every run reaches *bar*.
    """
    return _highest_rate(bar, math.sqrt(POWER))


def _highest_rate(bar: Bar, chance: float) -> float | None:
    """Return the highest rate at which *bar* is missed by at least that *chance*."""
    if misses(bar, 0.0) < chance:
        return None
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if misses(bar, middle) >= chance:
            low = middle
        else:
            high = middle
    return low
