"""Did a deploy make it worse? The runs after it against those before, once."""

from collections.abc import Sequence
from dataclasses import replace

import builders

from answerprobe.monitor import Monitor
from answerprobe.passrate import Change, Counted
from answerprobe.run import Run, Trigger
from answerprobe.status import DeployComparison, MonitorStatus, advance
from answerprobe.verdict import Outcome


P, F, E, N = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED
_SHOP = replace(builders.monitor(), compare_after_runs=3)
_GOOD, _BAD = (P,) * 10, (F,) * 10


def _run(outcomes: Sequence[Outcome], run_id: int, version: str | None = None) -> Run:
    """Return a run; of a deploy, where *version* says which."""
    made = builders.run([builders.sample_result(o) for o in outcomes], run_id=run_id)
    trigger = Trigger.DEPLOY if version else Trigger.SCHEDULE
    return replace(
        made, request=replace(made.request, trigger=trigger, version=version)
    )


def _after(
    *runs: Sequence[Outcome],
    before: MonitorStatus | None = None,
    version: str | None = None,
    monitor: Monitor = _SHOP,
) -> MonitorStatus:
    """Return the status after *runs*, the first of them the deploy of *version*."""
    status = before or MonitorStatus()
    for number, outcomes in enumerate(runs):
        run = _run(outcomes, number + 1, version if number == 0 else None)
        status = advance(status, monitor, run)
    return status


class TestDeployComparison:
    """The runs since a deploy, and those before it."""

    def test_compares_as_many_runs_before_and_after(self) -> None:
        """Of those before, the newest."""
        before = _after(_BAD, _GOOD, _GOOD, _GOOD)

        found = _after(_BAD, _GOOD, _BAD, before=before, version="2").deploy

        assert found == DeployComparison(
            version="2",
            first_run_id=1,
            of_runs=3,
            before=Counted(30, 30),
            before_runs=3,
            after=Counted(10, 30),
            after_runs=3,
        )
        assert found.change is Change.REGRESSED

    def test_says_nothing_before_its_runs_are_there(self) -> None:
        """Looking after each would find something by chance."""
        before = _after(_GOOD, _GOOD, _GOOD)

        found = _after(_BAD, _BAD, before=before, version="2").deploy

        assert found
        assert (found.after_runs, found.change, found.difference) == (2, None, None)

    def test_is_compared_once(self) -> None:
        """What comes later changes nothing."""
        before = _after(_GOOD, _GOOD, _GOOD)
        three = _after(_BAD, _BAD, _BAD, before=before, version="2")

        later = _after(_GOOD, _GOOD, _GOOD, before=three)

        assert later.deploy == three.deploy

    def test_the_same_is_no_detectable_difference(self) -> None:
        """Whatever the ratio is."""
        before = _after((P, F, P), (P, P, P), (P, P, P))

        found = _after((P, P, P), (P, F, P), (P, P, P), before=before, version="2")

        assert found.deploy
        assert found.deploy.change is Change.NO_DETECTABLE_DIFFERENCE

    def test_without_a_time_before_there_is_nothing_to_say(self) -> None:
        """The first deploy of a new monitor."""
        found = _after(_GOOD, _GOOD, _GOOD, version="1").deploy

        assert found
        assert found.complete
        assert found.change is None

    def test_an_outage_of_the_judge_is_no_change_of_the_agent(self) -> None:
        """The fails that rules find would be left alone, without the passes."""
        before = _after((P, P, P), (N, N, F))

        found = _after((F, N, N), (P, P, P), before=before, version="2").deploy

        assert found
        assert (found.before, found.before_runs) == (Counted(3, 3), 1)
        assert (found.after, found.after_runs) == (Counted(3, 3), 1)

    def test_a_run_without_answers_says_nothing_of_them(self) -> None:
        """Before as well as after; single errors count as no passes."""
        before = _after((P, P, E), (E, E, E))

        found = _after((E, E, E), (P, P, P), before=before, version="2").deploy

        assert found
        assert (found.before, found.before_runs) == (Counted(2, 3), 1)
        assert (found.after, found.after_runs) == (Counted(3, 3), 1)

    def test_a_newer_deploy_takes_its_place(self) -> None:
        """Only the latest is of interest."""
        first = _after(_BAD, before=_after(_GOOD), version="2")

        found = _after(_GOOD, before=first, version="3").deploy

        assert found
        assert (found.version, found.after) == ("3", Counted(10, 10))
        assert found.before == Counted(10, 20)


class TestChangedCases:
    """Like is compared with like."""

    _OTHER = replace(_SHOP, cases=(builders.case(fingerprint="f2"),))

    def test_ends_a_comparison_that_is_under_way(self) -> None:
        """It would blame the deploy for a harder question."""
        begun = _after(_GOOD, before=_after(_GOOD), version="2")

        status = _after(_BAD, before=begun, monitor=self._OTHER)

        assert status.deploy is None
        assert status.recent.counts == (Counted(0, 10),)

    def test_leaves_one_that_is_complete(self) -> None:
        """What it found is still so."""
        done = _after(_GOOD, _GOOD, _GOOD, before=_after(_GOOD), version="2")

        status = _after(_BAD, before=done, monitor=self._OTHER)

        assert status.deploy == done.deploy
