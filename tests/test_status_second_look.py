"""When bad news are looked at again, and what a second look changes."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hypothesis import given
from hypothesis import strategies as st

import builders

from answerprobe.run import Decision, Run, Trigger
from answerprobe.status import (
    Cause,
    Health,
    MonitorStatus,
    advance,
    confirmed,
    is_down,
    newly_regressed,
    to_confirm,
)
from answerprobe.verdict import Outcome


P, F, E, N = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED
_SHOP = builders.monitor(cases=[builders.case("a"), builders.case("b")])
_TRIPLES = st.lists(st.sampled_from(Outcome), min_size=3, max_size=3)
# What the samples of both cases ended in, in one look.
Look = dict[str, Sequence[Outcome]]
_LOOKS = st.fixed_dictionaries({"a": _TRIPLES, "b": _TRIPLES})
GOOD: Look = {"a": [P] * 3, "b": [P] * 3}
BAD: Look = {"a": [F] * 3, "b": [P] * 3}
DOWN: Look = {"a": [E] * 3, "b": [E] * 3}


def run(
    first: Look,
    second: Look | None = None,
    *,
    run_id: int = 9,
    trigger: Trigger = Trigger.SCHEDULE,
) -> Run:
    """Return a run whose looks at the cases ended so."""
    looks = [
        [
            builders.sample_result(outcome, case_id=case_id)
            for case_id, outcomes in look.items()
            for outcome in outcomes
        ]
        for look in (first, second or {})
    ]
    return builders.run(looks[0], second_look=looks[1], run_id=run_id, trigger=trigger)


def after(*looks: Look) -> MonitorStatus:
    """Return the status after runs that needed no second look."""
    status = MonitorStatus()
    for number, look in enumerate(looks, start=1):
        status = advance(status, _SHOP, run(look, run_id=number))
    return status


WELL = after(GOOD, GOOD, GOOD)


class TestToConfirm:
    """Which cases are asked once more before a run counts."""

    @pytest.mark.parametrize(
        ("before", "look", "expected"),
        [
            pytest.param(WELL, GOOD, (), id="all is well"),
            pytest.param(WELL, DOWN, ("a", "b"), id="newly down"),
            pytest.param(MonitorStatus(), DOWN, ("a", "b"), id="down from the start"),
            pytest.param(after(GOOD, DOWN), DOWN, (), id="down for longer"),
            pytest.param(WELL, BAD, ("a",), id="one regresses"),
            pytest.param(after(*[GOOD] * 3, BAD), BAD, (), id="it had regressed"),
            pytest.param(after(GOOD, GOOD), BAD, (), id="fails without a baseline"),
            pytest.param(WELL, {**GOOD, "a": [F, F, N]}, ("a",), id="fails anyhow"),
            pytest.param(WELL, {**GOOD, "a": [F, P, N]}, (), id="undecided"),
            pytest.param(WELL, {"a": [E] * 3, "b": [F] * 3}, ("a", "b"), id="both"),
        ],
    )
    def test_what_is_news(
        self, before: MonitorStatus, look: Look, expected: tuple[str, ...]
    ) -> None:
        """All where the monitor goes down, else those that regress."""
        assert to_confirm(before, _SHOP, run(look)) == expected

    @pytest.mark.parametrize(
        "trigger", [pytest.param(t, id=t) for t in Trigger if t is not Trigger.SCHEDULE]
    )
    def test_only_scheduled_runs(self, trigger: Trigger) -> None:
        """Whoever asks for a run wants to know what it said."""
        assert to_confirm(WELL, _SHOP, run(DOWN, trigger=trigger)) == ()

    def test_off(self) -> None:
        """`confirm: 0`: every run counts at once."""
        assert to_confirm(WELL, replace(_SHOP, confirm_seconds=0.0), run(DOWN)) == ()


class TestWait:
    """How long bad news wait."""

    @pytest.mark.parametrize(
        ("confirm", "every", "expected"),
        [
            pytest.param(30.0, 3600.0, 30.0, id="as configured"),
            pytest.param(30.0, 10.0, 5.0, id="half of a short interval"),
            pytest.param(30.0, None, 30.0, id="no interval"),
            pytest.param(0.0, 10.0, 0.0, id="off"),
        ],
    )
    def test_no_longer_than_half_the_interval(
        self, confirm: float, every: float | None, expected: float
    ) -> None:
        """The next scheduled run is not to be skipped for it."""
        shop = builders.monitor(confirm_seconds=confirm, every_seconds=every)

        assert shop.second_look_after_seconds == expected


class TestBlip:
    """The second look found all well."""

    def test_down_for_a_moment_is_not_down(self) -> None:
        """Up, and nothing that pages moved; the ratio is that of the first look."""
        before = after(*[GOOD] * 3, BAD)

        status = advance(before, _SHOP, run(DOWN, GOOD))

        assert (status.up, status.runs_down, status.pass_ratio) == (True, 0, 0.0)
        assert status.runs_below_target == before.runs_below_target
        assert status.cases["b"].decision is Decision.PASSING
        assert status.cases["b"].regressed is None
        assert status.cases["b"].consecutive_failed_runs == 0
        assert status.cases["b"].window == (*[True] * 12, *[False] * 3)
        assert status.health is Health.UP

    def test_a_case_that_passes_again_did_not_regress(self) -> None:
        """Its baseline is as good as before: the next fail is news again."""
        status = advance(WELL, _SHOP, run(BAD, {"a": [P, P, F]}))

        assert status.health is Health.UP
        assert status.pass_ratio == 0.5
        assert status.runs_below_target == 1
        assert status.cases["a"].decision is Decision.PASSING
        assert to_confirm(status, _SHOP, run(BAD)) == ("a",)

    def test_a_second_look_that_cannot_be_judged_confirms_nothing(self) -> None:
        """A judge's outage is never the agent's page."""
        status = advance(WELL, _SHOP, run(BAD, {"a": [N, N, N]}))

        assert status.cases["a"].decision is Decision.UNDECIDED
        assert status.cases["a"].baseline == WELL.cases["a"].baseline
        assert status.health is Health.UP

    def test_wrong_answers_after_a_moment_down_are_the_next_runs_news(self) -> None:
        """They were seen once only: shown, but no regression."""
        status = advance(WELL, _SHOP, run(DOWN, BAD))

        assert (status.up, status.runs_down) == (True, 0)
        assert status.cases["a"].decision is Decision.FAILING
        assert status.cases["a"].consecutive_failed_runs == 0
        assert status.cases["a"].regressed is None
        assert to_confirm(status, _SHOP, run(BAD)) == ("a",)


class TestConfirmed:
    """The second look says the same."""

    def test_down(self) -> None:
        """No sample of either look was answered."""
        status = advance(WELL, _SHOP, run(DOWN, DOWN))

        assert (status.up, status.runs_down) == (False, 1)
        assert confirmed(WELL, _SHOP, run(DOWN, DOWN)) == ("a", "b")

    def test_each_case_by_itself(self) -> None:
        """One of two that failed passes again."""
        both = run({"a": [F] * 3, "b": [F] * 3}, {"a": [P] * 3, "b": [P, F, F]})

        status = advance(WELL, _SHOP, both)

        assert confirmed(WELL, _SHOP, both) == ("b",)
        assert status.cases["a"].regressed is None
        assert status.cases["b"].regressed is Cause.AGENT

    def test_no_answer_the_second_time_is_a_fail_too(self) -> None:
        """It failed twice, in two ways."""
        status = advance(WELL, _SHOP, run(BAD, {"a": [E] * 3}))

        assert status.up is True
        assert status.cases["a"].regressed is Cause.AGENT


class TestProperties:
    """What holds whatever the runs."""

    @given(st.lists(_LOOKS, max_size=8), _LOOKS, _LOOKS)
    def test_nothing_is_news_that_was_not_so_in_both_looks(
        self, history: list[Look], first: Look, second: Look
    ) -> None:
        """A second look takes bad news back, and never makes any."""
        before = after(*history)
        doubtful = to_confirm(before, _SHOP, run(first))
        again = {case_id: second[case_id] for case_id in doubtful}

        looked = run(first, again)
        status = advance(before, _SHOP, looked)
        at_once = advance(before, _SHOP, run(first))

        assert set(confirmed(before, _SHOP, looked)) <= set(doubtful)
        assert is_down(looked) <= is_down(run(first))
        assert status.runs_down <= at_once.runs_down
        assert status.runs_below_target == at_once.runs_below_target
        newly = set(newly_regressed(before, _SHOP, looked))
        assert newly <= set(newly_regressed(before, _SHOP, run(first)))

    @given(st.lists(_LOOKS, max_size=8), _LOOKS, _LOOKS)
    def test_it_is_in_no_count(
        self, history: list[Look], first: Look, second: Look
    ) -> None:
        """Ratio, windows and slowness are those of the first look."""
        before = after(*history)

        status = advance(before, _SHOP, run(first, second))
        at_once = advance(before, _SHOP, run(first))

        assert status.pass_ratio == at_once.pass_ratio
        assert status.slowness_ratio == at_once.slowness_ratio
        for case_id in ("a", "b"):
            assert status.cases[case_id].window == at_once.cases[case_id].window

    @given(st.lists(_LOOKS, max_size=8), _LOOKS)
    def test_the_same_again_counts_as_without_a_second_look(
        self, history: list[Look], first: Look
    ) -> None:
        """What is confirmed is what the first look said."""
        before = after(*history)
        doubtful = to_confirm(before, _SHOP, run(first))
        same = {case_id: first[case_id] for case_id in doubtful}

        assert advance(before, _SHOP, run(first, same)) == advance(
            before, _SHOP, run(first)
        )
