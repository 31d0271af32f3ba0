from dataclasses import replace

import pytest

from answerprobe.case import Criterion, Rubric
from answerprobe.comparison import (
    ComparedCase,
    CriterionComparison,
    Setup,
    compare,
    percentile,
)
from answerprobe.passrate import Change, Counted
from answerprobe.rules import RULES
from answerprobe.run import SampleResult
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.verdict import Outcome, Verdict
from builders import case, sample_result
from comparing import compared_case, plan


def graded(outcome: Outcome, **verdicts: Outcome) -> SampleResult:
    """Return a sample with one verdict for each criterion named."""
    return replace(
        sample_result(outcome),
        verdicts=tuple(
            Verdict(criterion=criterion, outcome=each, reason="")
            for criterion, each in verdicts.items()
        ),
    )


GOOD = graded(Outcome.PASS, answered=Outcome.PASS, contains=Outcome.PASS)
BAD = graded(Outcome.FAIL, answered=Outcome.PASS, contains=Outcome.FAIL)
DOWN = graded(Outcome.ERROR, answered=Outcome.ERROR)


def counted(*samples: SampleResult, judged: bool = False) -> dict[str, Counted]:
    """Return what each criterion counts of *samples*, those of the changed setup."""
    cases = (compared_case(judged=judged),)
    found = compare(plan(*cases), {Setup.CHANGED: samples})
    return {each.criterion: each.changed for each in found.criteria}


class TestCounts:
    def test_each_criterion_counts_its_own_verdicts(self) -> None:
        """A failed one says nothing of the others."""
        assert counted(GOOD, BAD) == {"contains": (1, 2), "answered": (2, 2)}

    def test_an_error_is_no_pass_for_every_rule(self) -> None:
        """An agent that is down must not look like one that was not asked."""
        assert counted(GOOD, DOWN) == {"contains": (1, 2), "answered": (1, 2)}

    def test_a_judged_criterion_counts_what_was_judged(self) -> None:
        """Neither errors nor what failed a rule, nor what the judge could not tell."""
        passed = graded(Outcome.PASS, contains=Outcome.PASS, judge=Outcome.PASS)
        failed = graded(Outcome.FAIL, contains=Outcome.PASS, judge=Outcome.FAIL)
        unknown = graded(
            Outcome.NOT_JUDGED, contains=Outcome.PASS, judge=Outcome.NOT_JUDGED
        )
        found = counted(passed, failed, unknown, BAD, DOWN, judged=True)

        assert found["judge"] == (1, 2)
        assert found["contains"] == (3, 5)

    def test_samples_of_other_cases_count_nowhere(self) -> None:
        """Such as of a case that left the configuration."""
        other = replace(GOOD, case_id="gone")

        assert counted(GOOD, other)["contains"] == (1, 1)

    def test_the_criterion_that_every_case_has_comes_last(self) -> None:
        """People look for what they wrote."""
        answered = Criterion(label="answered", check=RULES["contains"].parse("x"))
        rubric = Criterion(label="judge", check=Rubric(criterion="judge", text="Ok."))
        written = case()
        whole = replace(written, criteria=(answered, rubric, *written.criteria))
        found = compare(plan(ComparedCase.of(whole)), {})

        labels = [each.criterion for each in found.criteria]
        assert labels == ["contains", "judge", "answered"]


def found(current: tuple[int, int], changed: tuple[int, int]) -> CriterionComparison:
    """Return a criterion that passed so often, of so many."""
    return CriterionComparison(
        case_id="refund",
        criterion="contains",
        current=Counted(*current),
        changed=Counted(*changed),
    )


class TestCriterionComparison:
    @pytest.mark.parametrize(
        ("current", "changed", "result"),
        [
            pytest.param((2, 10), (9, 10), Change.IMPROVED, id="better"),
            pytest.param((10, 10), (5, 10), Change.REGRESSED, id="worse"),
            pytest.param(
                (7, 10), (10, 10), Change.NO_DETECTABLE_DIFFERENCE, id="too few"
            ),
        ],
    )
    def test_it_says_what_the_interval_allows(
        self, current: tuple[int, int], changed: tuple[int, int], result: Change
    ) -> None:
        """A difference only where 0 lies outside of it."""
        assert found(current, changed).result is result

    def test_nothing_is_said_where_a_setup_was_not_judged(self) -> None:
        """Neither a difference nor a number of runs."""
        criterion = found((3, 3), (0, 0))

        assert criterion.difference is None
        assert criterion.runs_to_separate is None
        assert criterion.result is Change.NO_DETECTABLE_DIFFERENCE

    def test_equal_rates_are_never_separated(self) -> None:
        """However many runs there are."""
        assert found((5, 10), (10, 20)).runs_to_separate is None

    def test_rates_that_differ_are_by_enough_runs(self) -> None:
        """So many a setup."""
        assert (found((9, 10), (7, 10)).runs_to_separate or 0) > 10


