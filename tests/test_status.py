"""What the counted runs of a monitor say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from hypothesis import given
from hypothesis import strategies as st

import builders

from answerprobe.case import CaseState, Quorum
from answerprobe.run import Decision, Run, count_outcomes, decide
from answerprobe.sample import Termination
from answerprobe.status import (
    BASELINE_MAX_RUNS,
    BASELINE_MIN_RUNS,
    CaseStatus,
    Cause,
    Health,
    MonitorStatus,
    advance,
    is_down,
    newly_regressed,
)
from answerprobe.verdict import Outcome


P, F, E, N = Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED
_SHOP = builders.monitor(
    cases=[builders.case("a"), builders.case("b", fingerprint="f2")],
    target_pass_ratio=0.9,
)
_FINGERPRINTS = {"a": "f1", "b": "f2"}
# The outcomes of three samples of one case.
_TRIPLES = st.lists(st.sampled_from(Outcome), min_size=3, max_size=3)
# How the samples of both cases ended in one run.
Ends = tuple[list[Outcome], list[Outcome]]
_HISTORIES = st.lists(st.tuples(_TRIPLES, _TRIPLES), max_size=30)


def run(a: Sequence[Outcome], b: Sequence[Outcome] = (P, P, P), run_id: int = 1) -> Run:
    """Return a run in which the samples of both cases ended so."""
    samples = [
        builders.sample_result(
            outcome, case_id=case_id, fingerprint=_FINGERPRINTS[case_id]
        )
        for case_id, outcomes in (("a", a), ("b", b))
        for outcome in outcomes
    ]
    return builders.run(samples, run_id=run_id)


def after(*runs: Ends, causes: Mapping[str, Cause] | None = None) -> MonitorStatus:
    """Return the status after *runs*, numbered from 1."""
    status = MonitorStatus()
    for number, (a, b) in enumerate(runs, start=1):
        status = advance(status, _SHOP, run(a, b, run_id=number), causes)
    return status


def ends(*a: Outcome) -> Ends:
    """Return a run in which case a ends so, while b passes."""
    return list(a), [P, P, P]


PASSING, FAILING, UNDECIDED = ends(P, P, P), ends(F, F, F), ends(P, F, N)
DOWN: Ends = ([E, E, E], [E, E, E])


class TestHealth:
    """A monitor's status in one word."""

    def test_unknown_before_the_first_run(self) -> None:
        """Nothing is known yet."""
        assert MonitorStatus().health is Health.UNKNOWN

    def test_up(self) -> None:
        """All is well."""
        assert after(PASSING).health is Health.UP

    def test_down(self) -> None:
        """No sample was answered."""
        assert after(PASSING, DOWN).health is Health.DOWN

    def test_one_run_below_target_is_not_degraded(self) -> None:
        """One bad run may be bad luck."""
        assert after(FAILING).health is Health.UP

    def test_two_runs_below_target_are_degraded(self) -> None:
        """Two in a row are not."""
        assert after(FAILING, FAILING).health is Health.DEGRADED

    def test_regressed_is_degraded_at_once(self) -> None:
        """A case that always passed and fails needs no second run."""
        assert after(PASSING, PASSING, PASSING, FAILING).health is Health.DEGRADED

    def test_judges_regression_is_not_the_agents(self) -> None:
        """Where the judge changed, the agent's status does not."""
        status = after(PASSING, PASSING, PASSING, FAILING, causes={"a": Cause.JUDGE})

        assert status.cases["a"].regressed is Cause.JUDGE
        assert status.health is Health.UP


