"""What may be written as a value, and what is said of the rest."""

import json
import re

from collections.abc import Iterator, Mapping

import pytest
import yaml

from chart.rendering import CHART, ON_POSTGRES, container, refusal, render


VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
# Maps whose keys are the user's or Kubernetes'.
FREE = {
    "config",
    "securityContext",
    "podSecurityContext",
    "dashboards.labels",
    "resources.requests",
    "resources.limits",
}


def maps(tree: Mapping[str, object], above: str = "") -> Iterator[str]:
    """Yield the path of every map of *tree* whose keys are the chart's."""
    yield above
    for key, value in tree.items():
        path = f"{above}.{key}".lstrip(".")
        if isinstance(value, dict) and value and path not in FREE:
            yield from maps(value, path)


def at(path: str, value: object) -> dict[str, object]:
    """Return values that have *value* at *path*."""
    for key in reversed(path.split(".")):
        value = {key: value}
    assert isinstance(value, dict)
    return value


def described(schema: Mapping[str, object]) -> Mapping[str, object]:
    """Return what *schema* says, where it only points elsewhere."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    found = SCHEMA["$defs"][name] if name else schema
    assert isinstance(found, dict)
    return found


class TestSchema:
    """values.schema.json."""

    @pytest.mark.parametrize(
        "path", [pytest.param(p, id=p or "top") for p in maps(VALUES)]
    )
    def test_an_unknown_key_is_refused_by_name(self, path: str) -> None:
        """At every level."""
        message = refusal(at(f"{path}.mistpyed".lstrip("."), 1))

        assert "mistpyed" in message

    @pytest.mark.parametrize(
        "path", [pytest.param(p, id=p or "top") for p in maps(VALUES)]
    )
    def test_it_knows_the_keys_of_the_values(self, path: str) -> None:
        """All of them, and where Kubernetes or Helm has more, those."""
        values, schema = VALUES, SCHEMA
        for key in filter(None, path.split(".")):
            values, schema = values[key], described(schema["properties"][key])

        more = set(schema["properties"]) - set(values)
        assert set(values) <= set(schema["properties"])
        if not path.endswith("Probe"):
            assert more <= {"global", "claims"}

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            pytest.param("replicas", -1, id="negative"),
            pytest.param("replicas", "two", id="words"),
            pytest.param("service.port", 0, id="no port"),
            pytest.param("image", "answerprobe:1", id="text for a map"),
            pytest.param("image.digest", "sha256:abc", id="short digest"),
            pytest.param("serviceMonitor.enabled", "yes", id="switch in words"),
            pytest.param("podMonitor.interval", "often", id="no duration"),
            pytest.param("config", "monitors: []", id="config as text"),
            pytest.param("config.monitors", [], id="no monitors"),
            pytest.param("secrets", {"TOKEN": ""}, id="empty secret"),
            pytest.param("secrets", {"TOKEN": 7}, id="number for a secret"),
            pytest.param("storage.url", "mysql://db/x", id="another database"),
            pytest.param("storage.url", "sqlite:///x.db", id="a file of SQLite"),
            pytest.param("storage.persistence.size", "much", id="no quantity"),
            pytest.param("web.externalUrl", "answers.example.com", id="no scheme"),
            pytest.param("web.routePrefix", "answers", id="no path"),
            pytest.param("log.level", "loud", id="level"),
            pytest.param("ingress.hosts", [], id="no hosts"),
            pytest.param("prometheusRule.thresholds", {"down": 2}, id="no constant"),
            pytest.param(
                "prometheusRule.thresholds", {"down_runs": "2"}, id="text for a number"
            ),
            pytest.param("networkPolicy.egress.ports", [70000], id="no such port"),
            pytest.param("fullnameOverride", "my.probe", id="name with a dot"),
            pytest.param("web.config.tls_server_config", "tls", id="no TLS settings"),
        ],
    )
    def test_nonsense_is_refused(self, path: str, value: object) -> None:
        """Before anything is rendered, with the key."""
        message = refusal(at(path, value))

        assert path.rpartition(".")[2] in message

    def test_what_is_left_empty_makes_no_riddle(self) -> None:
        """A key without a value: the chart does without, or names it."""
        riddles = {}
        for path in filter(None, maps(VALUES)):
            message = refusal(at(path, None))
            name = path.rpartition(".")[2]
            if message and f"missing property '{name}'" not in message:
                riddles[path] = message

        assert riddles == {}

    def test_an_empty_probe_is_none(self) -> None:
        """What `null` says everywhere in Helm."""
        documents = render({"livenessProbe": None, "podLabels": None})

        assert "livenessProbe" not in container(documents)
        assert "readinessProbe" in container(documents)

    def test_both_spellings_of_postgresql_are_known(self) -> None:
        """As by the daemon."""
        assert refusal({"storage": {"url": "postgres://u:p@db/x"}}) == ""

    def test_the_name_of_a_secret_is_one_of_a_file(self) -> None:
        """It becomes one."""
        assert "'A B'" in refusal({"secrets": {"A B": "x"}})

    def test_a_parent_chart_may_have_globals(self) -> None:
        """Helm hands them to every chart below."""
        assert refusal({"global": {"anything": 1}}) == ""

    def test_thresholds_are_those_of_the_rules(self) -> None:
        """Each recorded constant, no other."""
        rules = yaml.safe_load(
            (CHART / "files/answerprobe.rules.yml").read_text(encoding="utf-8")
        )
        prefix = "answerprobe:threshold:"
        recorded = {
            rule["record"].removeprefix(prefix)
            for rule in rules["groups"][0]["rules"]
            if rule["record"].startswith(prefix)
        }

        known = SCHEMA["properties"]["prometheusRule"]["properties"]["thresholds"]
        assert set(known["properties"]) == recorded


class TestGuards:
    """What the schema can't tell: values that don't go together."""

    @pytest.mark.parametrize(
        ("values", "said"),
        [
            pytest.param({"replicas": 2}, "2 need PostgreSQL", id="replicas on SQLite"),
            pytest.param(
                {"storage": {"existingSecret": "a", **ON_POSTGRES["storage"]}},
                "one of url and existingSecret",
                id="two databases",
            ),
            pytest.param(
                {"configSecret": "mine", "lock": "version = 1"},
                "configSecret: lock and configFiles belong into that Secret",
                id="lock beside a Secret",
            ),
            pytest.param(
                {"configFiles": {"answerprobe.yml": "x"}},
                "answerprobe.yml has a value of its own",
                id="config as a file",
            ),
            pytest.param(
                {"web": {"config": {"a": 1}, "existingSecret": "b"}},
                "one of config and existingSecret",
                id="two web configurations",
            ),
            pytest.param(
                {"web": {"tlsSecret": "tls"}}, "web.tlsSecret", id="unused certificate"
            ),
            pytest.param(
                {"web": {"tlsSecret": "x", "config": {"basic_auth_users": {"a": "b"}}}},
                "web.tlsSecret: it is used where web.config or web.existingSecret",
                id="passwords in plain",
            ),
            pytest.param(
                {"web": {"tls": True}}, "write web.config.tls_server_config", id="tls"
            ),
            pytest.param(
                {"httpRoute": {"enabled": True}},
                "httpRoute.parentRefs",
                id="route without a gateway",
            ),
            pytest.param(
                {"podDisruptionBudget": {"enabled": True, "maxUnavailable": None}},
                "one of minAvailable and maxUnavailable",
                id="empty budget",
            ),
            pytest.param(
                {"shutdownGraceSeconds": 60, "terminationGracePeriodSeconds": 60},
                "60 kills what shutdownGraceSeconds lets go on for 60 s",
                id="killed before it ends",
            ),
            pytest.param(
                {"podMonitor": {"enabled": True, "scrapeTimeout": "1m"}},
                "podMonitor.scrapeTimeout: 1m is longer than the interval, 30s",
                id="scrape longer than its interval",
            ),
            pytest.param(
                {"service": {"nodePort": 30099}},
                "service.nodePort: a Service of type ClusterIP has none",
                id="port of no node",
            ),
            pytest.param(
                {"config": None}, "config: write the configuration", id="no config"
            ),
        ],
    )
    def test_they_are_refused_with_what_to_do(
        self, values: Mapping[str, object], said: str
    ) -> None:
        """In one line, before anything is installed."""
        assert said in refusal(values)

    def test_a_database_admits_replicas(self) -> None:
        """By URL or by Secret."""
        assert refusal({"replicas": 3, **ON_POSTGRES}) == ""
        assert refusal({"replicas": 3, "storage": {"existingSecret": "db"}}) == ""


class TestReadme:
    """README.md of the chart."""

    def test_every_value_is_in_it(self) -> None:
        """By its name in a table."""
        text = (CHART / "README.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`([A-Za-z]+)[`.]", text))

        assert set(VALUES) - named == set()


class TestVersions:
    """Chart.yaml."""

    def test_the_image_is_that_of_this_version(self) -> None:
        """A release changes them together."""
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
        source = CHART.parents[2] / "src/answerprobe/__init__.py"

        assert f'__version__ = "{chart["appVersion"]}"' in source.read_text("utf-8")
        assert chart["version"] == chart["appVersion"]
        assert render()
