"""What a monitor's runs, status and spending come to."""

from dataclasses import replace

import pytest

from answerprobe.case import Conversation, Threshold
from answerprobe.metrics.negotiation import Format
from answerprobe.monitor import Monitor
from answerprobe.passrate import Counted
from answerprobe.run import RunState, Trigger
from answerprobe.sample import (
    ErrorReason,
    Speaker,
    Termination,
    TokenRole,
    TokenUsage,
    Turn,
)
from answerprobe.status import (
    Cause,
    DeployComparison,
    MonitorStatus,
    Pause,
    advance,
)
from answerprobe.verdict import Outcome
from metrics.making import (
    LONG_AGO,
    NOW,
    Shown,
    make_case,
    make_monitor,
    make_run,
    make_sample,
)


@pytest.fixture
def shown() -> Shown:
    """No monitors yet."""
    return Shown()


@pytest.fixture
def monitor(shown: Shown) -> Monitor:
    """A declared monitor of two cases."""
    cases = (make_case("hours", "contains", "contains#2"), make_case("place"))
    return shown.declare(make_monitor(cases=cases, stream=True, token_budget=500))


class TestRunFinished:
    """A counted run."""

    def test_counts_samples_by_case_and_outcome(
        self, shown: Shown, monitor: Monitor
    ) -> None:
        """Each case for itself."""
        shown.finish(
            monitor,
            make_run(
                make_sample(),
                make_sample(Outcome.NOT_JUDGED),
                make_sample(Outcome.ERROR, case_id="place", reason=ErrorReason.DNS),
            ),
        )

        counted = {key for key, n in shown.all("samples_total").items() if n == 1}
        assert counted == {
            ("hours", "pass"),
            ("hours", "not_judged"),
            ("place", "error"),
        }
        errors = {key for key, n in shown.all("sample_errors_total").items() if n}
        assert errors == {("dns",)}

    def test_counts_failed_criteria(self, shown: Shown, monitor: Monitor) -> None:
        """By their label; one that nobody configured makes no series."""
        shown.finish(
            monitor,
            make_run(make_sample(Outcome.FAIL, failed=("contains#2", "invented"))),
        )

        assert shown.all("criterion_failures_total", case="hours") == {
            ("answered",): 0,
            ("contains",): 0,
            ("contains#2",): 1,
        }

    def test_counts_the_run(self, shown: Shown, monitor: Monitor) -> None:
        """By what started it."""
        shown.finish(monitor, make_run(make_sample(), trigger=Trigger.DEPLOY))

        counted = {key: n for key, n in shown.all("runs_total").items() if n}
        assert counted == {("deploy", "completed"): 1}

    def test_measures_answers_only(self, shown: Shown, monitor: Monitor) -> None:
        """A timeout is no answer; bounds belong to their bucket."""
        shown.finish(
            monitor,
            make_run(
                make_sample(seconds=0.25, first_token_seconds=0.05),
                make_sample(Outcome.FAIL, seconds=500.0),
                make_sample(Outcome.ERROR, seconds=20.0, reason=ErrorReason.TIMEOUT),
            ),
        )

        buckets = shown.all("answer_duration_seconds_bucket")
        assert (buckets["0.1",], buckets["0.25",], buckets["300.0",]) == (0, 1, 1)
        assert buckets["+Inf",] == shown.value("answer_duration_seconds_count") == 2
        assert shown.value("answer_duration_seconds_sum") == 500.25
        assert shown.value("first_token_seconds_count") == 1
        assert shown.value("first_token_seconds_sum") == 0.05

    def test_adds_up_over_runs(self, shown: Shown, monitor: Monitor) -> None:
        """Counters are the process's own and only grow."""
        status = shown.finish(monitor, make_run(make_sample(), make_sample()))
        shown.finish(monitor, make_run(make_sample(seconds=0.01)), status)

        assert shown.value("samples_total", case="hours", outcome="pass") == 3
        assert shown.all("answer_duration_seconds_bucket")["0.05",] == 1
        assert shown.value("answer_duration_seconds_count") == 3

    def test_exemplars_lead_to_the_run(self, shown: Shown, monitor: Monitor) -> None:
        """On what went wrong and on durations, in OpenMetrics."""
        failed = make_sample(Outcome.FAIL, seconds=0.2, failed=("contains",))
        shown.finish(monitor, make_run(failed, make_sample(case_id="place"), run_id=42))

        lines = shown.text(Format.OPENMETRICS).splitlines()
        at = f"{NOW.timestamp() + 0.2:.3f}"
        found = {
            line.split("{")[0]: line.partition(" # ")[2]
            for line in lines
            if line[0] != "#" and " # " in line
        }
        assert found == {
            "answerprobe_samples_total": f'{{run_id="42"}} 1 {at}',
            "answerprobe_criterion_failures_total": f'{{run_id="42"}} 1 {at}',
            "answerprobe_answer_duration_seconds_bucket": f'{{run_id="42"}} 0.2 {at}',
        }

    def test_a_case_that_left_meanwhile_is_not_counted(
        self, shown: Shown, monitor: Monitor
    ) -> None:
        """A reload can come while a run goes on."""
        run = make_run(make_sample(), make_sample(case_id="place"))
        status = advance(MonitorStatus(), monitor, run)
        shown.declare(make_monitor(cases=monitor.cases[1:], definition="2"))

        shown.metrics.run_finished(run, status)

        assert shown.value("samples_total", case="place", outcome="pass") == 1
        assert not shown.all("samples_total", case="hours")


