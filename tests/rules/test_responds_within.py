"""The rule `responds_within`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.responds_within import RespondsWithin
from answerprobe.verdict import Outcome, Verdict
from rules.saying import said


class TestRespondsWithin:
    """Whether the whole answer was there in time."""

    def test_in_time_passes(self) -> None:
        """An answer within the limit passes, with both times told."""
        verdict = RespondsWithin.parse("2s").check(said("Hi.", duration_seconds=1.5))

        assert verdict == Verdict(
            criterion="responds_within",
            outcome=Outcome.PASS,
            reason="answered in 1.5 s, limit 2 s",
        )

    def test_late_fails(self) -> None:
        """An answer after the limit fails, with both times told."""
        verdict = RespondsWithin.parse("2s").check(said("Hi.", duration_seconds=2.001))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "answered in 2.001 s, limit 2 s"

    def test_compares_what_it_shows(self) -> None:
        """Less than a millisecond late is in time: the reason could not tell."""
        verdict = RespondsWithin.parse("2s").check(said("Hi.", duration_seconds=2.0004))

        assert verdict.outcome is Outcome.PASS

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param(2, id="a number"),
            pytest.param("2", id="without unit"),
            pytest.param("0s", id="zero"),
            pytest.param(None, id="null"),
            pytest.param({"limit": "2s"}, id="a mapping"),
        ],
    )
    def test_no_duration_is_refused(self, value: object) -> None:
        """The limit is a duration above 0."""
        with pytest.raises(CriterionError, match="duration"):
            RespondsWithin.parse(value)
