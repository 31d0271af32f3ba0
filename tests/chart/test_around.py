"""What stands around the pod: Prometheus, Grafana, the network, and the notes."""

import json

import pytest
import yaml

from chart.rendering import (
    CHART,
    ROOT,
    Document,
    all_of,
    container,
    one,
    render,
    texts,
    values_of,
)


BOTH = {"serviceMonitor": {"enabled": True}, "podMonitor": {"enabled": True}}
RULES = ROOT / "alert_rules" / "answerprobe.rules.yml"


def groups(**values: object) -> list[Document]:
    """Return the groups of the PrometheusRule with these values of it."""
    documents = render({"prometheusRule": {"enabled": True, **values}})
    found: list[Document] = one(documents, "PrometheusRule")["spec"]["groups"]
    return found


def shipped() -> list[Document]:
    """Return the groups of the file that everybody else has."""
    found: list[Document] = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return found


def notes(values: Document) -> str:
    """Return what is said after an installation with *values*."""
    return texts(values)["answerprobe/templates/NOTES.txt"]


class TestMonitors:
    """ServiceMonitor and PodMonitor."""

    @pytest.mark.parametrize("kind", ["ServiceMonitor", "PodMonitor"])
    def test_the_job_is_answerprobe(self, kind: str) -> None:
        """By the label that says so on Service and pod."""
        documents = render(BOTH)
        service = one(documents, "Service")["metadata"]["labels"]
        template = one(documents, "Deployment")["spec"]["template"]["metadata"]

        spec = one(documents, kind)["spec"]

        assert spec["jobLabel"] == "app.kubernetes.io/name"
        wanted = spec["selector"]["matchLabels"]
        assert wanted.items() <= service.items()
        assert wanted.items() <= template["labels"].items()

    def test_the_pod_of_helm_test_is_no_daemon(self) -> None:
        """Nothing that selects daemons selects it."""
        documents = render({**BOTH, "podDisruptionBudget": {"enabled": True}})
        labels = one(documents, "Pod")["metadata"]["labels"]

        for kind in ("ServiceMonitor", "PodMonitor", "PodDisruptionBudget"):
            selector = one(documents, kind)["spec"]["selector"]["matchLabels"]
            assert not selector.items() <= labels.items()
        assert not one(documents, "Service")["spec"]["selector"].items() <= (
            labels.items()
        )

    def test_tls_is_scraped_as_tls(self) -> None:
        """Unverified until one says how."""
        web = {"config": {"tls_server_config": {"cert_file": "a"}}}
        documents = render({"web": web, "serviceMonitor": {"enabled": True}})

        (endpoint,) = one(documents, "ServiceMonitor")["spec"]["endpoints"]
        assert endpoint["scheme"] == "https"
        assert endpoint["tlsConfig"] == {"insecureSkipVerify": True}

    @pytest.mark.parametrize("kind", ["ServiceMonitor", "PodMonitor"])
    def test_what_is_written_is_there(self, kind: str) -> None:
        """Labels, interval, timeout and relabelings."""
        key = kind[0].lower() + kind[1:]
        own = {
            "enabled": True,
            "labels": {"release": "prom"},
            "interval": "1m",
            "scrapeTimeout": "20s",
            "relabelings": [{"targetLabel": "cluster", "replacement": "west"}],
        }

        found = one(render({key: own}), kind)

        spec = found["spec"]
        (endpoint,) = spec.get("endpoints") or spec["podMetricsEndpoints"]
        assert found["metadata"]["labels"]["release"] == "prom"
        assert {key: endpoint[key] for key in own if key in endpoint} == {
            "interval": "1m",
            "scrapeTimeout": "20s",
            "relabelings": own["relabelings"],
        }


class TestRules:
    """PrometheusRule."""

    def test_it_is_the_very_file(self) -> None:
        """Everything that alert_rules/ has."""
        assert groups() == shipped()

    def test_constants_can_be_replaced(self) -> None:
        """Those that are named; nothing else changes."""
        found = groups(thresholds={"degraded_runs": 3, "storage_errors": 1_000_000})

        expected = shipped()
        for rule in expected[0]["rules"]:
            if rule["record"].endswith(":degraded_runs"):
                rule["expr"] = "vector(3)"
            if rule["record"].endswith(":storage_errors"):
                rule["expr"] = "vector(1000000)"
        assert found == expected

    def test_zero_is_a_constant(self) -> None:
        """Not the same as none."""
        (first,) = groups(thresholds={"canary_samples": 0})[:1]

        exprs = {rule["record"]: rule["expr"] for rule in first["rules"]}
        assert exprs["answerprobe:threshold:canary_samples"] == "vector(0)"

    def test_alerts_can_link_to_grafana(self) -> None:
        """By the label that their templates read."""
        (first,) = groups(grafanaUrl="https://grafana.example.com")[:1]

        links = {rule["record"]: rule.get("labels") for rule in first["rules"]}
        assert links["answerprobe:links:info"] == {
            "grafana_url": "https://grafana.example.com"
        }

    def test_an_interval_is_of_every_group(self) -> None:
        """As the operator wants it."""
        assert {group["interval"] for group in groups(interval="1m")} == {"1m"}


