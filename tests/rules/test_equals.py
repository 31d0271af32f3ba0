"""The rule `equals`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.equals import Equals
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestEquals:
    """The answer is this text and nothing else."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param("yes", Outcome.PASS, id="any case"),
            pytest.param(" Yes\n", Outcome.PASS, id="white space around"),
            pytest.param("yes, sir", Outcome.FAIL, id="more"),
            pytest.param("ye", Outcome.FAIL, id="less"),
        ],
    )
    def test_table(self, answer: str, expected: Outcome) -> None:
        """Case and white space around it don't matter, everything else does."""
        assert outcome(Equals.parse("Yes"), answer) is expected

    def test_reason_has_both_texts(self) -> None:
        """What was said stands beside what was expected."""
        verdict = Equals.parse("Yes").check(said("yes, sir"))

        assert verdict == Verdict(
            criterion="equals",
            outcome=Outcome.FAIL,
            reason='is "yes, sir" (8 characters), expected "Yes"',
            unquoted='is another text of 8 characters, expected "Yes"',
        )

    def test_case_may_matter(self) -> None:
        """Its case is told apart where asked."""
        rule = Equals.parse({"text": "Yes", "case_sensitive": True})

        assert outcome(rule, "yes") is Outcome.FAIL
        assert outcome(rule, "Yes") is Outcome.PASS

    def test_blank_is_refused(self) -> None:
        """No answer is blank: that would be no answer."""
        with pytest.raises(CriterionError, match="blank"):
            Equals.parse(" \n")
