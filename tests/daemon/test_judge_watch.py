"""When a judge is calibrated next."""

import math

from dataclasses import replace
from datetime import timedelta

import pytest

from answerprobe.calibration import Agreement, Calibration
from answerprobe.daemon._judge_watch import JudgeWatch
from builders import NOW
from judge.candidate import SETTINGS, ScriptedJudge, honest


DAY = 86400.0
CALIBRATION = Calibration(
    judge="default",
    definition="d1",
    models=("m-1",),
    prompt_version="p1",
    at=NOW,
    passes=Agreement(agreed=2, judged=2),
    fails=Agreement(agreed=2, judged=2),
)


def watching(every_seconds: float = DAY) -> JudgeWatch:
    """Return a judge that is calibrated so often and was calibrated at 0."""
    settings = replace(SETTINGS, calibrate_seconds=every_seconds)
    judge = ScriptedJudge(says=honest, settings=settings)
    watch = JudgeWatch(judge=judge, definition="d1")
    watch.take(CALIBRATION, at=NOW, now=0.0)
    return watch


class TestTake:
    """A calibration holds for as long as is configured."""

    @pytest.mark.parametrize(
        ("age_seconds", "due"),
        [
            pytest.param(0, DAY, id="of now"),
            pytest.param(3600, DAY - 3600, id="an hour old"),
            pytest.param(2 * DAY, 0, id="too old"),
            pytest.param(-5, DAY, id="of another host's clock"),
            pytest.param(-7200, 0, id="of the future"),
        ],
    )
    def test_it_is_due_by_the_age_of_the_last(
        self, age_seconds: float, due: float
    ) -> None:
        """Also over a restart, and after a clock was set."""
        watch = watching()

        watch.take(CALIBRATION, at=NOW + timedelta(seconds=age_seconds), now=0.0)

        assert watch.due == due

    def test_never_is_never(self) -> None:
        """With `calibrate: 0`."""
        watch = watching(0)
        watch.meet("m-2", 5.0)

        assert watch.due == math.inf


class TestMeet:
    """Another model answers."""

    def test_it_is_due_at_once(self) -> None:
        """Whoever waits is told."""
        watch = watching()

        watch.meet("m-2", 5.0)

        assert watch.due == 5.0
        assert watch.moved.is_set()

    def test_what_made_it_due_is_no_news_afterwards(self) -> None:
        """Also where the calibration did not meet it: a gateway has several."""
        watch = watching()
        watch.meet("m-2", 5.0)

        watch.take(CALIBRATION, at=NOW, now=6.0)

        assert watch.models == ["m-1", "m-2"]

    def test_one_that_keeps_changing_is_not_calibrated_all_the_time(self) -> None:
        """The next change waits for ten minutes."""
        watch = watching()
        watch.meet("m-2", 5.0)
        watch.take(replace(CALIBRATION, models=("m-2",)), at=NOW, now=6.0)

        watch.meet("m-1", 7.0)

        assert watch.due == 605.0

    def test_one_met_while_it_is_calibrated_is_calibrated(self) -> None:
        """That needs no second time."""
        watch = watching()
        watch.calibrating = True

        watch.meet("m-2", 5.0)

        assert watch.due == DAY

    def test_the_first_model_is_no_change(self) -> None:
        """Before the first calibration nothing is known."""
        judge = ScriptedJudge(says=honest, settings=SETTINGS)
        watch = JudgeWatch(judge=judge, definition="d1", due=100.0)

        watch.meet("m-1", 5.0)

        assert (watch.due, watch.knows("m-1")) == (100.0, True)

    def test_endless_new_names_are_no_change(self) -> None:
        """A judge that makes up its model is bounded."""
        watch = watching()

        for number in range(9):
            watch.meet(f"x-{number}", 5.0)

        assert watch.knows("whatever")


class TestRetry:
    """Too little was judged."""

    def test_it_waits_longer_each_time(self) -> None:
        """An outage is not hammered."""
        watch = watching()

        assert [watch.retry(0.0) for _ in range(7)] == [
            *(30.0, 60.0, 120.0, 240.0, 480.0, 600.0, 600.0),
        ]

    def test_it_waits_no_longer_than_is_configured(self) -> None:
        """Who wants it every 10 s gets that."""
        assert watching(10).retry(0.0) == 10.0


class TestAnotherReplica:
    """What others wrote into the store."""

    @pytest.mark.parametrize(
        ("other", "answered"),
        [
            pytest.param({"at": NOW + timedelta(1)}, True, id="newer"),
            pytest.param({}, False, id="the same"),
            pytest.param(
                {"at": NOW + timedelta(1), "definition": "d2"}, False, id="another"
            ),
        ],
    )
    def test_a_newer_one_of_the_same_judge_will_do(
        self, other: dict[str, object], *, answered: bool
    ) -> None:
        """So that each calibration is paid for once."""
        found = replace(CALIBRATION, **other)  # type: ignore[arg-type]  # any of them

        assert watching().is_answered_by(found) is answered

    def test_one_without_the_new_model_will_not_do(self) -> None:
        """It is about what was before."""
        watch = watching()
        watch.meet("m-2", 5.0)

        later = replace(CALIBRATION, at=NOW + timedelta(1))

        assert not watch.is_answered_by(later)
        assert watch.is_answered_by(replace(later, models=("m-2",)))