class TestShowStatus:
    """What the last counted run says."""

    def test_shows_the_last_run(self, shown: Shown, monitor: Monitor) -> None:
        """Restored from the store it is the same as after the run."""
        run = make_run(
            make_sample(), make_sample(Outcome.FAIL, case_id="place"), run_id=1_234_567
        )
        status = shown.finish(monitor, run)
        after = shown.text()

        restored = Shown()
        restored.declare(monitor)
        restored.metrics.show_status("shop", status)

        assert 'answerprobe_last_run_id{monitor="shop"} 1234567\n' in after
        assert restored.value("up") == 1
        assert restored.value("run_pass_ratio") == 0.5
        assert restored.value("last_run_duration_seconds") == 3
        assert restored.value("last_run_timestamp_seconds") == NOW.timestamp() + 3
        assert restored.value("consecutive_runs_below_target") == 1
        assert restored.all("case_passing") == {("hours",): 1, ("place",): 0}
        assert restored.all("case_pass_ratio") == {("hours",): 1, ("place",): 0}
        assert restored.all("case_consecutive_failed_runs") == {
            ("hours",): 0,
            ("place",): 1,
        }
        for name in ("run_slowness_ratio", "case_pass_ratio_lower_bound"):
            assert restored.all(name) == shown.all(name)

    def test_a_run_that_was_not_judged_has_no_ratio(
        self, shown: Shown, monitor: Monitor
    ) -> None:
        """It is absent, not 0; so is whether an undecided case passes."""
        status = shown.finish(monitor, make_run(make_sample()))
        assert shown.value("case_passing", case="hours") == 1

        shown.finish(monitor, make_run(make_sample(Outcome.NOT_JUDGED)), status)

        assert shown.value("run_pass_ratio") is None
        assert shown.value("case_passing", case="hours") is None
        assert shown.value("case_pass_ratio", case="hours") == 1
        assert shown.value("up") == 1

    def test_a_regression_names_its_cause(self, shown: Shown, monitor: Monitor) -> None:
        """One of the two is 1."""
        status = MonitorStatus()
        for _ in range(3):
            status = advance(status, monitor, make_run(make_sample()))
        status = advance(
            status, monitor, make_run(make_sample(Outcome.FAIL)), {"hours": Cause.JUDGE}
        )

        shown.metrics.show_status("shop", status)

        assert shown.all("case_regressed", case="hours") == {
            ("agent",): 0,
            ("judge",): 1,
        }

    def test_a_threshold_shows_its_bar_and_bounds_as_sure(self, shown: Shown) -> None:
        """The bar of that case alone; a bound of 90% lies above one of 95%."""
        bar = Threshold(samples=5, above=0.6, confidence=0.9)
        cases = (replace(make_case("hours"), bar=bar), make_case("place"))
        monitor = shown.declare(make_monitor(cases=cases))

        shown.finish(monitor, make_run(make_sample(), make_sample(case_id="place")))

        assert shown.all("case_threshold_ratio") == {("hours",): 0.6}
        assert shown.all("case_pass_ratio_lower_bound") == {
            ("hours",): pytest.approx(0.2699, abs=5e-5),
            ("place",): pytest.approx(0.2065, abs=5e-5),
        }

    def test_a_bar_goes_with_its_threshold(self, shown: Shown) -> None:
        """It is gone when the case has a quorum again."""
        case = make_case("hours")
        bar = Threshold(samples=5, above=0.6)
        shown.declare(make_monitor(cases=(replace(case, bar=bar),)))

        shown.declare(make_monitor(cases=(case,), definition="2"))

        assert shown.all("case_threshold_ratio") == {}

    @pytest.mark.usefixtures("monitor")
    def test_a_deploy_shows_how_it_compares_once_that_is_known(
        self, shown: Shown
    ) -> None:
        """Nothing of it before."""
        deploy = DeployComparison(
            version="2",
            first_run_id=7,
            of_runs=10,
            before=Counted(30, 30),
            before_runs=10,
            after=Counted(18, 27),
            after_runs=9,
        )
        shown.metrics.show_status("shop", MonitorStatus(deploy=deploy))
        assert shown.all("last_deploy_result") == {}

        whole = replace(deploy, after=Counted(20, 30), after_runs=10)
        shown.metrics.show_status("shop", MonitorStatus(deploy=whole))

        assert shown.all("last_deploy_result") == {
            ("improved",): 0,
            ("regressed",): 1,
            ("no_detectable_difference",): 0,
        }
        name = "last_deploy_pass_ratio_difference"
        assert shown.value(name) == pytest.approx(-1 / 3)
        assert shown.value(f"{name}_lower_bound") == pytest.approx(-0.5122, abs=5e-5)
        assert shown.value(f"{name}_upper_bound") == pytest.approx(-0.1523, abs=5e-5)

    def test_down_is_0(self, shown: Shown, monitor: Monitor) -> None:
        """No sample of the last run was answered."""
        sample = make_sample(Outcome.ERROR, reason=ErrorReason.CONNECT)

        shown.finish(monitor, make_run(sample))

        assert shown.value("up") == 0
        assert shown.value("consecutive_runs_down") == 1
        assert shown.value("run_slowness_ratio") is None


