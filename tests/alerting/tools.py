"""Prometheus' and Alertmanager's own tools, as the tests of what we ship call them."""

import shutil
import subprocess

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml


ROOT = Path(__file__).parents[2]
RULES = ROOT / "alert_rules" / "answerprobe.rules.yml"
ALERTMANAGER = ROOT / "deploy" / "alertmanager" / "alertmanager.yml"
TEMPLATES = ROOT / "deploy" / "alertmanager" / "answerprobe.tmpl"
PROMETHEUS = ROOT / "deploy" / "prometheus" / "prometheus.yml"
HERE = Path(__file__).parent


def ran(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run *program*; skips the test where it is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed; make test does that as root")
    return subprocess.run(  # noqa: S603  # a program of ours and files of ours
        [found, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of ours; *alert* or *record* is its name, the other one empty."""

    alert: str
    record: str
    expr: str
    labels: dict[str, str]
    annotations: dict[str, str]

    @property
    def name(self) -> str:
        """What it alerts of, or records."""
        return self.alert or self.record


def shipped_rules() -> list[Rule]:
    """Return all rules that we ship, in order."""
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [
        Rule(
            alert=rule.get("alert", ""),
            record=rule.get("record", ""),
            expr=str(rule["expr"]),
            labels=rule.get("labels", {}),
            annotations=rule.get("annotations", {}),
        )
        for group in groups
        for rule in group["rules"]
    ]


def shipped_alerts() -> list[Rule]:
    """Return the rules that alert."""
    return [rule for rule in shipped_rules() if rule.alert]
