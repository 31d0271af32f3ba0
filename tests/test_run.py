"""A run: every case put to a target a number of times, and how that ended."""

from dataclasses import replace
from datetime import timedelta

import pytest

from hypothesis import given
from hypothesis import strategies as st

import builders

from answerprobe.case import Quorum
from answerprobe.run import (
    Decision,
    RunRequest,
    Trigger,
    case_result,
    count_outcomes,
    decide,
    pass_ratio,
    scaled,
)
from answerprobe.verdict import Outcome


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
        case = builders.case()

        result = case_result(case, map(builders.sample_result, outcomes))

        assert result.samples == len(outcomes)
        assert result.decision is decide(case.quorum, count_outcomes(outcomes))


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