class TestOtherEvents:
    """What happens beside counted runs."""

    @pytest.mark.usefixtures("monitor")
    def test_other_runs_only_count(self, shown: Shown) -> None:
        """Exploratory, interrupted and skipped ones move nothing else."""
        before = set(shown.text().splitlines())

        shown.metrics.run_counted("shop", Trigger.DRY_RUN, RunState.COMPLETED)
        shown.metrics.run_counted("shop", Trigger.MANUAL, RunState.INTERRUPTED)
        shown.metrics.run_skipped("shop")

        common = 'answerprobe_runs_total{monitor="shop",trigger='
        assert set(shown.text().splitlines()) - before == {
            f'{common}"dry_run",state="completed"}} 1',
            f'{common}"manual",state="interrupted"}} 1',
            f'{common}"schedule",state="skipped"}} 1',
        }

    def test_tokens_and_cost_add_up(self, shown: Shown) -> None:
        """By role, kind and whether they are estimated."""
        shown.metrics.declare(
            make_monitor(), first_seen=LONG_AGO, priced_roles=[TokenRole.AGENT]
        )
        usage = TokenUsage(input_tokens=100, output_tokens=20)
        guess = TokenUsage(input_tokens=7, estimated=True)

        shown.metrics.tokens("shop", TokenRole.AGENT, usage, 0.25)
        shown.metrics.tokens("shop", TokenRole.AGENT, usage, 0.25)
        shown.metrics.tokens("shop", TokenRole.JUDGE, guess)

        assert {k: n for k, n in shown.all("tokens_total").items() if n} == {
            ("agent", "input", "false"): 200,
            ("agent", "output", "false"): 40,
            ("judge", "input", "true"): 7,
        }
        assert shown.all("cost_dollars_total") == {("agent",): 0.5}

    @pytest.mark.usefixtures("monitor")
    def test_a_pause_is_shown_with_its_reason(self, shown: Shown) -> None:
        """And ends again."""
        shown.metrics.paused("shop", Pause.BUDGET, on=True)
        assert shown.all("paused") == {("budget",): 1, ("manual",): 0}

        shown.metrics.paused("shop", Pause.BUDGET, on=False)
        assert shown.all("paused") == {("budget",): 0, ("manual",): 0}

    @pytest.mark.usefixtures("monitor")
    def test_the_next_run_comes_and_goes(self, shown: Shown) -> None:
        """A paused monitor has none."""
        shown.metrics.next_run("shop", NOW)
        assert shown.value("next_run_timestamp_seconds") == NOW.timestamp()

        shown.metrics.next_run("shop", None)
        assert shown.value("next_run_timestamp_seconds") is None

    @pytest.mark.usefixtures("monitor")
    def test_a_budget_shows_what_is_used(self, shown: Shown) -> None:
        """And when it starts anew."""
        shown.metrics.budget("shop", used_tokens=360, resets_at=NOW)

        assert shown.value("token_budget_used_tokens") == 360
        assert shown.value("token_budget_reset_timestamp_seconds") == NOW.timestamp()

    def test_without_a_budget_nothing_is_shown(self, shown: Shown) -> None:
        """Whatever the ledger tells."""
        shown.declare(make_monitor())

        shown.metrics.budget("shop", used_tokens=360, resets_at=NOW)

        assert shown.value("token_budget_used_tokens") is None


class TestConversations:
    """Talks with a simulated user."""

    def test_ends_and_turns_are_counted(self) -> None:
        """At 0 from load on, and each turn's time in the histogram."""
        talk = replace(
            make_case(),
            ask=None,
            conversation=Conversation(persona="A customer.", goal="A refund."),
        )
        shown, monitor = Shown(), make_monitor(cases=(talk,))
        shown.declare(monitor)
        ended = dict.fromkeys(Termination, 0)
        assert len(shown.all("conversations_total", case="hours")) == len(ended)
        turns = (
            Turn(speaker=Speaker.USER, text="Hi"),
            Turn(speaker=Speaker.AGENT, text="Yes?", duration_seconds=0.25),
            Turn(speaker=Speaker.USER, text="Bye"),
            Turn(speaker=Speaker.AGENT, text="Bye.", duration_seconds=0.5),
        )
        sample = replace(
            make_sample(seconds=0.5), turns=turns, termination=Termination.USER_DONE
        )

        shown.finish(monitor, make_run(sample))

        done = shown.value("conversations_total", case="hours", termination="user_done")
        assert done == 1
        assert shown.value("conversation_turns_sum") == 2
        assert shown.value("answer_duration_seconds_count") == 2
        assert shown.value("answer_duration_seconds_sum") == 0.75