class TestUndecided:
    NOT_JUDGED = graded(
        Outcome.NOT_JUDGED,
        answered=Outcome.PASS,
        contains=Outcome.PASS,
        judge=Outcome.NOT_JUDGED,
    )
    JUDGED = graded(
        Outcome.PASS,
        answered=Outcome.PASS,
        contains=Outcome.PASS,
        judge=Outcome.PASS,
    )

    @pytest.mark.parametrize(
        ("current", "changed", "undecided"),
        [
            pytest.param([NOT_JUDGED], [NOT_JUDGED], ["judge"], id="neither judged"),
            pytest.param([JUDGED], [NOT_JUDGED], ["judge"], id="one not judged"),
            pytest.param([JUDGED], [JUDGED, NOT_JUDGED], [], id="some of them"),
            pytest.param([JUDGED], [BAD], [], id="rules failed"),
            pytest.param([DOWN], [DOWN], [], id="nobody answered"),
        ],
    )
    def test_it_is_what_no_sample_of_a_setup_was_judged_by(
        self,
        current: list[SampleResult],
        changed: list[SampleResult],
        undecided: list[str],
    ) -> None:
        """Not where rules failed every sample: the judge was not to be asked."""
        samples = {Setup.CURRENT: current, Setup.CHANGED: changed}
        found = compare(plan(compared_case(judged=True)), samples)

        assert [each.criterion for each in found.undecided] == undecided


class TestSpend:
    def test_tokens_dollars_and_durations_are_those_of_the_setup(self) -> None:
        """Durations of answers only: a time-out tells of the limit."""
        usage = TokenUsage(input_tokens=100, output_tokens=20)
        samples = [
            replace(GOOD, duration_seconds=n, tokens={TokenRole.AGENT: usage})
            for n in (1.0, 2.0, 4.0)
        ]
        late = replace(DOWN, duration_seconds=20.0)
        spend = compare(plan(), {Setup.CURRENT: [*samples, late]}).spend[Setup.CURRENT]

        assert spend.samples == 4
        assert spend.tokens[TokenRole.AGENT].total == 360
        assert spend.dollars == pytest.approx(3 * (100 + 200) / 1e6)
        assert spend.median_seconds == 2.0
        assert spend.p95_seconds == pytest.approx(3.8)

    def test_roles_without_a_price_are_named(self) -> None:
        """The sum must not pass for the whole."""
        usage = TokenUsage(input_tokens=1, output_tokens=1)
        tokens = {TokenRole.AGENT: usage, TokenRole.JUDGE: usage}
        sample = replace(GOOD, tokens=tokens)
        spend = compare(plan(), {Setup.CHANGED: [sample]}).spend[Setup.CHANGED]

        assert spend.unpriced == (TokenRole.JUDGE,)

    def test_both_setups_read_alike_where_one_spent_nothing_that_has_a_price(
        self,
    ) -> None:
        """Nothing spent is no dollars, not a price that is missing."""
        usage = TokenUsage(input_tokens=100, output_tokens=20)
        sample = replace(GOOD, tokens={TokenRole.AGENT: usage})
        spend = compare(plan(), {Setup.CURRENT: [sample], Setup.CHANGED: [DOWN]}).spend

        assert spend[Setup.CURRENT].dollars == pytest.approx(300 / 1e6)
        assert spend[Setup.CHANGED].dollars == 0.0

    def test_without_any_price_there_are_no_dollars(self) -> None:
        """Unknown is not nothing."""
        unpriced = replace(plan(), prices={})
        spend = compare(unpriced, {Setup.CURRENT: [GOOD]}).spend[Setup.CURRENT]

        assert spend.dollars is None


class TestComparison:
    def test_each_sample_is_looked_at_once(self) -> None:
        """However many cases there are: thousands of them are no matter of minutes."""
        looks = 0

        class Seen(str):
            """An id that counts how often it is looked at."""

            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                """Whether it is *other*."""
                nonlocal looks
                looks += 1
                return str.__eq__(self, other)

            __hash__ = str.__hash__

        cases = [compared_case(f"c{number}") for number in range(200)]
        samples = [replace(GOOD, case_id=Seen(each.id)) for each in cases]
        found = compare(plan(*cases), dict.fromkeys(Setup, samples))

        assert all(each.current.judged == 1 for each in found.criteria)
        assert looks <= 4 * len(found.criteria)

    def test_one_of_twenty_differs_by_chance(self) -> None:
        """Of those that could be compared at all."""
        cases = (compared_case("a"), compared_case("b"))
        samples = [replace(GOOD, case_id="a"), replace(GOOD, case_id="b")]
        both = compare(plan(*cases), dict.fromkeys(Setup, samples))
        one = compare(plan(*cases), dict.fromkeys(Setup, samples[:1]))

        assert both.expected_by_chance == pytest.approx(4 * 0.05)
        assert one.expected_by_chance == pytest.approx(2 * 0.05)

    def test_percentiles_of_nothing_are_unknown(self) -> None:
        """Never 0."""
        assert percentile([], 0.5) is None
