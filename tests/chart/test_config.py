"""The configuration, from a value to the file that the daemon reads."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from answerprobe.config.loader import load
from answerprobe.secret import SecretSource
from chart.rendering import (
    CHART,
    EXAMPLES,
    ON_POSTGRES,
    ROOT,
    Document,
    all_of,
    container,
    pod,
    render,
    secret,
    values_of,
)
from cli.calling import call


OWN_CONFIG = [path for path in EXAMPLES if "configSecret" not in values_of(path)]


def written(folder: Path, values: Mapping[str, object]) -> Path:
    """Write what *values* mount beside the configuration into *folder*."""
    for name, text in secret(render(values), "-config").items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "answerprobe.yml"


class TestConfig:
    """What is written as `config`."""

    @pytest.mark.parametrize(
        "example", [pytest.param(path, id=path.stem) for path in OWN_CONFIG]
    )
    def test_every_example_passes_check(self, example: Path, tmp_path: Path) -> None:
        """With its lock and files beside it."""
        config = written(tmp_path, values_of(example))

        result = call("check", config, "--allow-missing-secrets")

        assert result.exit_code == 0, result.stderr

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param(5_000_000, id="million"),
            pytest.param(0.1, id="fraction"),
            pytest.param("1:30", id="sexagesimal"),
            pytest.param("0755", id="octal"),
            pytest.param("no", id="no"),
            pytest.param("1e3", id="exponent"),
            pytest.param("2026-01-31", id="date"),
            pytest.param("null", id="null"),
            pytest.param("90%", id="percent"),
            pytest.param("{{ .Values.config }}", id="template"),
            pytest.param("say: \"hi\" # \\ 'x'", id="quotes"),
            pytest.param("<b>&amp;</b>", id="markup"),
            pytest.param("one\ntwo\n\n  three\n", id="lines"),
            pytest.param("\tté 日本 💥", id="unicode"),
            pytest.param(" around ", id="blanks"),
            pytest.param("x" * 3000, id="long"),
            pytest.param([], id="empty list"),
            pytest.param({}, id="empty map"),
            pytest.param(True, id="true"),
        ],
    )
    def test_it_arrives_as_it_was_written(self, value: object) -> None:
        """Whatever Helm and YAML make of texts that look like something else."""
        config = {"defaults": {"x": value}, "monitors": [{"name": value}]}

        text = secret(render({"config": config}), "-config")["answerprobe.yml"]

        assert yaml.safe_load(text) == config

    def test_nothing_is_asked_before_it_is_written(self, tmp_path: Path) -> None:
        """The example runs on demand only."""
        config = load(written(tmp_path, {}), secrets=SecretSource())

        assert [monitor.every_seconds for monitor in config.monitors] == [None]

    def test_what_lies_beside_it_is_mounted_with_it(self) -> None:
        """The lock and files of knowledge, byte for byte."""
        values = {"lock": "a: |\n  b\n\n", "configFiles": {"k.txt": " \té\n"}}

        data = secret(render(values), "-config")

        assert data["answerprobe.lock"] == values["lock"]
        assert data["k.txt"] == " \té\n"

    def test_what_leaves_the_values_leaves_the_secret(self) -> None:
        """An upgrade takes no key out of a Secret that came as `stringData`."""
        values: Document = {
            "lock": "version = 1",
            "secrets": {"TOKEN": "x"},
            "web": {"config": {"basic_auth_users": {"ann": "$2y$10$x"}}},
            **ON_POSTGRES,
        }

        secrets = all_of(render(values), "Secret")

        assert len(secrets) == 4
        for document in secrets:
            assert "stringData" not in document
            assert document["data"]

    def test_a_secret_of_ones_own_replaces_it(self) -> None:
        """Nothing of the chart's is mounted then."""
        documents = render({"configSecret": "mine"})

        volumes = {each["name"]: each for each in pod(documents)["volumes"]}
        assert volumes["config"]["secret"]["secretName"] == "mine"
        assert "answerprobe.yml" not in yaml.safe_dump_all(
            each for each in documents if each["kind"] == "Secret"
        )


class TestGrace:
    """How long a pod may take to end."""

    @pytest.mark.parametrize(
        ("monitor", "seconds"),
        [
            pytest.param({}, 20, id="default"),
            pytest.param({"within": "1m30s"}, 90, id="monitor"),
            pytest.param({"cases": [{"ask": "?", "within": "2m"}]}, 120, id="case"),
            pytest.param(
                {"cases": [{"ask": "?", "expect": [{"answered": {"within": "45s"}}]}]},
                45,
                id="criterion",
            ),
            pytest.param(
                {"within": "30s", "cases": [{"conversation": {"goal": "x"}}]},
                240,
                id="turns",
            ),
            pytest.param(
                {"cases": [{"conversation": {"max_turns": 3}, "within": "0.5m"}]},
                90,
                id="written-turns",
            ),
            pytest.param({"within": "1500ms"}, 2, id="rounded-up"),
        ],
    )
    def test_it_outlasts_the_longest_sample(
        self, monitor: Mapping[str, object], seconds: int
    ) -> None:
        """And Kubernetes waits a little longer than the daemon."""
        case = {"ask": "?", "expect": [{"contains": "x"}]}
        documents = render({"config": {"monitors": [{"cases": [case], **monitor}]}})

        assert f"--shutdown.grace={seconds + 10}s" in container(documents)["args"]
        assert pod(documents)["terminationGracePeriodSeconds"] == seconds + 25

    def test_the_defaults_of_the_configuration_count(self) -> None:
        """As they do for the daemon."""
        config = {
            "defaults": {"within": "50s"},
            "monitors": [{"cases": [{"ask": "?"}]}],
        }

        documents = render({"config": config})

        assert pod(documents)["terminationGracePeriodSeconds"] == 75

    def test_what_can_not_be_seen_gets_a_minute(self) -> None:
        """A Secret's content is not known here."""
        documents = render({"configSecret": "mine"})

        assert "--shutdown.grace=60s" in container(documents)["args"]
        assert pod(documents)["terminationGracePeriodSeconds"] == 75


class TestCopies:
    """What the chart has of other folders; `make chart` renews it."""

    @pytest.mark.parametrize(
        ("folder", "pattern", "copy"),
        [
            pytest.param("alert_rules", "*.rules.yml", "files", id="rules"),
            pytest.param("grafana", "*.json", "files/dashboards", id="dashboards"),
        ],
    )
    def test_they_are_the_very_files(
        self, folder: str, pattern: str, copy: str
    ) -> None:
        """All of them, byte for byte."""
        originals = {p.name: p.read_bytes() for p in (ROOT / folder).glob(pattern)}
        copies = {p.name: p.read_bytes() for p in (CHART / copy).glob(pattern)}

        assert originals
        assert copies == originals


class TestFlags:
    """The daemon's arguments."""

    def test_they_are_flags_of_serve(self) -> None:
        """Every one that any example makes."""
        known = call("serve", "--help").stdout

        for document in map(values_of, EXAMPLES):
            arguments: list[str] = container(render(document))["args"]
            assert arguments[0] == "serve"
            for argument in arguments[1:]:
                assert f"{argument.partition('=')[0]} " in known

    def test_none_has_a_secret_in_it(self) -> None:
        """Arguments are in the list of processes."""
        values: Document = {
            "storage": {"url": "postgresql://u:hush-hush@db/x"},
            "secrets": {"TOKEN": "hush-hush"},
        }

        assert "hush-hush" not in yaml.safe_dump(pod(render(values)))
