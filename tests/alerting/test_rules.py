"""
The shipped rules, played by promtool.

The `*.test.yml` beside this file are ordinary tests for `promtool test rules`. Each of
their tests is a test here, named by its sentence, and one that has a single replica is
played again with a second one that exports the same.
"""

import re

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from alerting.tools import HERE, RULES, ran, shipped_alerts


ALERT_NAMES = sorted({rule.alert for rule in shipped_alerts()})
_ONE, _TWO = 'instance="one"', 'instance="two"'
# What names or counts replicas' own doings reads otherwise with a second one.
_OF_REPLICAS = re.compile(
    r"names (the replica|replicas)|what the judge replied|when the last run was"
)


def documents() -> Iterator[dict[str, object]]:
    """Yield each promtool test with the settings of its file."""
    for path in sorted(HERE.glob("*.test.yml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for test in content.pop("tests"):
            yield {**content, "rule_files": [str(RULES)], "tests": [test]}


def single(document: dict[str, object]) -> dict[str, object]:
    """Return the one test in *document*."""
    tests = document["tests"]
    assert isinstance(tests, list)
    test = tests[0]
    assert isinstance(test, dict)
    return test


def name_of(document: dict[str, object]) -> str:
    """Return the sentence that *document* tests."""
    return str(single(document)["name"])


def series_of(document: dict[str, object]) -> list[dict[str, str]]:
    """Return what *document* has as scraped."""
    series = single(document)["input_series"]
    assert isinstance(series, list)
    return series


def has_one_replica(document: dict[str, object]) -> bool:
    """Whether a second replica may be added without changing what is expected."""
    text = "".join(each["series"] for each in series_of(document))
    return (
        _ONE in text and _TWO not in text and not _OF_REPLICAS.search(name_of(document))
    )


def with_second_replica(document: dict[str, object]) -> dict[str, object]:
    """Return *document* with all that it has of a first replica from a second too."""
    series = series_of(document)
    second = [
        {**each, "series": each["series"].replace(_ONE, _TWO)}
        for each in series
        if _ONE in each["series"]
    ]
    return {
        **document,
        "tests": [{**single(document), "input_series": [*series, *second]}],
    }


def play(document: dict[str, object], folder: Path) -> None:
    """Let promtool test *document*."""
    path = folder / "played.test.yml"
    path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")

    done = ran("promtool", "test", "rules", path)

    assert done.returncode == 0, done.stdout + done.stderr


def parameters(*, one_replica: bool) -> list[object]:
    """Return the tests as parameters; only those with *one_replica*, if asked."""
    return [
        pytest.param(document, id=name_of(document).replace(" ", "_"))
        for document in documents()
        if not one_replica or has_one_replica(document)
    ]


def expectations(alert: str, *, fires: bool) -> list[str]:
    """Return the sentences that expect *alert* to fire, or to stay quiet throughout."""
    wanted = f'alertname="{alert}"'
    found = []
    for document in documents():
        checks = single(document).get("promql_expr_test", [])
        assert isinstance(checks, list)
        of_alert = [c["exp_samples"] for c in checks if wanted in c["expr"]]
        if any(of_alert) if fires else of_alert and not any(of_alert):
            found.append(name_of(document))
    return found


class TestRules:
    """What fires, when, and what it says."""

    @pytest.mark.parametrize("document", parameters(one_replica=False))
    def test_with_the_replicas_as_written(
        self, document: dict[str, object], tmp_path: Path
    ) -> None:
        """The sentence that names the test holds."""
        play(document, tmp_path)

    @pytest.mark.parametrize("document", parameters(one_replica=True))
    def test_with_a_second_replica(
        self, document: dict[str, object], tmp_path: Path
    ) -> None:
        """It holds all the same, and nothing comes twice, where two replicas export."""
        play(with_second_replica(document), tmp_path)

    @pytest.mark.parametrize("alert", [pytest.param(n, id=n) for n in ALERT_NAMES])
    def test_each_alert_is_seen_to_fire_and_to_stay_quiet(self, alert: str) -> None:
        """For each alert a test sees it fire, and one sees it stay quiet."""
        assert expectations(alert, fires=True)
        assert expectations(alert, fires=False)

    def test_promtool_finds_nothing_to_complain_about(self) -> None:
        """The file passes all of promtool's checks."""
        done = ran("promtool", "check", "rules", "--lint=all", "--lint-fatal", RULES)

        assert done.returncode == 0, done.stdout + done.stderr
