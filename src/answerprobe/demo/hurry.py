"""The shipped rules and configs, made to watch a demo that changes within seconds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from answerprobe import durations
from answerprobe.shipped import ShippedFile


RULES = "alert_rules/"
PROMETHEUS = "deploy/prometheus/prometheus.yml"
ALERTMANAGER = "deploy/alertmanager/alertmanager.yml"
_INTERVAL = "2s"
_LONGEST_WAIT_SECONDS = 10.0
_WAITS = ("for", "keep_firing_for")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where everything listens, each as `host:port`, and where alerts go."""

    daemon: str
    alertmanager: str
    webhook_url: str


def lay_out(files: Sequence[ShippedFile], folder: Path, addresses: Addresses) -> None:
    """Write *files* into *folder*, hurried, and made to find each other."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        if file.path.startswith(RULES):
            content = hurried_rules(_parsed(file))
        elif file.path == PROMETHEUS:
            content = hurried_prometheus(_parsed(file), folder, addresses)
        elif file.path == ALERTMANAGER:
            content = hurried_alertmanager(_parsed(file), folder, addresses)
        else:
            continue
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        path.write_text(text, encoding="utf-8")


def hurried_rules(rules: dict[str, object]) -> dict[str, object]:
    """Return *rules*, evaluated at the demo's pace, with no wait over 10 s."""
    for group in _objects(rules.get("groups")):
        group.pop("interval", None)
        for rule in _objects(group.get("rules")):
            for wait in _WAITS:
                if wait in rule:
                    seconds = durations.parse(str(rule[wait]))
                    rule[wait] = f"{min(seconds, _LONGEST_WAIT_SECONDS):g}s"
    return rules


def hurried_prometheus(
    config: dict[str, object], folder: Path, addresses: Addresses
) -> dict[str, object]:
    """Return *config* for the demo's daemon alone, asked every two seconds."""
    jobs = [
        {
            **job,
            "scrape_interval": _INTERVAL,
            "scrape_timeout": _INTERVAL,
            "static_configs": [{"targets": [addresses.daemon]}],
        }
        for job in _objects(config.get("scrape_configs"))
        if job.get("job_name") == "answerprobe"
    ]
    alertmanager = {"static_configs": [{"targets": [addresses.alertmanager]}]}
    return {
        **config,
        "global": {"scrape_interval": _INTERVAL, "evaluation_interval": _INTERVAL},
        "rule_files": [str(folder / RULES / "*.rules.yml")],
        "alerting": {"alertmanagers": [alertmanager]},
        "scrape_configs": jobs,
    }


def hurried_alertmanager(
    config: dict[str, object], folder: Path, addresses: Addresses
) -> dict[str, object]:
    """Return *config* with its routes and inhibitions, all delivered to the webhook."""
    for route in _routes(config.get("route")):
        route.update(group_wait="1s", group_interval="2s", repeat_interval="1h")
        for key in ("mute_time_intervals", "active_time_intervals"):
            route.pop(key, None)
    hook = {"url": addresses.webhook_url, "send_resolved": True}
    receivers = [
        {"name": receiver.get("name"), "webhook_configs": [hook]}
        for receiver in _objects(config.get("receivers"))
    ]
    templates = str((folder / ALERTMANAGER).parent / "*.tmpl")
    kept = {key: value for key, value in config.items() if key != "global"}
    return {**kept, "receivers": receivers, "templates": [templates]}


def _parsed(file: ShippedFile) -> dict[str, object]:
    """Return the YAML object in *file*."""
    content = yaml.safe_load(file.content)
    return content if isinstance(content, dict) else {}


def _objects(value: object) -> list[dict[str, object]]:
    """Return the objects in the list *value*."""
    each = value if isinstance(value, list) else []
    return [item for item in each if isinstance(item, dict)]


def _routes(route: object) -> Iterator[dict[str, object]]:
    """Yield *route* and all that are below it."""
    if isinstance(route, dict):
        yield route
        for child in _objects(route.get("routes")):
            yield from _routes(child)
