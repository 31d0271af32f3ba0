"""
The figures of the plan against many simulated months of the real status.

Outcomes are drawn with a fixed seed; what they make of a monitor is decided by
`status.py` alone. An alert begins where its series crosses what the alert rules say.
"""

import random

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import builders

from answerprobe.case import Case, Threshold
from answerprobe.config._strictness import Pages, Strictness, noticed, pages
from answerprobe.monitor import Monitor
from answerprobe.run import Run, SampleResult, Trigger
from answerprobe.status import (
    Cause,
    MonitorStatus,
    advance,
    to_confirm,
)
from answerprobe.verdict import Outcome, Verdict


# Of the alert rules.
DEGRADED_RUNS = 2
Draw = Callable[[], Outcome]


def hourly(*cases: Case, target: float = 0.9, confirm: bool = False) -> Monitor:
    """Return a monitor of *cases*."""
    return builders.monitor(
        cases=cases,
        every_seconds=3600.0,
        target_pass_ratio=target,
        confirm_seconds=30.0 if confirm else 0.0,
    )


def drawing(rate: float, otherwise: Outcome, seed: int = 7) -> Draw:
    """Return what draws passes at that *rate*."""
    chance = random.Random(seed)  # noqa: S311  chance, no secret
    return lambda: Outcome.PASS if chance.random() < rate else otherwise


def asked(cases: Iterator[Case], draw: Draw) -> list[SampleResult]:
    """Return the samples of *cases*, their outcomes drawn."""
    return [one_sample(case, draw()) for case in cases for _ in range(case.samples)]


def one_sample(case: Case, outcome: Outcome) -> SampleResult:
    """Return a sample of *case* that ended in *outcome*, all its criteria alike."""
    result = builders.sample_result(
        outcome, case_id=case.id, fingerprint=case.fingerprint
    )
    verdicts = tuple(
        Verdict(criterion=one.label, outcome=outcome, reason="drawn")
        for one in case.criteria
    )
    return replace(result, verdicts=verdicts)


def one_run(monitor: Monitor, status: MonitorStatus, draw: Draw) -> Run:
    """Return a scheduled run, looked at twice where its news are bad."""
    run = builders.run(asked(iter(monitor.cases), draw), trigger=Trigger.SCHEDULE)
    again = set(to_confirm(status, monitor, run))
    cases = (case for case in monitor.cases if case.id in again)
    return replace(run, second_look=tuple(asked(cases, draw)))


def firing(status: MonitorStatus) -> set[str]:
    """Return the alerts that fire, as the alert rules have them."""
    found = {
        f"regressed {case_id}"
        for case_id, case in status.cases.items()
        if case.regressed is Cause.AGENT
    }
    if status.runs_below_target >= DEGRADED_RUNS and status.up:
        found.add("degraded")
    if status.runs_down:
        found.add("down")
    return found


def counted(monitor: Monitor, draw: Draw, runs: int) -> Pages:
    """Return how many alerts began to fire in so many *runs*."""
    status, before = MonitorStatus(), set[str]()
    began: list[str] = []
    for _ in range(runs):
        status = advance(status, monitor, one_run(monitor, status, draw))
        now = firing(status)
        began += now - before
        before = now
    return Pages(
        degraded=began.count("degraded"),
        regressed=sum(alert.startswith("regressed") for alert in began),
        down=began.count("down"),
    )


def assert_within_error(found: float, expected: float) -> None:
    """Four standard errors of a count, as if each were by itself."""
    assert expected > 30, "too rare to tell anything"
    assert abs(found - expected) < 4 * expected**0.5


class TestMonths:
    """Pages of many months, though nothing has changed."""

    @pytest.mark.parametrize(
        ("monitor", "rate"),
        [
            pytest.param(hourly(builders.case()), 0.95, id="one case"),
            pytest.param(
                hourly(*(builders.case(f"c{n}") for n in range(4))), 0.93, id="four"
            ),
            pytest.param(
                hourly(builders.case(samples=5, pass_at_least=4), target=0.8),
                0.9,
                id="five samples",
            ),
        ],
    )
    def test_degraded(self, monitor: Monitor, rate: float) -> None:
        """Two runs in a row below target."""
        runs = 15_000

        found = counted(monitor, drawing(rate, Outcome.FAIL), runs)

        expected = pages(Strictness.of(monitor), rate, runs)
        assert_within_error(found.degraded, expected.degraded)
        assert found.down == 0

    @pytest.mark.parametrize(
        ("confirm", "rate"),
        [
            pytest.param(False, 0.95, id="at once"),
            pytest.param(True, 0.83, id="confirmed"),
        ],
    )
    def test_regressed(self, *, confirm: bool, rate: float) -> None:
        """Cases that always passed."""
        cases = (builders.case(), builders.case("b", samples=4, pass_at_least=3))
        monitor, runs = hourly(*cases, confirm=confirm), 15_000

        found = counted(monitor, drawing(rate, Outcome.FAIL), runs)

        expected = pages(Strictness.of(monitor), rate, runs)
        assert_within_error(found.regressed, expected.regressed)

    def test_regressed_by_a_threshold(self) -> None:
        """All five samples have to pass for a lower bound above 0.5."""
        strict = replace(builders.case(), bar=Threshold(samples=5))
        monitor, runs = hourly(strict, confirm=True), 15_000

        found = counted(monitor, drawing(0.97, Outcome.FAIL), runs)

        expected = pages(Strictness.of(monitor), 0.97, runs)
        assert_within_error(found.regressed, expected.regressed)

    @pytest.mark.parametrize(
        ("confirm", "rate"),
        [
            pytest.param(False, 0.8, id="at once"),
            pytest.param(True, 0.55, id="confirmed"),
        ],
    )
    def test_down(self, *, confirm: bool, rate: float) -> None:
        """All that does not pass is an error."""
        monitor, runs = hourly(builders.case(), confirm=confirm), 15_000

        found = counted(monitor, drawing(rate, Outcome.ERROR), runs)

        expected = pages(Strictness.of(monitor), rate, runs)
        assert_within_error(found.down, expected.down)


class TestDrops:
    """How soon it is noticed that answers are worse."""

    @pytest.mark.parametrize("confirm", [False, True], ids=["at once", "confirmed"])
    @pytest.mark.parametrize("alert", ["degraded", "regressed"])
    def test_to_70_percent(self, alert: str, *, confirm: bool) -> None:
        """On average over many drops, each after a while in which all was well."""
        monitor = hourly(builders.case(), builders.case("b"), confirm=confirm)
        well, worse = drawing(1.0, Outcome.FAIL), drawing(0.7, Outcome.FAIL)
        drops, took = 400, 0
        healthy = MonitorStatus()
        for _ in range(3):
            healthy = advance(healthy, monitor, one_run(monitor, healthy, well))

        for _ in range(drops):
            status = healthy
            while not any(one.startswith(alert) for one in firing(status)):
                status = advance(status, monitor, one_run(monitor, status, worse))
                took += 1

        by_degraded, by_regressed = noticed(Strictness.of(monitor), 0.7)
        expected = by_degraded if alert == "degraded" else by_regressed
        # Of such a wait the deviation is at most its mean.
        assert took / drops == pytest.approx(expected, rel=4 / drops**0.5)
