"""How strictly a monitor is watched: false pages, and how soon a drop is noticed."""

import math

from collections import Counter
from functools import lru_cache
from typing import NamedTuple, Self

from answerprobe.case import Quorum, Threshold
from answerprobe.monitor import Monitor
from answerprobe.passrate import (
    Bar,
    Rules,
    degraded_pages,
    down_pages,
    misses,
    regressed_pages,
    runs_until_degraded,
    runs_until_regressed,
    surely_seen_rate,
)
from answerprobe.status import BASELINE_MAX_RUNS


class Pages(NamedTuple):
    """How often each alert fires in a span of time, though nothing has changed."""

    degraded: float
    regressed: float
    down: float

    @property
    def total(self) -> float:
        """All of them."""
        return math.fsum(self)

    def plus(self, other: Self) -> Self:
        """Return both together."""
        return type(self)(*map(math.fsum, zip(self, other, strict=True)))


class Noticed(NamedTuple):
    """After how many runs each alert fires once answers are worse, on average."""

    by_degraded: float
    by_regressed: float

    @property
    def runs(self) -> float:
        """The sooner of both."""
        return min(self)


class Kind(NamedTuple):
    """So many *cases* pass by the same *bar*, a threshold's or a quorum's."""

    bar: Bar
    is_threshold: bool
    cases: int


class Strictness(NamedTuple):
    """
    All of a monitor that chance looks at.

    Many monitors have the same one, so that what is worked out for it is kept.
    *confirm*: bad news are looked at twice.
    """

    target: float
    confirm: bool
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, monitor: Monitor) -> Self:
        """Return that of *monitor*."""
        found = Counter(_passing(case.bar) for case in monitor.cases)
        return cls(
            target=monitor.target_pass_ratio,
            confirm=monitor.second_look_after_seconds > 0,
            kinds=tuple(Kind(*kind, cases) for kind, cases in sorted(found.items())),
        )

    @property
    def samples(self) -> int:
        """How many samples a run has."""
        return sum(kind.bar.samples * kind.cases for kind in self.kinds)

    @property
    def cases(self) -> int:
        """How many cases it has."""
        return sum(kind.cases for kind in self.kinds)

    @property
    def bar(self) -> Bar:
        """How many samples of a run must pass to reach the target."""
        return Bar.of_target(self.samples, self.target)

    @property
    def rules(self) -> Rules:
        """What it takes to page, as the status of a monitor has it."""
        return Rules(baseline_runs=BASELINE_MAX_RUNS, confirm=self.confirm)


@lru_cache(maxsize=1024)
def _passing(bar: Quorum | Threshold) -> tuple[Bar, bool]:
    """
    Return how many samples must pass, and whether a threshold says so.

    A threshold looks at each criterion by itself. Here all samples that do not pass
    fail the same one, the worst case: spread over several, fewer would fall below it.
    """
    if isinstance(bar, Quorum):
        return Bar(bar.samples, bar.pass_at_least), False
    return Bar.of_threshold(bar.samples, bar.above, bar.z), True


@lru_cache(maxsize=4096)
def pages(strictness: Strictness, rate: float, runs: float) -> Pages:
    """
    Return the false pages in so many *runs* at that true pass *rate*.

    For AgentDown what does not pass is taken to be errors, all of it: the worst case.
    """
    rules = strictness.rules
    nobody = math.exp(strictness.samples * math.log1p(-rate))
    return Pages(
        degraded=degraded_pages(misses(strictness.bar, rate), runs),
        regressed=math.fsum(
            kind.cases * regressed_pages(misses(kind.bar, rate), runs, rules)
            for kind in strictness.kinds
        ),
        down=down_pages(nobody, runs, rules),
    )


@lru_cache(maxsize=4096)
def noticed(strictness: Strictness, rate: float) -> Noticed:
    """Return how soon it is noticed that all cases have fallen to that pass *rate*."""
    fails = [
        misses(kind.bar, rate) for kind in strictness.kinds for _ in range(kind.cases)
    ]
    return Noticed(
        by_degraded=runs_until_degraded(misses(strictness.bar, rate)),
        by_regressed=runs_until_regressed(fails, strictness.rules),
    )


@lru_cache(maxsize=4096)
def surely_seen(bar: Bar) -> float | None:
    """Return the highest pass rate that two runs in a row show, 4 times of 5."""
    return surely_seen_rate(bar)