class TestDown:
    """A run in which every sample is an error."""

    @pytest.mark.parametrize(
        ("outcomes", "expected"),
        [
            pytest.param([E, E, E], True, id="errors only"),
            pytest.param([E, E, F], False, id="one was answered"),
            pytest.param([E, E, N], False, id="one was answered and not judged"),
            pytest.param([], False, id="no samples"),
        ],
    )
    def test_is_down(self, outcomes: list[Outcome], *, expected: bool) -> None:
        """One answer, however bad, is not down."""
        assert is_down(run(outcomes, [])) is expected

    def test_says_nothing_about_answers(self) -> None:
        """Counts and baselines stay, the cases show as failing."""
        before = after(PASSING, PASSING, PASSING, FAILING)

        status = advance(before, _SHOP, run(*DOWN, run_id=5))

        assert status.runs_down == 1
        assert status.runs_below_target == before.runs_below_target
        for case_id in ("a", "b"):
            assert status.cases[case_id].decision is Decision.FAILING
            assert status.cases[case_id].baseline == before.cases[case_id].baseline
        assert status.cases["a"].consecutive_failed_runs == 1
        assert status.cases["b"].consecutive_failed_runs == 0
        assert status.cases["a"].regressed is Cause.AGENT
        assert status.cases["b"].regressed is None

    def test_counts_up_and_ends(self) -> None:
        """Runs in a row are counted until one is answered."""
        assert after(DOWN, DOWN).runs_down == 2
        assert after(DOWN, DOWN, FAILING).runs_down == 0

    def test_errors_of_one_case_alone_are_its_failing(self) -> None:
        """An agent that answers one question and not another is up."""
        status = after(PASSING, PASSING, PASSING, ends(E, E, E))

        assert status.up is True
        assert status.cases["a"].regressed is Cause.AGENT


class TestBelowTarget:
    """Runs in a row below target."""

    @pytest.mark.parametrize(
        ("outcomes", "count"),
        [
            pytest.param([P, P, P], 0, id="at target clears it"),
            pytest.param([P, P, F], 2, id="below counts"),
            pytest.param([P, P, E], 2, id="an error counts"),
            pytest.param([P, P, N], 1, id="a judge's outage changes nothing"),
            pytest.param([N, N, N], 1, id="nothing judged changes nothing"),
            pytest.param([F, N, N], 2, id="below whatever the judge had said"),
        ],
    )
    def test_after_one_below(self, outcomes: list[Outcome], count: int) -> None:
        """Case b passes throughout; the target is 90% of six samples."""
        assert after(FAILING, ends(*outcomes)).runs_below_target == count

    def test_exactly_the_target_is_not_below(self) -> None:
        """9 of 10 is 90%."""
        shop = builders.monitor(cases=[builders.case(samples=10, pass_at_least=7)])
        samples = [builders.sample_result(outcome) for outcome in [P] * 9 + [F]]

        status = advance(MonitorStatus(), shop, builders.run(samples))

        assert status.runs_below_target == 0


class TestRegression:
    """A case that always passed, and fails."""

    @pytest.mark.parametrize(
        ("history", "expected"),
        [
            pytest.param([PASSING] * 3, Cause.AGENT, id="three passing runs"),
            pytest.param([PASSING] * 2, None, id="two are too few"),
            pytest.param([PASSING, FAILING, *[PASSING] * 3], None, id="failed before"),
            pytest.param(
                [FAILING, *[PASSING] * 20], Cause.AGENT, id="failed long before"
            ),
            pytest.param([FAILING, *[PASSING] * 19], None, id="failed 20 runs before"),
            pytest.param(
                [PASSING, UNDECIDED, PASSING, PASSING],
                Cause.AGENT,
                id="undecided between",
            ),
            pytest.param([PASSING, UNDECIDED, PASSING], None, id="undecided is none"),
            pytest.param([*[PASSING] * 3, DOWN], Cause.AGENT, id="down between"),
        ],
    )
    def test_baseline(self, history: list[Ends], expected: Cause | None) -> None:
        """Its last decided runs, at least 3 and at most 20, must all have passed."""
        assert after(*history, FAILING).cases["a"].regressed is expected

    @pytest.mark.parametrize(
        ("then", "expected"),
        [
            pytest.param([FAILING] * 30, Cause.AGENT, id="as long as it fails"),
            pytest.param([UNDECIDED], Cause.AGENT, id="undecided"),
            pytest.param([ends(N, N, N)], Cause.AGENT, id="nothing judged"),
            pytest.param([DOWN], Cause.AGENT, id="down"),
            pytest.param([PASSING], None, id="until it passes"),
            pytest.param([PASSING, FAILING], None, id="and is then no news"),
        ],
    )
    def test_lasts_until_it_passes(
        self, then: list[Ends], expected: Cause | None
    ) -> None:
        """Only a passing run ends it."""
        status = after(*[PASSING] * 3, FAILING, *then)

        assert status.cases["a"].regressed is expected

    def test_judges_cause_starts_the_baseline_anew(self) -> None:
        """What another judge said is no measure for this one."""
        causes = {"a": Cause.JUDGE}

        failed = after(*[PASSING] * 3, FAILING, causes=causes)
        again = after(*[PASSING] * 3, FAILING, *[PASSING] * 3, FAILING, causes=causes)

        assert failed.cases["a"].baseline == ()
        assert again.cases["a"].regressed is Cause.JUDGE

    def test_newly_regressed_foretells_it(self) -> None:
        """The ids are known before the run counts, so that they can be confirmed."""
        before = after(*[PASSING] * 3)

        assert newly_regressed(before, _SHOP, run(*FAILING)) == ("a",)
        assert newly_regressed(before, _SHOP, run(*UNDECIDED)) == ()
        assert newly_regressed(before, _SHOP, run(*DOWN)) == ()
        assert (
            newly_regressed(after(*[PASSING] * 3, FAILING), _SHOP, run(*FAILING)) == ()
        )

    def test_changed_definition_starts_anew(self) -> None:
        """An edited case is another case: nothing of before is held against it."""
        before = after(*[PASSING] * 3, FAILING)
        edited = builders.monitor(cases=[builders.case("a", fingerprint="f9")])
        samples = [
            builders.sample_result(F, case_id="a", fingerprint="f9") for _ in range(3)
        ]

        status = advance(before, edited, builders.run(samples, run_id=9))

        assert status.cases == {
            "a": CaseStatus(
                fingerprint="f9",
                decision=Decision.FAILING,
                baseline=(False,),
                window=(False, False, False),
                consecutive_failed_runs=1,
                failing_since_run=9,
            )
        }