class TestDashboards:
    """For the sidecar of Grafana's chart."""

    def test_each_is_the_very_file(self) -> None:
        """A ConfigMap for each, under a name that no other chart has."""
        documents = render({"dashboards": {"enabled": True}})

        found = {
            name: text
            for each in all_of(documents, "ConfigMap")
            for name, text in each["data"].items()
        }
        originals = {
            f"answerprobe-{path.name}": path.read_text("utf-8")
            for path in (ROOT / "grafana").glob("*.json")
        }
        assert {name: json.loads(text) for name, text in found.items()} == {
            name: json.loads(text) for name, text in originals.items()
        }

    def test_they_are_where_the_sidecar_looks(self) -> None:
        """By label and namespace."""
        documents = render({"dashboards": {"enabled": True, "namespace": "grafana"}})

        for each in all_of(documents, "ConfigMap"):
            assert each["metadata"]["labels"]["grafana_dashboard"] == "1"
            assert each["metadata"]["namespace"] == "grafana"


class TestNetworkPolicy:
    """Who may talk to whom."""

    def test_egress_is_open_until_it_is_switched(self) -> None:
        """The policy says nothing of it."""
        spec = one(render({"networkPolicy": {"enabled": True}}), "NetworkPolicy")[
            "spec"
        ]

        assert spec["policyTypes"] == ["Ingress"]
        assert "egress" not in spec

    def test_egress_lets_out_dns_and_what_is_named(self) -> None:
        """Nothing else."""
        values = values_of(CHART / "ci/network-policy-values.yaml")
        extra = values["networkPolicy"]["egress"]["extra"]

        spec = one(render(values), "NetworkPolicy")["spec"]

        dns, ports, *rest = spec["egress"]
        assert spec["policyTypes"] == ["Ingress", "Egress"]
        assert {each["port"] for each in dns["ports"]} == {53}
        assert ports == {"ports": [{"port": 443, "protocol": "TCP"}]}
        assert rest == extra

    def test_helm_test_comes_in(self) -> None:
        """Beside those that are named."""
        documents = render(values_of(CHART / "ci/network-policy-values.yaml"))
        labels = one(documents, "Pod")["metadata"]["labels"]

        (rule,) = one(documents, "NetworkPolicy")["spec"]["ingress"]

        assert len(rule["from"]) == 2
        wanted = rule["from"][1]["podSelector"]["matchLabels"]
        assert wanted.items() <= labels.items()

    def test_it_is_about_the_daemons(self) -> None:
        """And the port they listen on."""
        documents = render({"networkPolicy": {"enabled": True}})
        policy = one(documents, "NetworkPolicy")["spec"]
        template = one(documents, "Deployment")["spec"]["template"]["metadata"]

        assert (
            policy["podSelector"]["matchLabels"].items() <= template["labels"].items()
        )
        (port,) = container(documents)["ports"]
        assert policy["ingress"] == [{"ports": [{"port": "http", "protocol": "TCP"}]}]
        assert (port["name"], port["containerPort"]) == ("http", 10099)


class TestRoutes:
    """Ingress and HTTPRoute."""

    @pytest.mark.parametrize("example", ["ingress", "http-route"])
    def test_they_lead_to_the_service(self, example: str) -> None:
        """By its name and port."""
        documents = render(values_of(CHART / f"ci/{example}-values.yaml"))
        service = one(documents, "Service")

        if example == "ingress":
            (rule,) = one(documents, "Ingress")["spec"]["rules"]
            backend = rule["http"]["paths"][0]["backend"]["service"]
            assert backend["port"]["name"] == service["spec"]["ports"][0]["name"]
        else:
            (rule,) = one(documents, "HTTPRoute")["spec"]["rules"]
            (backend,) = rule["backendRefs"]
            assert backend["port"] == service["spec"]["ports"][0]["port"]
        assert backend["name"] == service["metadata"]["name"]


class TestNotes:
    """What is said after an installation."""

    def test_they_warn_of_what_is_forgotten(self) -> None:
        """Only where it is."""
        gone: Document = {"storage": {"persistence": {"enabled": False}}}

        assert "WARNING: nothing is kept" in notes(gone)
        assert "WARNING" not in notes({})

    def test_they_warn_of_two_scrapes(self) -> None:
        """Which would count everything twice."""
        assert "scraped twice" in notes(dict(BOTH))

    @pytest.mark.parametrize(
        ("web", "credential"),
        [
            pytest.param(
                {"basic_auth_users": {"ann": "$2y$10$x"}},
                {"basicAuth": {"username": {"name": "s", "key": "u"}}},
                id="users",
            ),
            pytest.param(
                {"tls_server_config": {"client_auth_type": "RequireAnyClientCert"}},
                {"tlsConfig": {"serverName": "probe"}},
                id="certificates",
            ),
        ],
    )
    @pytest.mark.parametrize("kind", ["serviceMonitor", "podMonitor"])
    def test_they_warn_of_a_scrape_that_is_refused(
        self, kind: str, web: Document, credential: Document
    ) -> None:
        """Until Prometheus has something to show."""
        scraped = {"enabled": True}

        warned = notes({"web": {"config": web}, kind: scraped})
        fine = notes({"web": {"config": web}, kind: {**scraped, **credential}})

        assert f"and Prometheus has none: set\n{kind}." in warned
        assert "WARNING" not in fine

    def test_they_tell_that_nothing_is_watched(self) -> None:
        """Until there is a configuration."""
        config = values_of(CHART / "ci/config-values.yaml")

        assert "nothing is watched yet" in notes({})
        assert "nothing is watched yet" not in notes(config)

    def test_they_show_no_secret(self) -> None:
        """They are printed by pipelines."""
        values = {
            "secrets": {"A": "hush-hush"},
            "storage": {"url": "postgresql://u:hush-hush@db/x"},
        }

        assert "hush-hush" not in notes(values)
