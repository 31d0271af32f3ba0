"""Which monitors are shown, and how."""

import pytest

from answerprobe.metrics import AnswerInfo
from answerprobe.monitor import AnswerStorage, Monitor
from answerprobe.passrate import Counted
from answerprobe.run import RunState, Trigger
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.status import DeployComparison, MonitorStatus, Pause
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


def fails(
    case_id: str = "hours", since: int = 1, answer: str = "At ten."
) -> AnswerInfo:
    """Return a failing case to show."""
    return AnswerInfo(
        case_id=case_id,
        failing_since_run=since,
        answer=answer,
        last_good_answer="At nine.",
        reason="contains",
    )


@pytest.fixture
def shown() -> Shown:
    """No monitors yet."""
    return Shown()


class TestDeclare:
    """A monitor that is loaded."""

    @pytest.mark.parametrize(
        ("name", "count"),
        [
            pytest.param("runs_total", 15, id="runs"),
            pytest.param("samples_total", 4, id="samples"),
            pytest.param("sample_errors_total", 17, id="errors"),
            pytest.param("criterion_failures_total", 2, id="criteria"),
            pytest.param("tokens_total", 12, id="tokens"),
            pytest.param("answer_duration_seconds_bucket", 14, id="durations"),
            pytest.param("answer_duration_seconds_count", 1, id="durations-count"),
            pytest.param("answer_duration_seconds_sum", 1, id="durations-sum"),
            pytest.param("paused", 2, id="pauses"),
            pytest.param("case_regressed", 2, id="regressed"),
            pytest.param("case_consecutive_failed_runs", 1, id="failed-runs"),
            pytest.param("case_window_samples", 1, id="window"),
            pytest.param("consecutive_runs_below_target", 1, id="below-target"),
            pytest.param("consecutive_runs_down", 1, id="down"),
            pytest.param("consecutive_runs_slow", 1, id="slow"),
        ],
    )
    def test_what_can_be_counted_is_at_0(
        self, shown: Shown, name: str, count: int
    ) -> None:
        """From load on, so that a rate sees the first one."""
        shown.declare(make_monitor(cases=(make_case("hours", "contains"),)))

        assert list(shown.all(name, monitor="shop").values()) == [0] * count

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, id=name)
            for name in (
                *("up", "run_pass_ratio", "run_slowness_ratio"),
                *("last_run_timestamp_seconds", "last_run_duration_seconds"),
                *("last_run_id", "next_run_timestamp_seconds"),
                *("case_passing", "case_pass_ratio", "case_pass_ratio_lower_bound"),
                *("case_answer_info", "last_deploy_timestamp_seconds"),
                *("token_budget_tokens", "token_budget_used_tokens"),
                *("cost_dollars_total", "first_token_seconds_count"),
            )
        ],
    )
    def test_what_is_not_known_is_absent(self, shown: Shown, name: str) -> None:
        """Nothing is claimed of a monitor that never ran."""
        shown.declare(make_monitor())

        assert not shown.all(name)

    def test_its_settings_are_shown(self, shown: Shown) -> None:
        """Alerts need the target, the deadline, the interval and the age."""
        shown.declare(make_monitor(every_seconds=60.0, token_budget=500))

        assert shown.value("target_pass_ratio") == 0.9
        assert shown.value("within_seconds") == 20
        assert shown.value("run_interval_seconds") == 60
        assert shown.value("token_budget_tokens") == 500
        assert (
            shown.value("monitor_first_seen_timestamp_seconds") == LONG_AGO.timestamp()
        )

    def test_on_demand_means_no_interval(self, shown: Shown) -> None:
        """So that it is never stale."""
        shown.declare(make_monitor(every_seconds=None))

        assert shown.value("run_interval_seconds") is None

    def test_only_priced_roles_cost(self, shown: Shown) -> None:
        """Without a price nobody knows."""
        shown.metrics.declare(
            make_monitor(), first_seen=LONG_AGO, priced_roles=[TokenRole.JUDGE]
        )

        assert shown.all("cost_dollars_total") == {("judge",): 0}

    def test_its_labels_are_on_every_series(self, shown: Shown) -> None:
        """Also on those that come later."""
        shown.declare(make_monitor(labels={"team": "ops"}))
        shown.metrics.deployed("shop", "1.0", NOW)
        shown.metrics.answers("shop", [fails()])

        lines = [line for line in shown.text().splitlines() if line[0] != "#"]
        assert all('{monitor="shop",team="ops"' in line for line in lines)


