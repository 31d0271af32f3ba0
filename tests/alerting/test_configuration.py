"""The example configurations of Alertmanager and Prometheus."""

import pytest

from alerting.tools import ALERTMANAGER, PROMETHEUS, ran


ROUTES = [
    pytest.param(
        {"alertname": "AgentDown", "severity": "critical", "team": "support"},
        "pager,support-chat",
        id="an_agent_that_is_down_calls_somebody_and_tells_its_team",
    ),
    pytest.param(
        {"alertname": "AgentDown", "severity": "critical"},
        "pager",
        id="an_agent_that_is_down_calls_somebody_without_a_team_too",
    ),
    pytest.param(
        {"alertname": "AgentDegraded", "severity": "warning"},
        "chat",
        id="a_degraded_agent_is_told_in_the_channel",
    ),
    pytest.param(
        {"alertname": "AgentDegraded", "severity": "warning", "team": "shopping"},
        "shopping-mail",
        id="a_degraded_agent_is_told_to_its_team",
    ),
    pytest.param(
        {
            "alertname": "AgentDegraded",
            "severity": "warning",
            "tier": "customer-facing",
        },
        "pager",
        id="a_degraded_agent_that_customers_talk_to_calls_somebody",
    ),
    pytest.param(
        {"alertname": "AgentSlow", "severity": "warning", "tier": "customer-facing"},
        "chat",
        id="a_slow_agent_calls_nobody",
    ),
    pytest.param(
        {"alertname": "AgentJudgeChanged", "severity": "info", "team": "support"},
        "digest",
        id="information_goes_into_the_digest",
    ),
    pytest.param(
        {"alertname": "AgentJudgeDrift", "severity": "warning", "judge": "default"},
        "platform-chat",
        id="a_judge_belongs_to_those_who_run_answerprobe",
    ),
    pytest.param(
        {"alertname": "AgentTokenBudgetForecast", "scope": "all_monitors"},
        "platform-chat",
        id="the_budget_of_all_monitors_is_no_single_team's",
    ),
    pytest.param(
        {"alertname": "AnswerprobeDown", "severity": "critical"},
        "platform-pager",
        id="a_missing_watcher_calls_those_who_run_it",
    ),
]


class TestAlertmanager:
    """`deploy/alertmanager/alertmanager.yml`."""

    def test_is_valid(self) -> None:
        """amtool accepts it, with its templates."""
        done = ran("amtool", "check-config", ALERTMANAGER)

        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 templates" in done.stdout

    @pytest.mark.parametrize(("labels", "receivers"), ROUTES)
    def test_routes(self, labels: dict[str, str], receivers: str) -> None:
        """Severity and the monitors' own labels decide who hears of it."""
        pairs = [f"{name}={value}" for name, value in labels.items()]

        done = ran(
            "amtool",
            *("config", "routes", "test", f"--config.file={ALERTMANAGER}"),
            *pairs,
        )

        assert (done.returncode, done.stdout.strip()) == (0, receivers)


class TestPrometheus:
    """`deploy/prometheus/prometheus.yml`."""

    def test_is_valid_with_its_rules(self) -> None:
        """promtool accepts it, and finds the rules from where it lies."""
        done = ran("promtool", "check", "config", PROMETHEUS)

        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 rule files found" in done.stdout
