"""A run: every case put to a target a number of times, and how that ended."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from hypothesis import given
from hypothesis import strategies as st

import builders

from answerprobe.case import Case, CaseState, Quorum, Threshold
from answerprobe.run import (
    CriterionResult,
    Decision,
    RunRequest,
    SampleResult,
    Trigger,
    case_result,
    count_outcomes,
    criterion_results,
    decide,
    impossible,
    pass_ratio,
    scaled,
)
from answerprobe.verdict import Outcome, Verdict


_OUTCOMES = st.lists(st.sampled_from(Outcome), max_size=20)
P, F, E, N = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED


class TestPassRatio:
    """Passes among the samples that were judged."""

    @pytest.mark.parametrize(
        ("outcomes", "ratio"),
        [
            pytest.param([P, P, F, E], 0.5, id="fails and errors count against it"),
            pytest.param([P, N, N], 1.0, id="not judged counts for nothing"),
            pytest.param([N, N], None, id="nothing judged has none"),
            pytest.param([], None, id="nothing at all has none"),
            pytest.param([E, E], 0.0, id="down"),
        ],
    )
    def test_table(self, outcomes: list[Outcome], ratio: float | None) -> None:
        """Never 0, 1 or NaN where there is nothing to divide."""
        assert pass_ratio(count_outcomes(outcomes)) == ratio


class TestDecide:
    """What the outcomes of a case say under its quorum."""

    @pytest.mark.parametrize(
        ("outcomes", "decision"),
        [
            pytest.param([P, P, F], Decision.PASSING, id="enough"),
            pytest.param([P, P, N], Decision.PASSING, id="enough in any case"),
            pytest.param([P, F, E], Decision.FAILING, id="too few"),
            pytest.param([P, F, N], Decision.UNDECIDED, id="one might have passed"),
            pytest.param([F, F, N], Decision.FAILING, id="even then too few"),
            pytest.param([N, N, N], Decision.UNDECIDED, id="none judged"),
        ],
    )
    def test_two_of_three(self, outcomes: list[Outcome], decision: Decision) -> None:
        """Two of three must pass; what was not judged might have."""
        quorum = Quorum(samples=3, pass_at_least=2)

        assert decide(quorum, count_outcomes(outcomes)) is decision

    @given(_OUTCOMES, st.integers(1, 20))
    def test_undecided_can_still_go_both_ways(
        self, outcomes: list[Outcome], needed: int
    ) -> None:
        """It is what all the ways in which the unjudged could have ended agree on."""
        quorum = Quorum(samples=20, pass_at_least=needed)
        worst = [F if outcome is N else outcome for outcome in outcomes]
        best = [P if outcome is N else outcome for outcome in outcomes]
        ends = {decide(quorum, count_outcomes(end)) for end in (worst, best)}

        decided = decide(quorum, count_outcomes(outcomes))

        assert ends == ({decided} if len(ends) == 1 else set(Decision) - {decided})


class TestScaled:
    """The quorum of a run with another number of samples."""

    @pytest.mark.parametrize(
        ("samples", "needed"),
        [
            pytest.param(1, 1, id="1"),
            pytest.param(2, 2, id="2"),
            pytest.param(3, 2, id="3"),
            pytest.param(10, 7, id="10"),
            pytest.param(20, 14, id="20"),
        ],
    )
    def test_two_thirds_rounded_up(self, samples: int, needed: int) -> None:
        """As where the configuration names only the samples."""
        quorum = scaled(Quorum(samples=5, pass_at_least=5), samples)

        assert quorum == Quorum(samples=samples, pass_at_least=needed)

    def test_same_number_keeps_the_quorum(self) -> None:
        """A run as configured is judged as configured."""
        quorum = Quorum(samples=5, pass_at_least=5)

        assert scaled(quorum, 5) is quorum


class TestCaseResult:
    """One case of a run."""

    @given(_OUTCOMES)
    def test_counts_add_up(self, outcomes: list[Outcome]) -> None:
        """Each sample is counted once."""
        quorum = Quorum(samples=3, pass_at_least=2)
        samples = list(map(builders.sample_result, outcomes))

        result = case_result(builders.case(), samples, quorum)

        assert result.samples == len(outcomes)
        assert result.decision is decide(quorum, count_outcomes(outcomes))

    def test_samples_that_were_never_asked_might_have_passed(self) -> None:
        """A fail of three decides nothing yet."""
        samples = [builders.sample_result(Outcome.FAIL)]

        result = case_result(builders.case(), samples, unasked=2)

        assert result.decision is Decision.UNDECIDED
        assert result.not_judged == 2


def _case(*, samples: int, above: float = 0.5, **expect: object) -> Case:
    """Return a case with a threshold, of `contains` and `max_words` as a rule."""
    case = builders.case(expect=expect or {"contains": "30 days", "max_words": 9})
    return replace(case, bar=Threshold(samples=samples, above=above))


_JUDGED = _case(samples=5, contains="30 days", judge="Gives the window.")


def _sample(verdicts: Mapping[str, Outcome]) -> SampleResult:
    """Return a sample with these *verdicts*; the worst of them is its outcome."""
    ends = set(verdicts.values())
    made = builders.sample_result(next(o for o in (F, N, P) if o in ends))
    given = tuple(
        Verdict(criterion=label, outcome=outcome, reason="because")
        for label, outcome in verdicts.items()
    )
    return replace(made, verdicts=given)


def _decide(outcomes: list[Outcome], *, above: float = 0.5) -> Decision:
    """Return what samples of one rule that end so decide."""
    case = _case(samples=len(outcomes), above=above, contains="30 days")
    samples = [
        builders.sample_result(E) if outcome is E else _sample({"contains": outcome})
        for outcome in outcomes
    ]
    return case_result(case, samples).decision


class TestThreshold:
    """A case each of whose criteria has to clear a bar."""

    @pytest.mark.parametrize(
        ("passes", "samples", "above", "decision"),
        [
            pytest.param(4, 4, 0.5, Decision.PASSING, id="4 of 4"),
            pytest.param(4, 5, 0.5, Decision.FAILING, id="4 of 5"),
            pytest.param(15, 20, 0.5, Decision.PASSING, id="15 of 20"),
            pytest.param(14, 20, 0.5, Decision.FAILING, id="14 of 20"),
            pytest.param(20, 20, 0.8, Decision.PASSING, id="all of 20"),
            pytest.param(19, 20, 0.8, Decision.FAILING, id="one bad of 20"),
        ],
    )
    def test_the_lower_bound_decides(
        self, passes: int, samples: int, above: float, decision: Decision
    ) -> None:
        """Not the ratio: few samples prove little."""
        found = [P] * passes + [F] * (samples - passes)

        assert _decide(found, above=above) is decision

    def test_each_criterion_is_held_to_it_by_itself(self) -> None:
        """9 of 10 each clear a half, even where it's another sample that fails."""
        case = _case(samples=10)
        samples = [
            _sample({"contains": F, "max_words": P}),
            _sample({"contains": P, "max_words": F}),
            *[_sample({"contains": P, "max_words": P})] * 8,
        ]

        assert case_result(case, samples).decision is Decision.PASSING

    def test_an_error_is_no_pass_of_any_rule(self) -> None:
        """No answer meets nothing."""
        assert _decide([P, P, P, P, E]) is Decision.FAILING

    @pytest.mark.parametrize(
        ("outcomes", "decision"),
        [
            pytest.param([P, P, P, P, N], Decision.PASSING, id="enough are known"),
            pytest.param([P, P, P, N, N], Decision.UNDECIDED, id="might have passed"),
            pytest.param([F, P, N, N, N], Decision.FAILING, id="too late"),
            pytest.param([N, N, N, N, N], Decision.UNDECIDED, id="nobody judged"),
        ],
    )
    def test_samples_not_judged_leave_it_undecided_only_where_they_matter(
        self, outcomes: list[Outcome], decision: Decision
    ) -> None:
        """As they might have passed."""
        samples = [_sample({"contains": P, "judge": outcome}) for outcome in outcomes]

        assert case_result(_JUDGED, samples).decision is decision

    def test_a_judged_criterion_counts_what_was_judged(self) -> None:
        """Where a rule failed nobody was asked: that is no fail of the rubric."""
        samples = [
            _sample({"contains": F}),
            *[_sample({"contains": P, "judge": P})] * 9,
        ]

        results = criterion_results(
            replace(_JUDGED, bar=Threshold(samples=10)), samples
        )

        assert results == (
            CriterionResult(label="contains", passed=9, judged=10, not_judged=0),
            CriterionResult(label="judge", passed=9, judged=9, not_judged=0),
        )

    def test_where_a_simulated_user_failed_nothing_was_judged(self) -> None:
        """Not even a rule."""
        sample = builders.sample_result(Outcome.NOT_JUDGED)

        results = criterion_results(_JUDGED, [sample])

        assert {(r.judged, r.not_judged) for r in results} == {(0, 1)}

    @given(st.lists(st.sampled_from(Outcome), min_size=5, max_size=5))
    def test_no_late_verdict_saves_it(self, outcomes: list[Outcome]) -> None:
        """What fails stays so, whatever those not judged would have been."""
        ends = [[x if o is N else o for o in outcomes] for x in (P, F)]

        decided = _decide(outcomes)

        if decided is Decision.FAILING:
            assert {_decide(end) for end in ends} == {decided}

    @pytest.mark.parametrize(
        ("samples", "wanted"),
        [pytest.param(3, "4 samples would do", id="3"), pytest.param(4, None, id="4")],
    )
    def test_another_number_of_samples_must_still_reach_it(
        self, samples: int, wanted: str | None
    ) -> None:
        """A bar is not lowered because one asks less."""
        found = impossible(_case(samples=5), samples)

        assert (found is None) == (wanted is None)
        assert (wanted or "") in (found or "")


