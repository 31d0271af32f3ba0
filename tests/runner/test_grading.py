"""Rules first, then the judge; a rule that never ends is our fault."""

import threading

from dataclasses import dataclass, field

import pytest

from answerprobe.case import Case, Criterion, Quorum, Rubric
from answerprobe.rules import RULES
from answerprobe.runner import Grading
from answerprobe.sample import Sample, asked_once
from answerprobe.verdict import Outcome, Verdict
from builders import case
from scripted import ScriptedJudge, no_reply, reply


# So long that its rules are checked in a thread.
LONG = "Within 30 days. " * 1000
TOO_LATE = "internal error: endless did not end within 0.01 s"


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A rule that ends when the test lets it."""

    release: threading.Event = field(default_factory=threading.Event)

    @property
    def criterion(self) -> str:
        """Its name."""
        return "endless"

    def check(self, sample: Sample) -> Verdict:
        """Wait, then fail."""
        del sample
        self.release.wait(20)
        return Verdict(criterion="endless", outcome=Outcome.FAIL, reason="at last")


class Desk:
    """Grading with a short deadline, and what it told of itself."""

    def __init__(self) -> None:
        self.internal_errors = 0
        self.grading = Grading(internal_error=self._count, rule_seconds=0.01)

    def _count(self) -> None:
        self.internal_errors += 1

    async def grade(
        self, case: Case, answer: str = LONG, judge: ScriptedJudge | None = None
    ) -> dict[str, tuple[Outcome, str]]:
        """Return the outcome, and outcome and reason of each criterion."""
        sample = asked_once(case.ask or "", reply(answer))
        graded = await self.grading.grade(judge, case, sample)
        found = {v.criterion: (v.outcome, v.reason) for v in graded.verdicts}
        return {"": (graded.outcome, ""), **found}


def case_of(*checks: Endless | tuple[str, object]) -> Case:
    """Return a case with these criteria; a name and value make one."""
    criteria = [
        Criterion(
            label=check[0] if isinstance(check, tuple) else check.criterion,
            check=(
                check
                if isinstance(check, Endless)
                else Rubric(criterion="judge", text=str(check[1]))
                if check[0] == "judge"
                else RULES[check[0]].parse(check[1])
            ),
        )
        for check in checks
    ]
    return Case(
        id="c",
        ask="When?",
        criteria=tuple(criteria),
        within_seconds=20,
        bar=Quorum(samples=1, pass_at_least=1),
        fingerprint="f",
    )


class TestOverrun:
    async def test_is_not_judged_and_an_internal_error(self) -> None:
        """Neither a pass nor the agent's failure; the reason names the rule."""
        desk, endless = Desk(), Endless()

        found = await desk.grade(case_of(("contains", "30"), endless, ("max_words", 9)))

        endless.release.set()
        assert found == {
            "": (Outcome.NOT_JUDGED, ""),
            "contains": (Outcome.PASS, found["contains"][1]),
            "endless": (Outcome.NOT_JUDGED, TOO_LATE),
            "max_words": (
                Outcome.NOT_JUDGED,
                "not checked: endless before it did not end",
            ),
        }
        assert desk.internal_errors == 1

    async def test_spares_the_judge(self) -> None:
        """Whether the rules pass is not known."""
        desk, endless, judge = Desk(), Endless(), ScriptedJudge()

        found = await desk.grade(case_of(endless, ("judge", "x")), judge=judge)

        endless.release.set()
        assert found[""] == (Outcome.NOT_JUDGED, "")
        assert not judge.asked

    async def test_takes_no_failure_back(self) -> None:
        """What another rule found before is true all the same."""
        desk, endless = Desk(), Endless()

        found = await desk.grade(case_of(("contains", "forty"), endless))

        endless.release.set()
        assert found[""] == (Outcome.FAIL, "")
        assert found["endless"] == (Outcome.NOT_JUDGED, TOO_LATE)

    async def test_harms_no_other_sample(self) -> None:
        """Answers that are graded afterwards are graded."""
        desk, endless = Desk(), Endless()
        await desk.grade(case_of(endless))

        found = await desk.grade(case_of(("contains", "30")))

        endless.release.set()
        assert found[""] == (Outcome.PASS, "")


class TestWithoutJudge:
    async def test_judged_criteria_are_not_judged(self) -> None:
        """A sample that nobody judged is no pass."""
        found = await Desk().grade(case_of(("contains", "30"), ("judge", "x")))

        assert found[""] == (Outcome.NOT_JUDGED, "")
        assert found["judge"] == (Outcome.NOT_JUDGED, "no judge was asked")

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            pytest.param("30 days", Outcome.PASS, id="passes"),
            pytest.param("no idea", Outcome.FAIL, id="fails"),
        ],
    )
    async def test_rules_need_none(self, answer: str, outcome: Outcome) -> None:
        """They decide alone where nothing is judged."""
        found = await Desk().grade(case_of(("contains", "30 days")), answer)

        assert found[""] == (outcome, "")


async def test_no_answer_is_an_error_and_no_rule_sees_it() -> None:
    """`answered` says why."""
    graded = await Desk().grading.grade(None, case(), asked_once("?", no_reply()))

    assert graded.outcome is Outcome.ERROR
    assert graded.verdicts == (
        Verdict(criterion="answered", outcome=Outcome.ERROR, reason="HTTP 500"),
    )
