"""The shipped rules and configs, as the demo's stack uses them."""

import re

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from answerprobe.demo.hurry import (
    ALERTMANAGER,
    PROMETHEUS,
    Addresses,
    hurried_rules,
    lay_out,
)
from answerprobe.shipped import shipped
from boards import mapping, objects


ADDRESSES = Addresses(
    daemon="127.0.0.1:1",
    alertmanager="127.0.0.1:2",
    webhook_url="http://127.0.0.1:3/alerts",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where everything was laid out."""
    lay_out(shipped(), tmp_path, ADDRESSES)
    return tmp_path


def read(path: Path) -> dict[str, object]:
    """Return the YAML in *path*."""
    return dict(mapping(yaml.safe_load(path.read_text(encoding="utf-8"))))


def routes(route: object) -> Iterator[dict[str, object]]:
    """Yield *route* and those below it."""
    yield dict(mapping(route))
    for child in objects(mapping(route).get("routes", [])):
        yield from routes(child)


class TestRules:
    """Alert rules."""

    def test_no_wait_is_long_and_no_pace_is_its_own(self) -> None:
        """What is short stays; what waits for nothing goes on so."""
        rules: list[dict[str, object]] = [
            {"alert": "A", "expr": "1", "for": "15m", "keep_firing_for": "1h"},
            {"alert": "B", "expr": "1", "for": "3s"},
            {"alert": "C", "expr": "1"},
        ]

        hurried_rules({"groups": [{"name": "g", "interval": "1m", "rules": rules}]})

        assert rules == [
            {"alert": "A", "expr": "1", "for": "10s", "keep_firing_for": "10s"},
            {"alert": "B", "expr": "1", "for": "3s"},
            {"alert": "C", "expr": "1"},
        ]

    def test_every_shipped_alert_is_still_there(self, folder: Path) -> None:
        """With the expression and the text that we ship."""
        for file in shipped():
            if file.path.startswith("alert_rules/"):
                names = re.findall(rb"- alert: (\w+)", file.content)
                text = (folder / file.path).read_bytes()
                assert re.findall(rb"- alert: (\w+)", text) == names


class TestPrometheus:
    """Prometheus' own config."""

    def test_looks_at_the_demo_and_tells_its_alertmanager(self, folder: Path) -> None:
        """Nothing else is scraped."""
        config = read(folder / PROMETHEUS)

        (job,) = objects(config["scrape_configs"])
        assert job["job_name"] == "answerprobe"
        assert job["static_configs"] == [{"targets": ["127.0.0.1:1"]}]
        assert config["alerting"] == {
            "alertmanagers": [{"static_configs": [{"targets": ["127.0.0.1:2"]}]}]
        }
        assert config["rule_files"] == [str(folder / "alert_rules" / "*.rules.yml")]


class TestAlertmanager:
    """Alertmanager's config."""

    def test_all_is_delivered_to_the_webhook_at_once(self, folder: Path) -> None:
        """No receiver is left that would call somebody."""
        config = read(folder / ALERTMANAGER)

        hook = [{"url": "http://127.0.0.1:3/alerts", "send_resolved": True}]
        for receiver in objects(config["receivers"]):
            assert receiver == {"name": receiver["name"], "webhook_configs": hook}
        for route in routes(config["route"]):
            assert route["group_wait"] == "1s"
            assert "active_time_intervals" not in route
        assert "global" not in config

    def test_routes_and_inhibitions_stay(self, folder: Path) -> None:
        """What is muted in earnest is muted here."""
        (file,) = (file for file in shipped() if file.path == ALERTMANAGER)
        original = mapping(yaml.safe_load(file.content))
        config = read(folder / ALERTMANAGER)

        assert config["inhibit_rules"] == original["inhibit_rules"]
        assert [route["receiver"] for route in routes(config["route"])] == [
            route["receiver"] for route in routes(original["route"])
        ]