class TestDeclareAgain:
    """A monitor that changed, or did not."""

    @pytest.fixture
    def used(self, shown: Shown) -> Monitor:
        """A monitor with two cases and something in every kind of series."""
        cases = (make_case("hours", "contains"), make_case("place"))
        monitor = shown.declare(make_monitor(cases=cases, token_budget=500))
        samples = (
            make_sample(Outcome.FAIL, failed=("contains",)),
            make_sample(case_id="place"),
        )
        shown.finish(monitor, make_run(*samples))
        shown.metrics.tokens("shop", TokenRole.AGENT, TokenUsage(input_tokens=9))
        shown.metrics.paused("shop", Pause.MANUAL, on=True)
        shown.metrics.budget("shop", used_tokens=9, resets_at=NOW)
        shown.metrics.deployed("shop", "1.0", NOW)
        shown.metrics.answers("shop", [fails()])
        return monitor

    def test_unchanged_leaves_every_value(self, shown: Shown, used: Monitor) -> None:
        """Nothing is rendered again."""
        touched = shown.store.watch()
        touched.clear()

        shown.declare(used)

        assert not touched

    def test_what_stays_keeps_its_value(self, shown: Shown, used: Monitor) -> None:
        """Another target ratio changes that one line."""
        before = set(shown.text().splitlines())

        shown.declare(
            make_monitor(
                cases=used.cases, token_budget=500, every_seconds=60.0, definition="2"
            )
        )

        assert before ^ set(shown.text().splitlines()) == {
            'answerprobe_run_interval_seconds{monitor="shop"} 3600.0',
            'answerprobe_run_interval_seconds{monitor="shop"} 60.0',
        }

    def test_a_case_that_left_takes_its_series_along(
        self, shown: Shown, used: Monitor
    ) -> None:
        """The other one's stay, whichever came first."""
        shown.declare(make_monitor(cases=used.cases[1:], definition="2"))

        assert not shown.all("samples_total", case="hours")
        assert not shown.all("case_answer_info")
        assert shown.value("samples_total", case="place", outcome="pass") == 1
        assert shown.value("case_passing", case="place") == 1

    def test_a_case_with_another_meaning_has_no_status(
        self, shown: Shown, used: Monitor
    ) -> None:
        """What it counted stays, what was said of it does not."""
        cases = (make_case("hours", "contains", definition="2"), used.cases[1])

        shown.declare(make_monitor(cases=cases, definition="2"))

        assert shown.value("case_passing", case="hours") is None
        assert shown.value("case_window_samples", case="hours") == 0
        assert shown.value("samples_total", case="hours", outcome="fail") == 1
        assert not shown.all("case_answer_info")

    def test_other_labels_are_other_series(self, shown: Shown, used: Monitor) -> None:
        """Counters start anew, what the last run said is shown on."""
        labels = {"team": "ops"}

        shown.declare(make_monitor(cases=used.cases, labels=labels, definition="2"))

        assert shown.value("samples_total", case="place", outcome="pass") == 0
        assert shown.value("up", team="ops") == 1
        assert shown.value("last_deploy_timestamp_seconds", team="ops", version="1.0")
        assert shown.value("case_answer_info", team="ops") == 1
        assert 'monitor="shop"}' not in shown.text()

    @pytest.mark.usefixtures("used")
    def test_a_dropped_budget_is_absent(self, shown: Shown) -> None:
        """Nothing is left of it."""
        shown.declare(make_monitor(definition="2"))

        assert shown.value("token_budget_tokens") is None
        assert shown.value("token_budget_used_tokens") is None
        assert shown.value("token_budget_reset_timestamp_seconds") is None

    def test_withheld_it_comes_back_as_it_was(
        self, shown: Shown, used: Monitor
    ) -> None:
        """Nothing is shown of it meanwhile, and its counters go on."""
        shown.declare(make_monitor("other"))
        before = sorted(shown.text().splitlines())
        shown.metrics.withhold("shop")
        withheld = shown.text()
        shown.declare(used)

        assert 'monitor="shop"' not in withheld
        assert sorted(shown.text().splitlines()) == before

    def test_withheld_and_removed_it_starts_anew(
        self, shown: Shown, used: Monitor
    ) -> None:
        """It left the configuration meanwhile."""
        shown.metrics.withhold("shop")
        shown.metrics.remove("shop")
        shown.declare(used)

        name = "runs_total"
        assert shown.value(name, trigger="manual", state="completed") == 0


