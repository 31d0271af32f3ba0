"""What the shipped rules rely on is there: families, headings, dashboards, labels."""

import json
import re

import pytest

from alerting.tools import ROOT, Rule, shipped_alerts, shipped_rules
from answerprobe.metrics._base import Family, Kind
from answerprobe.metrics.exporter_families import ExporterFamily
from answerprobe.metrics.families import MonitorFamily


# Not within the name of a recorded series, which is level:metric:operation.
_METRIC = re.compile(r"(?<![\w:])answerprobe_\w+(?![\w:])")
_RECORDED = re.compile(r"\w+:[a-z]\w*:\w+")
_POD_LABELS = {"instance", "pod", "node", "container", "endpoint", "service"}


def families() -> list[Family]:
    """Return all families that the program can export."""
    own = [member.family for member in ExporterFamily]
    return [*own, *(member.family for member in MonitorFamily)]


def exported_names() -> set[str]:
    """Return the names of all series that the program can export."""
    histogram = ("_bucket", "_sum", "_count")
    return {
        family.name + tail
        for family in families()
        for tail in (histogram if family.kind is Kind.HISTOGRAM else ("",))
    }


def texts(rule: Rule) -> str:
    """Return all in *rule* that can name a metric."""
    return "\n".join([rule.expr, *rule.annotations.values()])


def named(rules: list[Rule]) -> pytest.MarkDecorator:
    """Return the decorator that runs a test for each of *rules*."""
    values = [
        pytest.param(rule, id=f"{rule.name}-{position}")
        for position, rule in enumerate(rules)
    ]
    return pytest.mark.parametrize("rule", values)


each_rule = named(shipped_rules())
each_alert = named(shipped_alerts())


class TestNames:
    """Every name in the rules means something."""

    @each_rule
    def test_each_metric_is_exported(self, rule: Rule) -> None:
        """Expressions and texts use families of the program only."""
        used = set(_METRIC.findall(texts(rule)))

        assert used <= exported_names()

    def test_each_recorded_series_is_used(self) -> None:
        """Nothing is recorded for nobody, and nothing read that nobody records."""
        rules = shipped_rules()
        recorded = {rule.record for rule in rules if rule.record}

        used = set(_RECORDED.findall("\n".join(map(texts, rules))))

        assert used == recorded

    @each_alert
    def test_labels_hold_no_values_and_no_texts(self, rule: Rule) -> None:
        """A label that changes would be a new alert at every evaluation."""
        assert not [value for value in rule.labels.values() if "{{" in value]

    @each_alert
    def test_severity_can_be_routed(self, rule: Rule) -> None:
        """There are three severities."""
        assert rule.labels["severity"] in {"critical", "warning", "info"}

    @each_alert
    def test_the_runbook_has_a_section_about_it(self, rule: Rule) -> None:
        """`runbook_url` leads to a heading that exists, with all that one needs."""
        runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")

        section = runbook.split(f"\n## {rule.alert}\n")[1].split("\n## ")[0]

        anchor = f"docs/runbook.md#{rule.alert.lower()}"
        assert rule.annotations["runbook_url"].endswith(anchor)
        for part in ("**Means**", "**Confirm**", "**Do**", "**Silence**"):
            assert part in section

    @each_alert
    def test_texts_are_there(self, rule: Rule) -> None:
        """Each alert says in a line what is wrong, and below it what is known."""
        assert set(rule.annotations) == {"summary", "description", "runbook_url"}
        assert "\n" not in rule.annotations["summary"]

    @each_alert
    def test_links_lead_to_dashboards_that_exist(self, rule: Rule) -> None:
        """A dashboard that a text links to is one of ours."""
        boards = {
            json.loads(path.read_text(encoding="utf-8"))["uid"]
            for path in (ROOT / "grafana").glob("*.json")
        }

        linked = set(re.findall(r"/d/([\w-]+)", rule.annotations["description"]))

        assert linked <= boards

    def test_what_tells_replicas_apart_is_aggregated_away(self) -> None:
        """No aggregation forgets one of the labels that a replaced pod changes."""
        clauses = [
            set(re.split(r",\s*", clause))
            for rule in shipped_rules()
            for clause in re.findall(r"without \(([^)]*)\)", rule.expr)
        ]

        assert clauses
        for clause in clauses:
            assert clause >= _POD_LABELS or clause <= {"outcome", "sha256"}
