"""What the shipped rules rely on is there: families, headings, dashboards, labels."""

import json
import re

import pytest

from alerting.tools import ROOT, shipped_alerts, shipped_rules
from answerprobe.metrics._base import Kind
from answerprobe.metrics.exporter_families import ExporterFamily
from answerprobe.metrics.families import MonitorFamily


# Not within the name of a recorded rule (level:metric:operation) or of anything else.
_METRIC = re.compile(r"(?<![\w:])answerprobe_\w+(?![\w:])")
_POD_LABELS = {"instance", "pod", "node", "container", "endpoint", "service"}


def exported_names() -> set[str]:
    """Return the names of all series that the program can export."""
    names = set()
    for member in (*MonitorFamily, *ExporterFamily):
        family = member.family
        tails = (
            ("_bucket", "_sum", "_count") if family.kind is Kind.HISTOGRAM else ("",)
        )
        names |= {family.name + tail for tail in tails}
    return names


def annotations(rule: dict[str, object]) -> dict[str, str]:
    """Return the texts of *rule*."""
    found = rule["annotations"]
    assert isinstance(found, dict)
    return found


def label_values(rule: dict[str, object]) -> list[str]:
    """Return the values of the labels that *rule* gives."""
    found = rule.get("labels", {})
    assert isinstance(found, dict)
    return [str(value) for value in found.values()]


each_alert = pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, id=f"{i}-{rule['alert']}")
        for i, rule in enumerate(shipped_alerts())
    ],
)


class TestNames:
    """Every name in the rules means something."""

    @pytest.mark.parametrize(
        "rule",
        [
            pytest.param(rule, id=f"{i}-{rule.get('alert', rule.get('record'))}")
            for i, rule in enumerate(shipped_rules())
        ],
    )
    def test_each_metric_is_exported(self, rule: dict[str, object]) -> None:
        """Expressions and texts use families of the program only."""
        texts = [str(rule["expr"]), *map(str, rule.get("annotations", {}).values())]  # type: ignore[attr-defined]  # read from YAML

        used = set(_METRIC.findall("\n".join(texts)))

        assert used <= exported_names()

    def test_each_recorded_series_is_used(self) -> None:
        """Nothing is recorded for nobody, and nothing read that nobody records."""
        rules = shipped_rules()
        recorded = {str(rule["record"]) for rule in rules if "record" in rule}
        text = "\n".join(f"{r['expr']}\n{r.get('annotations', '')}" for r in rules)

        used = set(re.findall(r"\w+:[a-z]\w*:\w+", text))

        assert used == recorded

    @each_alert
    def test_labels_hold_no_values_and_no_texts(self, rule: dict[str, object]) -> None:
        """A label that changes would be a new alert at every evaluation."""
        assert not [value for value in label_values(rule) if "{{" in value]

    @each_alert
    def test_severity_is_one_that_can_be_routed(self, rule: dict[str, object]) -> None:
        """There are three severities."""
        assert {"critical", "warning", "info"} & set(label_values(rule))

    @each_alert
    def test_the_runbook_has_a_heading_for_it(self, rule: dict[str, object]) -> None:
        """`runbook_url` leads to a heading that exists, with all that it promises."""
        name = str(rule["alert"])
        text = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")

        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]

        assert annotations(rule)["runbook_url"].endswith(f"runbook.md#{name.lower()}")
        for part in ("**Means**", "**Confirm**", "**Do**", "**Silence**"):
            assert part in section

    @each_alert
    def test_texts_are_there(self, rule: dict[str, object]) -> None:
        """Each alert says in a line what is wrong, and below it what is known."""
        texts = annotations(rule)

        assert set(texts) == {"summary", "description", "runbook_url"}
        assert "\n" not in texts["summary"]

    @each_alert
    def test_links_lead_to_dashboards_that_exist(self, rule: dict[str, object]) -> None:
        """A dashboard that a text links to is one of ours."""
        boards = {
            json.loads(path.read_text(encoding="utf-8"))["uid"]
            for path in (ROOT / "grafana").glob("*.json")
        }

        linked = set(re.findall(r"/d/([\w-]+)", annotations(rule)["description"]))

        assert linked <= boards

    def test_whatever_tells_replicas_apart_is_aggregated_away(self) -> None:
        """No aggregation forgets one of the labels that a replaced pod changes."""
        clauses = [
            set(re.split(r",\s*", clause))
            for rule in shipped_rules()
            for clause in re.findall(r"without \(([^)]*)\)", str(rule["expr"]))
        ]

        assert clauses
        for clause in clauses:
            assert clause >= _POD_LABELS or clause <= {"outcome", "sha256"}
