"""Helm, Kubernetes, the Prometheus operator and the Gateway API accept the chart."""

import json
import shutil
import subprocess

from pathlib import Path

import helm_python
import kubernetes_validate
import pytest
import yaml

from alerting.tools import ran
from chart.rendering import (
    CHART,
    EXAMPLES,
    ROOT,
    Document,
    all_of,
    one,
    render,
    values_of,
)


OLDEST, NEWEST = "1.25", "1.37"
NOT_OF_KUBERNETES = ("ServiceMonitor", "PodMonitor", "PrometheusRule", "HTTPRoute")
NODE = shutil.which("node") or "node"

each_example = pytest.mark.parametrize(
    "example", [pytest.param(path, id=path.stem) for path in EXAMPLES]
)


def faults(documents: list[Document]) -> list[list[str]]:
    """Return what the operator's or the Gateway API's models say of each document."""
    done = subprocess.run(  # noqa: S603  our own script
        [NODE, Path(__file__).with_name("models.mjs"), ROOT / ".venv" / "node"],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@each_example
class TestExamples:
    """Every file in ci/, one for each feature."""

    def test_helm_has_nothing_to_complain_of(self, example: Path) -> None:
        """Neither errors nor warnings, strictly."""
        result = helm_python.lint(str(CHART), values_of(example), strict=True)

        assert result["errors"] == []
        assert [each for each in result["messages"] if each["severity"] > 1] == []

    def test_kubernetes_knows_every_key(self, example: Path) -> None:
        """From the oldest version that the chart admits to the newest."""
        for document in render(values_of(example)):
            if document["kind"] not in NOT_OF_KUBERNETES:
                kubernetes_validate.validate(document, OLDEST, strict=True)
                kubernetes_validate.validate(document, NEWEST, strict=True)

    def test_no_name_or_key_is_there_twice(self, example: Path) -> None:
        """Objects of one kind differ in name; YAML with a key twice is refused."""
        documents = render(values_of(example))

        names = [(each["kind"], each["metadata"]["name"]) for each in documents]
        assert len(names) == len(set(names))


class TestValidators:
    """They would see a fault."""

    def test_kubernetes_schema_sees_an_unknown_key(self) -> None:
        """Strictly."""
        service = one(render(), "Service")
        service["spec"]["prots"] = []

        with pytest.raises(kubernetes_validate.ValidationError, match="prots"):
            kubernetes_validate.validate(service, NEWEST, strict=True)

    @pytest.mark.parametrize(
        ("key", "value", "said"),
        [
            pytest.param("intervall", "30s", "intervall", id="unknown key"),
            pytest.param("interval", "often", "interval must match", id="no duration"),
            pytest.param("interval", 30, "must be string", id="wrong type"),
        ],
    )
    def test_operators_models_see_it(self, key: str, value: object, said: str) -> None:
        """In an endpoint."""
        document = one(render({"podMonitor": {"enabled": True}}), "PodMonitor")
        document["spec"]["podMetricsEndpoints"][0][key] = value

        assert said in " ".join(faults([document])[0])

    def test_gateway_api_sees_it(self) -> None:
        """A port in words; and in another, a key that there is not."""
        example = values_of(CHART / "ci/http-route-values.yaml")
        words, hosts = (one(render(example), "HTTPRoute") for _ in range(2))
        words["spec"]["rules"][0]["backendRefs"][0]["port"] = "http"
        hosts["spec"]["hosts"] = []

        said = faults([words, hosts])

        assert "port must be integer" in " ".join(said[0])
        assert '"hosts"\' does not exist' in " ".join(said[1])


class TestModels:
    """What is of neither Kubernetes itself nor ours, of all examples."""

    def test_they_know_every_key(self) -> None:
        """By schema and by type."""
        documents = [
            document
            for path in EXAMPLES
            for document in render(values_of(path))
            if document["kind"] in NOT_OF_KUBERNETES
        ]

        assert {each["kind"] for each in documents} == set(NOT_OF_KUBERNETES)
        assert faults(documents) == [[]] * len(documents)


class TestRules:
    """The PrometheusRules of all examples."""

    @each_example
    def test_promtool_accepts_them(self, example: Path, tmp_path: Path) -> None:
        """As the operator hands them on to Prometheus."""
        for found in all_of(render(values_of(example)), "PrometheusRule"):
            rules = tmp_path / "rules.yml"
            rules.write_text(yaml.safe_dump(found["spec"]), encoding="utf-8")
            done = ran("promtool", "check", "rules", rules)
            assert done.returncode == 0, done.stderr


class TestPackage:
    """The archive that is published."""

    def test_it_renders_like_the_folder(self, tmp_path: Path) -> None:
        """Rules and dashboards are in it."""
        everything = {
            "prometheusRule": {"enabled": True},
            "dashboards": {"enabled": True},
        }

        helm_python.package(str(CHART), destination=str(tmp_path))

        (archive,) = tmp_path.glob("answerprobe-*.tgz")
        with (
            helm_python.Chart.load(str(archive)) as packed,
            helm_python.Chart.load(str(CHART)) as folder,
        ):
            assert packed.render(everything, name="a", namespace="b") == folder.render(
                everything, name="a", namespace="b"
            )
