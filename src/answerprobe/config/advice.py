"""What would make a monitor page less for nothing, or notice a drop sooner."""

import math

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from answerprobe import durations
from answerprobe.config._strictness import Kind, Strictness, noticed, pages
from answerprobe.config.plan import DROPPED_RATE, MONTH_SECONDS, MonitorPlan
from answerprobe.passrate import Bar


# The middle of the rates that are shown.
ADVICE_RATE = 0.97
# More than that is hardly what somebody wants to pay for.
_MOST_SAMPLES = 20
_MOST_TIMES = 5
_MOST_FORGIVEN = 10
_SHORTEST_SECONDS = 60.0


class Option(NamedTuple):
    """
    One way to set up a monitor: what would be written, and what comes of it.

    *pages* are the false ones of a month at ADVICE_RATE; *noticed_seconds* tells when a
    drop to DROPPED_RATE is noticed, on average, infinite where never.
    """

    change: str
    pages: float
    noticed_seconds: float
    samples_a_month: int


def options(plan: MonitorPlan) -> tuple[Option, ...]:
    """
    Return what could be changed: first as it is, then what halves one of the figures.

    A second look is among them wherever it makes a difference.

    Empty where it runs on demand only: nothing comes of itself then.
    """
    if plan.interval_seconds is None:
        return ()
    return _options(plan.strictness, plan.interval_seconds)


def as_it_is(plan: MonitorPlan) -> Option:
    """Return what comes of a monitor with a schedule, nothing changed."""
    return _option("as it is", plan.strictness, plan.interval_seconds or math.inf)


@lru_cache(maxsize=1024)
def _options(strictness: Strictness, every_seconds: float) -> tuple[Option, ...]:
    """Return the options of a monitor that is so strict and runs so often."""
    now = _option("as it is", strictness, every_seconds)
    # A second look costs nothing while all is well: worth it for any difference to see.
    confirmed = (
        option
        for option in _confirmed(strictness, every_seconds)
        if option.pages < 0.9 * now.pages
    )
    families = (
        _more_forgiving(strictness, every_seconds),
        _more_samples(strictness, every_seconds),
        _more_cases(strictness, every_seconds),
        _other_target(strictness, every_seconds),
        _more_often(strictness, every_seconds),
    )
    found = (_first_better(now, family) for family in families)
    return (now, *confirmed, *(option for option in found if option))


def _option(change: str, strictness: Strictness, every_seconds: float) -> Option:
    """Return what comes of being so strict, so often."""
    runs = MONTH_SECONDS / every_seconds
    # A drop comes between two runs, half an interval before the next on average.
    waited = noticed(strictness, DROPPED_RATE).runs - 0.5
    return Option(
        change=change,
        pages=pages(strictness, ADVICE_RATE, runs).total,
        noticed_seconds=waited * every_seconds,
        samples_a_month=round(strictness.samples * runs),
    )


def _first_better(now: Option, family: Iterable[Option]) -> Option | None:
    """Return the smallest change of *family* that halves a figure; None without any."""
    sooner = None
    for option in family:
        if option.pages <= now.pages / 2:
            return option
        if sooner is None and option.noticed_seconds <= now.noticed_seconds / 2:
            sooner = option
    return sooner


def _confirmed(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield a second look, where there is none."""
    if not strictness.confirm:
        changed = strictness._replace(confirm=True)
        yield _option("confirm: 30s", changed, every_seconds)


def _more_forgiving(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield fewer samples of each case that must pass, down to two thirds of them."""
    bars = {kind.bar for kind in strictness.kinds if not kind.is_threshold}
    if len(bars) != 1:
        return
    (bar,) = bars
    for needed in range(bar.needed - 1, _two_thirds(bar.samples) - 1, -1):
        changed = _with_quorum(strictness, Bar(bar.samples, needed))
        yield _option(f"pass_at_least: {needed}", changed, every_seconds)


def _more_samples(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield more samples of each case that has no threshold, two thirds to pass."""
    usual = [kind.bar.samples for kind in strictness.kinds if not kind.is_threshold]
    if not usual:
        return
    for samples in range(max(usual) + 1, _MOST_SAMPLES + 1):
        changed = _with_quorum(strictness, Bar(samples, _two_thirds(samples)))
        yield _option(f"samples: {samples}", changed, every_seconds)


def _two_thirds(samples: int) -> int:
    """Return how many must pass where only `samples` is written."""
    return -(-2 * samples // 3)


def _with_quorum(strictness: Strictness, bar: Bar) -> Strictness:
    """Return *strictness* with that *bar* for all cases without a threshold."""
    kinds = tuple(
        kind if kind.is_threshold else kind._replace(bar=bar)
        for kind in strictness.kinds
    )
    return strictness._replace(kinds=kinds)


def _more_cases(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield several times as many cases of the same kinds."""
    for times in range(2, _MOST_TIMES + 1):
        kinds = tuple(_times(kind, times) for kind in strictness.kinds)
        changed = strictness._replace(kinds=kinds)
        yield _option(f"{changed.cases:,} cases", changed, every_seconds)


def _times(kind: Kind, times: int) -> Kind:
    """Return so many times as many of *kind*."""
    return kind._replace(cases=kind.cases * times)


def _other_target(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield targets that forgive one sample more a run, two more, and so on."""
    samples, needed = strictness.bar
    for fewer in range(needed - 1, max(0, needed - 1 - _MOST_FORGIVEN), -1):
        percent = math.floor(100 * fewer / samples)
        if percent < 1:
            return
        changed = strictness._replace(target=percent / 100)
        yield _option(f"target: {percent}%", changed, every_seconds)


def _more_often(strictness: Strictness, every_seconds: float) -> Iterator[Option]:
    """Yield half of the interval."""
    if (half := every_seconds / 2) >= _SHORTEST_SECONDS:
        yield _option(f"every: {durations.show(half)}", strictness, half)
