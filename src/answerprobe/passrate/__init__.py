"""Statistics of pass rates. Pure; every rate is a ratio from 0 to 1."""

from answerprobe.passrate._bar import best_bound, clears, smallest_number
from answerprobe.passrate._binomial import Bar, misses
from answerprobe.passrate._false_pages import (
    Rules,
    degraded_pages,
    down_pages,
    regressed_pages,
    runs_until_degraded,
    runs_until_regressed,
    surely_seen_rate,
)
from answerprobe.passrate._interval import (
    Z_95,
    Change,
    Counted,
    Difference,
    Interval,
    newcombe,
    wilson,
    z_of,
)
from answerprobe.passrate._power import POWER, rate_to_separate, runs_to_separate


__all__ = [
    "POWER",
    "Z_95",
    "Bar",
    "Change",
    "Counted",
    "Difference",
    "Interval",
    "Rules",
    "best_bound",
    "clears",
    "degraded_pages",
    "down_pages",
    "misses",
    "newcombe",
    "rate_to_separate",
    "regressed_pages",
    "runs_to_separate",
    "runs_until_degraded",
    "runs_until_regressed",
    "smallest_number",
    "surely_seen_rate",
    "wilson",
    "z_of",
]