class TestRunRequest:
    """What a run was asked to do."""

    @pytest.mark.parametrize(
        ("request_", "reason"),
        [
            pytest.param(RunRequest(monitor="a", trigger=trigger), None, id=trigger)
            for trigger in (Trigger.SCHEDULE, Trigger.MANUAL, Trigger.DEPLOY)
        ]
        + [
            pytest.param(
                RunRequest(monitor="a", trigger=Trigger.DRY_RUN),
                "dry run",
                id="dry_run",
            ),
            pytest.param(
                RunRequest(monitor="a", trigger=Trigger.EXPERIMENT),
                "experiment",
                id="experiment",
            ),
            pytest.param(
                RunRequest(monitor="a", trigger=Trigger.MANUAL, case_ids=("x",)),
                "some of the cases",
                id="some cases",
            ),
            pytest.param(
                RunRequest(monitor="a", trigger=Trigger.MANUAL, samples=7),
                "7 samples a case",
                id="other samples",
            ),
        ],
    )
    def test_exploratory_says_why(
        self, request_: RunRequest, reason: str | None
    ) -> None:
        """Only runs of everything as configured may move status."""
        assert request_.exploratory_reason == reason
        assert request_.exploratory is (reason is not None)

    @pytest.mark.parametrize(
        ("trigger", "case_ids", "asked"),
        [
            pytest.param(Trigger.SCHEDULE, None, ["refund"], id="schedule"),
            pytest.param(Trigger.DRY_RUN, None, ["refund", "tone"], id="dry run"),
            pytest.param(Trigger.DRY_RUN, ("tone",), ["tone"], id="the draft alone"),
            pytest.param(Trigger.MANUAL, ("tone",), [], id="the draft for real"),
            pytest.param(Trigger.DRY_RUN, ("old",), [], id="the retired one"),
        ],
    )
    def test_only_a_dry_run_asks_drafts(
        self, trigger: Trigger, case_ids: tuple[str, ...] | None, asked: list[str]
    ) -> None:
        """And nothing asks what is retired."""
        draft = replace(builders.case("tone"), state=CaseState.DRAFT)
        retired = replace(builders.case("old"), state=CaseState.RETIRED)
        shop = replace(builders.monitor(), uncounted=(draft, retired))
        request = RunRequest(monitor="shop", trigger=trigger, case_ids=case_ids)

        assert [case.id for case in request.cases_of(shop)] == asked


class TestRun:
    """One run of a monitor."""

    def test_outcomes_have_zeros(self) -> None:
        """Every outcome is counted, those that did not come up too."""
        run = builders.run([builders.sample_result(P), builders.sample_result(P)])

        assert run.outcomes == {P: 2, F: 0, E: 0, N: 0}

    def test_duration(self) -> None:
        """From start to end; none before the end."""
        run = builders.run([])
        later = replace(run, finished_at=builders.NOW + timedelta(seconds=90))

        assert later.duration_seconds == 90
        assert replace(run, finished_at=None).duration_seconds == 0