class TestFailing:
    """A case that keeps failing."""

    @pytest.mark.parametrize(
        ("history", "count", "since"),
        [
            pytest.param([FAILING], 1, 1, id="once"),
            pytest.param([FAILING, FAILING], 2, 1, id="twice"),
            pytest.param([FAILING, PASSING], 0, None, id="recovered"),
            pytest.param([FAILING, PASSING, FAILING], 1, 3, id="again"),
            pytest.param([FAILING, UNDECIDED, FAILING], 2, 1, id="undecided between"),
            pytest.param([FAILING, DOWN, FAILING], 2, 1, id="down between"),
            pytest.param([UNDECIDED], 0, None, id="undecided only"),
        ],
    )
    def test_is_counted_and_dated(
        self, history: list[Ends], count: int, since: int | None
    ) -> None:
        """Failed runs in a row, and the run that it fails from."""
        case = after(*history).cases["a"]

        assert case.consecutive_failed_runs == count
        assert case.failing_since_run == since


class TestWindow:
    """The last samples of a case."""

    def test_runs_with_an_unjudged_sample_are_left_out(self) -> None:
        """Half a run would bend the rate."""
        assert after(PASSING, UNDECIDED).cases["a"].window == (True, True, True)

    def test_errors_are_not_passed(self) -> None:
        """A down run counts too: the user got nothing."""
        assert after(DOWN).cases["a"].window == (False, False, False)

    def test_keeps_twenty(self) -> None:
        """Older samples go."""
        status = after(FAILING, *[PASSING] * 6)

        assert status.cases["a"].window == (False, False, *[True] * 18)

    def test_keeps_a_whole_run_of_more(self) -> None:
        """A case with more samples has as many in its window."""
        shop = builders.monitor(cases=[builders.case(samples=30, pass_at_least=20)])
        samples = [builders.sample_result(P)] * 30

        status = advance(MonitorStatus(), shop, builders.run(samples))

        assert len(status.cases["refund"].window) == 30

    def test_rates(self) -> None:
        """Ratio and interval; neither where there is nothing."""
        case = after(ends(P, P, F)).cases["a"]
        empty = CaseStatus(fingerprint="f1")

        assert case.window_ratio == pytest.approx(2 / 3)
        interval = pytest.approx((0.2077, 0.9385), abs=5e-5)
        assert case.window_interval(0.95) == interval
        assert (empty.window_ratio, empty.window_interval(0.95)) == (None, None)

    def test_bounds_are_as_sure_as_the_case_wants(self) -> None:
        """The surer, the lower."""
        case = after(ends(P, P, F)).cases["a"]
        half, usual = case.window_interval(0.5), case.window_interval(0.95)

        assert half
        assert usual
        assert usual.low < half.low < half.high < usual.high


