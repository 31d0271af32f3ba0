"""Statistics of pass rates. Pure; every rate is a ratio from 0 to 1."""

from answerprobe.passrate._bar import best_bound, clears, smallest_number
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
from answerprobe.passrate._power import POWER, runs_to_separate


__all__ = [
    "POWER",
    "Z_95",
    "Change",
    "Counted",
    "Difference",
    "Interval",
    "best_bound",
    "clears",
    "newcombe",
    "runs_to_separate",
    "smallest_number",
    "wilson",
    "z_of",
]
