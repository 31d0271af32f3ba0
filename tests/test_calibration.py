"""How a judge fared on its canaries, as a value."""

import pytest

from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.passrate import wilson
from answerprobe.verdict import Outcome
from builders import NOW


def wrong(number: int, outcome: Outcome) -> CanaryVerdict:
    """Return a canary known to fail that got *outcome*."""
    return CanaryVerdict(
        number=number,
        question="Are you open?",
        answer="We sell shoes.",
        expected=Outcome.FAIL,
        outcome=outcome,
        reason="It says so.",
    )


def calibration(judged: int, *verdicts: CanaryVerdict) -> Calibration:
    """Return a calibration in which *judged* canaries got a verdict."""
    return Calibration(
        judge="default",
        definition="d1",
        models=("m-2", "m-1"),
        prompt_version="p1",
        at=NOW,
        passes=Agreement(agreed=judged, judged=judged),
        fails=Agreement(agreed=0, judged=0),
        wrong=verdicts,
    )


class TestAgreement:
    """True-pass and true-fail rates."""

    def test_has_a_rate_and_its_interval(self) -> None:
        """The interval is Wilson's."""
        agreement = Agreement(agreed=18, judged=20)

        assert agreement.ratio == 0.9
        assert agreement.interval == wilson(18, 20)

    def test_of_nothing_has_none(self) -> None:
        """Absent, not 0."""
        agreement = Agreement(agreed=0, judged=0)

        assert (agreement.ratio, agreement.interval) == (None, None)


class TestCalibration:
    """All canaries together."""

    def test_tells_wrong_verdicts_from_none(self) -> None:
        """An outage is no disagreement."""
        lost, missed = wrong(3, Outcome.NOT_JUDGED), wrong(7, Outcome.PASS)

        found = calibration(4, lost, missed)

        assert (found.misjudged, found.not_judged) == ((missed,), (lost,))

    @pytest.mark.parametrize(
        ("judged", "lost", "complete"),
        [
            pytest.param(4, 0, True, id="all"),
            pytest.param(2, 2, True, id="half"),
            pytest.param(1, 2, False, id="less than half"),
            pytest.param(0, 0, False, id="nothing"),
        ],
    )
    def test_is_complete_once_half_was_judged(
        self, judged: int, lost: int, *, complete: bool
    ) -> None:
        """Less says too little."""
        verdicts = [wrong(number, Outcome.NOT_JUDGED) for number in range(lost)]

        assert calibration(judged, *verdicts).complete is complete

    def test_the_model_is_the_most_frequent_one(self) -> None:
        """A gateway may have several."""
        assert calibration(1).model == "m-2"