class TestSlow:
    """Runs in a row whose answers nearly took all the time."""

    @pytest.mark.parametrize(
        ("seconds", "ratio", "count"),
        [
            pytest.param([1.0] * 10, 0.05, 0, id="fast"),
            pytest.param([17.0] * 10, 0.85, 1, id="slow"),
            pytest.param([16.0] * 10, 0.8, 0, id="just not"),
            pytest.param([1.0] * 9 + [19.0], 0.05, 0, id="one slow sample of ten"),
            pytest.param([1.0] * 8 + [19.0] * 2, 0.95, 1, id="two of ten"),
        ],
    )
    def test_nearest_rank(self, seconds: list[float], ratio: float, count: int) -> None:
        """The 90th percentile of duration / within, which is 20 s here."""
        shop = builders.monitor(cases=[builders.case(samples=10, pass_at_least=7)])
        samples = [builders.sample_result(P, duration_seconds=s) for s in seconds]

        status = advance(MonitorStatus(), shop, builders.run(samples))

        assert status.slowness_ratio == pytest.approx(ratio)
        assert status.runs_slow == count

    def test_run_without_answers_changes_nothing(self) -> None:
        """A down run is not fast."""
        before = MonitorStatus(runs_slow=1)

        status = advance(before, _SHOP, run(*DOWN))

        assert status.slowness_ratio is None
        assert status.runs_slow == 1


class TestProperties:
    """What holds whatever the runs."""

    @given(_HISTORIES)
    def test_counts_by_their_definition(self, history: list[Ends]) -> None:
        """Each count is what its definition says of the runs, counted from the end."""
        status = after(*history)
        answered = [h for h in history if not is_down(run(*h))]

        assert status.runs_down == _tally(is_down(run(*h)) for h in history)
        assert status.runs_below_target == _tally(_below(a + b) for a, b in answered)
        for index, case_id in enumerate(("a", "b")):
            decisions = [_decision(h[index]) for h in answered]
            failed = _tally(_failed(decision) for decision in decisions)
            case = status.cases.get(case_id, CaseStatus(fingerprint=""))
            assert case.consecutive_failed_runs == failed

    @given(_HISTORIES)
    def test_regressed_means_it_passed_before_and_has_not_since(
        self, history: list[Ends]
    ) -> None:
        """A case is regressed exactly from such a fail until its next pass."""
        regressed = False
        decided: list[bool] = []
        for a, b in history:
            decision = _decision(a)
            if is_down(run(a, b)) or decision is Decision.UNDECIDED:
                continue
            passing = decision is Decision.PASSING
            recent = decided[-BASELINE_MAX_RUNS:]
            if passing:
                regressed = False
            elif len(recent) >= BASELINE_MIN_RUNS and all(recent):
                regressed = True
            decided.append(passing)

        case = after(*history).cases.get("a", CaseStatus(fingerprint=""))

        assert (case.regressed is Cause.AGENT) is regressed

    @given(_HISTORIES, _TRIPLES, _TRIPLES)
    def test_a_judges_outage_is_never_the_agents_page(
        self,
        history: list[Ends],
        a: list[Outcome],
        b: list[Outcome],
    ) -> None:
        """With less judged, nothing that pages about the agent gets worse."""
        judged = [outcome if outcome is not N else P for outcome in (*a, *b)]
        before = after(*history)

        blind = advance(before, _SHOP, run(a, b, run_id=99))
        seen = advance(before, _SHOP, run(judged[:3], judged[3:], run_id=99))

        assert blind.runs_below_target <= max(
            before.runs_below_target, seen.runs_below_target
        )
        assert blind.runs_down <= max(before.runs_down, seen.runs_down)
        for case_id in ("a", "b"):
            newly = blind.cases[case_id].regressed is not None
            known = case_id in before.cases and before.cases[case_id].regressed
            assert not newly or known or seen.cases[case_id].regressed

    @given(_HISTORIES)
    def test_not_judged_runs_move_nothing(self, history: list[Ends]) -> None:
        """A run in which nothing was judged leaves every count as it was."""
        before = after(*history)

        status = advance(before, _SHOP, run([N, N, N], [N, N, N], run_id=99))

        assert status.up is True
        assert status.pass_ratio is None
        assert status.runs_below_target == before.runs_below_target
        for case_id, case in before.cases.items():
            now = status.cases[case_id]
            assert now.decision is Decision.UNDECIDED
            assert now.baseline == case.baseline
            assert now.window == case.window
            assert now.regressed is case.regressed
            assert now.consecutive_failed_runs == case.consecutive_failed_runs

    @given(_HISTORIES)
    def test_a_restart_changes_nothing(self, history: list[Ends]) -> None:
        """The next status depends on the last one alone, which stays as it was."""
        statuses = [after(*history[:end]) for end in range(len(history) + 1)]

        for number, (one, other) in enumerate(pairwise(statuses), start=1):
            assert advance(one, _SHOP, run(*history[number - 1], number)) == other

    def test_a_run_without_samples_says_nothing(self) -> None:
        """The status stays, whatever it was."""
        before = after(PASSING, FAILING)

        assert advance(before, _SHOP, run([], [])) is before