class TestRemove:
    """A monitor that left the configuration."""

    def test_leaves_nothing(self, shown: Shown) -> None:
        """And does not hurt its neighbours."""
        shown.declare(make_monitor("shop"))
        shown.declare(make_monitor("other"))
        shown.metrics.answers("shop", [fails()])

        shown.metrics.remove("shop")

        assert 'monitor="shop"' not in shown.text()
        assert shown.value("target_pass_ratio", monitor="other") == 0.9

    def test_what_is_told_of_it_later_is_dropped(self, shown: Shown) -> None:
        """Its last run may end after the reload."""
        monitor = shown.declare(make_monitor())
        shown.metrics.remove("shop")
        empty = shown.text()

        shown.finish(monitor, make_run(make_sample()))
        shown.metrics.run_counted("shop", Trigger.MANUAL, RunState.INTERRUPTED)
        shown.metrics.run_skipped("shop")
        shown.metrics.tokens("shop", TokenRole.AGENT, TokenUsage(input_tokens=9))
        shown.metrics.paused("shop", Pause.MANUAL, on=True)
        shown.metrics.next_run("shop", NOW)
        shown.metrics.budget("shop", used_tokens=9, resets_at=NOW)
        shown.metrics.deployed("shop", "1.0", NOW)
        shown.metrics.answers("shop", [fails()])
        shown.metrics.remove("shop")

        assert shown.text() == empty


class TestDeployed:
    """Deploys."""

    def test_only_the_latest_is_shown(self, shown: Shown) -> None:
        """The version before is gone; its text is harmless."""
        shown.declare(make_monitor())

        shown.metrics.deployed("shop", "1.0", LONG_AGO)
        shown.metrics.deployed("shop", "2\n\udc00" + "x" * 500, NOW)

        ((version, at),) = shown.all("last_deploy_timestamp_seconds").items()
        assert at == NOW.timestamp()
        assert version[0].startswith("2 \ufffdxxx")
        assert len(version[0]) == 100

    def test_a_newer_version_takes_away_what_was_found_of_the_older(
        self, shown: Shown
    ) -> None:
        """It would be read as the newer one's; also after a restart."""
        deploy = DeployComparison(
            version="3",
            first_run_id=1,
            of_runs=1,
            before=Counted(3, 3),
            before_runs=1,
            after=Counted(0, 3),
            after_runs=1,
        )
        shown.declare(make_monitor())
        shown.metrics.deployed("shop", "3", LONG_AGO)
        shown.metrics.show_status("shop", MonitorStatus(deploy=deploy))
        assert shown.value("last_deploy_result", result="regressed") == 1

        shown.metrics.deployed("shop", "4", NOW)
        shown.metrics.show_status("shop", MonitorStatus(deploy=deploy))

        assert shown.all("last_deploy_result") == {}


class TestAnswers:
    """Failing cases' answers."""

    def test_are_shown_with_the_last_good_one(self, shown: Shown) -> None:
        """Both texts and the reason are labels; what is missing is empty."""
        shown.declare(make_monitor())

        shown.metrics.answers(
            "shop",
            [
                AnswerInfo(
                    case_id="hours",
                    failing_since_run=3,
                    answer=None,
                    last_good_answer='At "nine".',
                    reason="timeout",
                )
            ],
        )

        assert shown.all("case_answer_info", case="hours") == {
            ("", 'At "nine".', "timeout"): 1
        }

    def test_another_answer_takes_the_place(self, shown: Shown) -> None:
        """One series a case; none when it passes again."""
        shown.declare(make_monitor())
        shown.metrics.answers("shop", [fails(answer="At ten.")])

        shown.metrics.answers("shop", [fails(answer="Never.")])
        assert shown.all("case_answer_info", answer="Never.")
        assert len(shown.all("case_answer_info")) == 1

        shown.metrics.answers("shop", [])
        assert not shown.all("case_answer_info")

    @pytest.mark.parametrize(
        "monitor",
        [
            pytest.param(make_monitor(answers=AnswerStorage.NONE), id="none-kept"),
            pytest.param(make_monitor(alert_answers=False), id="not-in-alerts"),
        ],
    )
    def test_are_not_shown_where_that_is_not_wanted(
        self, shown: Shown, monitor: Monitor
    ) -> None:
        """Whatever is told."""
        shown.declare(monitor)

        shown.metrics.answers("shop", [fails()])

        assert not shown.all("case_answer_info")

    def test_make_room_for_others(self, shown: Shown) -> None:
        """When a monitor's cases pass, the next one's are shown."""
        cases = tuple(make_case(f"c{i}") for i in range(5))
        for number in range(41):
            shown.declare(make_monitor(f"m{number:02}", cases=cases))
            shown.metrics.answers(
                f"m{number:02}", [fails(case.id, number) for case in cases]
            )
        assert not shown.all("case_answer_info", monitor="m40")

        shown.metrics.remove("m00")

        assert len(shown.all("case_answer_info", monitor="m40")) == 5