def _decision(outcomes: Sequence[Outcome]) -> Decision:
    """Return what the samples of one case decide."""
    quorum = _SHOP.cases[0].bar
    assert isinstance(quorum, Quorum)
    return decide(quorum, count_outcomes(outcomes))


def _failed(decision: Decision) -> bool | None:
    """Whether a decision counts as failed; None where it changes nothing."""
    return None if decision is Decision.UNDECIDED else decision is Decision.FAILING


def _below(outcomes: Sequence[Outcome]) -> bool | None:
    """Whether six samples are below 90%; None where that is open."""
    if outcomes.count(P) + outcomes.count(N) < 6:
        return True
    return False if outcomes.count(P) == 6 else None


def _tally(flags: Iterable[bool | None]) -> int:
    """Return how many True stand at the end of *flags*, None not looked at."""
    count = 0
    for flag in flags:
        if flag is not None:
            count = count + 1 if flag else 0
    return count


class TestNobodyAsked:
    """The simulated user was out, so the agent was not even asked."""

    def test_does_not_end_a_down(self) -> None:
        """Nothing was answered: what was down is down still, and no longer."""
        watched = builders.monitor(cases=(builders.case("a"), builders.case("c")))
        down = [
            builders.sample_result(Outcome.ERROR, case_id=i, answer=None) for i in "ac"
        ]
        before = advance(MonitorStatus(), watched, builders.run(down))
        unheard = replace(
            builders.sample_result(Outcome.NOT_JUDGED, case_id="c", answer=None),
            termination=Termination.USER_ERROR,
        )

        after = advance(before, watched, builders.run([down[0], unheard], run_id=2))

        assert (after.up, after.runs_down) == (False, 1)
        assert after.slowness_ratio is None

    def test_leaves_a_new_monitor_unknown(self) -> None:
        """It is neither up nor down before it was asked."""
        unheard = replace(
            builders.sample_result(Outcome.NOT_JUDGED, answer=None),
            termination=Termination.USER_ERROR,
        )

        after = advance(MonitorStatus(), builders.monitor(), builders.run([unheard]))

        assert after.up is None


class TestOf:
    """What is left of a status when the configuration changed."""

    def test_cases_that_left_are_forgotten(self) -> None:
        """A regression that nobody can see any more degrades nothing."""
        watched = builders.monitor(cases=(builders.case("a"), builders.case("b")))
        status = MonitorStatus(
            up=True,
            cases={
                "a": CaseStatus(fingerprint="f1"),
                "b": CaseStatus(fingerprint="old", regressed=Cause.AGENT),
            },
        )

        left = status.of(watched)

        assert list(left.cases) == ["a"]
        assert left.health is Health.UP

    def test_nothing_is_left_where_no_case_counts(self) -> None:
        """No run would ever take the bad news back."""
        draft = replace(builders.case("a"), state=CaseState.DRAFT)
        watched = replace(builders.monitor(), cases=(), uncounted=(draft,))
        status = MonitorStatus(up=True, runs_below_target=5)

        assert status.of(watched) == MonitorStatus()
