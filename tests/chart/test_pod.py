"""The pod: what it runs, what it may do, and where its things come from."""

import json

import pytest

from chart.rendering import (
    CHART,
    EXAMPLES,
    ON_POSTGRES,
    all_of,
    container,
    one,
    pod,
    render,
    secret,
    values_of,
)


WEB_TLS = {"web": {"config": {"tls_server_config": {"cert_file": "tls.crt"}}}}
STRICT = {
    "web": {
        "config": {
            "tls_server_config": {"client_auth_type": "RequireAndVerifyClientCert"}
        }
    }
}


class TestSecurity:
    """What the Pod Security Standard *restricted* asks for, and more."""

    @pytest.mark.parametrize("kind", ["Deployment", "Pod"])
    def test_every_pod_is_restricted(self, kind: str) -> None:
        """The daemon's and that of `helm test`."""
        found = one(render(), kind)["spec"]
        spec = found["template"]["spec"] if kind == "Deployment" else found

        (only,) = spec["containers"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert only["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert only["resources"]["limits"]["memory"]

    def test_only_data_and_tmp_can_be_written(self) -> None:
        """Everything else is mounted to be read."""
        example = values_of(CHART / "ci/web-users-values.yaml")
        mounts = container(render({**example, "secrets": {"A": "b"}}))["volumeMounts"]

        writable = {each["name"] for each in mounts if not each.get("readOnly")}
        assert writable == {"data", "tmp"}

    @pytest.mark.parametrize(
        "example", [pytest.param(path.stem, id=path.stem) for path in EXAMPLES]
    )
    def test_no_file_is_mounted_alone(self, example: str) -> None:
        """It would never change in a running pod."""
        documents = render(values_of(CHART / f"ci/{example}.yaml"))

        assert "subPath" not in json.dumps(pod(documents))


class TestStorage:
    """SQLite or PostgreSQL."""

    def test_sqlite_is_one_daemons(self) -> None:
        """The old pod ends before the new one opens the file."""
        documents = render()

        deployment = one(documents, "Deployment")["spec"]
        assert deployment["strategy"] == {"type": "Recreate"}
        assert deployment["replicas"] == 1
        assert one(documents, "PersistentVolumeClaim")["spec"]["accessModes"] == [
            "ReadWriteOnce"
        ]

    def test_evidence_outlives_the_release(self) -> None:
        """Unless one says otherwise."""
        kept = one(render(), "PersistentVolumeClaim")["metadata"]
        gone = render({"storage": {"persistence": {"keep": False}}})

        assert kept["annotations"] == {"helm.sh/resource-policy": "keep"}
        assert "annotations" not in one(gone, "PersistentVolumeClaim")["metadata"]

    def test_a_claim_of_ones_own_is_used(self) -> None:
        """And none is made."""
        documents = render({"storage": {"persistence": {"existingClaim": "mine"}}})

        volumes = {each["name"]: each for each in pod(documents)["volumes"]}
        assert all_of(documents, "PersistentVolumeClaim") == []
        assert volumes["data"]["persistentVolumeClaim"] == {"claimName": "mine"}

    def test_with_postgresql_there_is_no_volume(self) -> None:
        """And pods are replaced one by one."""
        documents = render({"replicas": 3, **ON_POSTGRES})

        strategy = one(documents, "Deployment")["spec"]["strategy"]
        assert strategy["type"] == "RollingUpdate"
        assert all_of(documents, "PersistentVolumeClaim") == []
        assert "data" not in {each["name"] for each in pod(documents)["volumes"]}

    def test_the_url_comes_from_a_secret(self) -> None:
        """The chart's or one's own."""
        ours = render(ON_POSTGRES)
        theirs = render({"storage": {"existingSecret": "db", "existingSecretKey": "k"}})

        (variable,) = container(ours)["env"]
        name = variable["valueFrom"]["secretKeyRef"]["name"]
        assert secret(ours, name) == {"url": ON_POSTGRES["storage"]["url"]}
        (variable,) = container(theirs)["env"]
        assert variable["valueFrom"]["secretKeyRef"] == {"name": "db", "key": "k"}

    def test_a_new_url_restarts_the_pods(self) -> None:
        """A daemon reads its environment once; nothing else restarts it."""
        first, second = (
            one(render({"storage": {"url": f"postgresql://db/{name}"}}), "Deployment")
            for name in "ab"
        )

        annotations = [
            each["spec"]["template"]["metadata"]["annotations"]
            for each in (first, second)
        ]
        assert list(annotations[0]) == ["checksum/storage"]
        assert annotations[0] != annotations[1]


class TestReload:
    """What changes in a running daemon."""

    @pytest.mark.parametrize(
        "values",
        [
            pytest.param({"config": {"monitors": [{"name": "other"}]}}, id="config"),
            pytest.param({"lock": "version = 1"}, id="lock"),
            pytest.param({"secrets": {"A": "new"}}, id="secrets"),
            pytest.param({"web": {"config": {"basic_auth_users": {}}}}, id="web"),
        ],
    )
    def test_a_new_text_restarts_no_pod(self, values: dict[str, object]) -> None:
        """The daemon sees it by itself."""
        before = {
            "config": {"monitors": [{"name": "one"}]},
            "lock": "version = 0",
            "secrets": {"A": "old"},
            "web": {"config": {"basic_auth_users": {"a": "b"}}},
        }

        old = one(render(before), "Deployment")
        new = one(render({**before, **values}), "Deployment")

        assert "--config.auto-reload" in container([old])["args"]
        assert old == new


class TestProbes:
    """How the kubelet looks whether it is well."""

    def test_alive_is_not_ready(self) -> None:
        """A daemon that ends, or can't reach its store, is not killed for it."""
        found = container(render())

        assert found["livenessProbe"]["httpGet"]["path"] == "/-/healthy"
        assert found["startupProbe"]["httpGet"]["path"] == "/-/healthy"
        assert found["readinessProbe"]["httpGet"]["path"] == "/-/ready"

    @pytest.mark.parametrize(
        ("web", "path"),
        [
            pytest.param(
                {"externalUrl": "https://a.example/x/"}, "/x/-/ready", id="url"
            ),
            pytest.param({"externalUrl": "https://a.example"}, "/-/ready", id="none"),
            pytest.param(
                {"externalUrl": "https://a.example/x", "routePrefix": "/"},
                "/-/ready",
                id="taken-away",
            ),
            pytest.param({"routePrefix": "/y"}, "/y/-/ready", id="prefix"),
            pytest.param({"routePrefix": "//y//"}, "/y/-/ready", id="slashes"),
            pytest.param({"routePrefix": None}, "/-/ready", id="empty"),
        ],
    )
    def test_they_look_below_the_prefix(self, web: dict[str, str], path: str) -> None:
        """Where the daemon serves."""
        documents = render({"web": web, "podMonitor": {"enabled": True}})

        monitor = one(documents, "PodMonitor")["spec"]["podMetricsEndpoints"][0]
        assert container(documents)["readinessProbe"]["httpGet"]["path"] == path
        assert monitor["path"] == path.replace("/-/ready", "/metrics")

    def test_they_speak_tls_where_the_daemon_does(self) -> None:
        """The kubelet does not verify certificates."""
        assert container(render(WEB_TLS))["readinessProbe"]["httpGet"]["scheme"] == (
            "HTTPS"
        )

    def test_the_kubelet_has_no_certificate(self) -> None:
        """So it looks whether the port is open."""
        probe = container(render(STRICT))["livenessProbe"]

        assert probe["tcpSocket"] == {"port": "http"}
        assert "httpGet" not in probe


class TestSecrets:
    """Values of secrets."""

    def test_they_are_files(self) -> None:
        """Of which a change is read again."""
        documents = render({"secrets": {"A": "1"}, "existingSecrets": ["b", "c"]})

        volumes = {each["name"]: each for each in pod(documents)["volumes"]}
        sources = volumes["secrets"]["projected"]["sources"]
        assert [each["secret"]["name"] for each in sources] == [
            "demo-answerprobe-secrets",
            "c",
            "b",
        ]
        assert "--secrets.dir=/etc/answerprobe/secrets" in container(documents)["args"]

    def test_without_any_nothing_is_mounted(self) -> None:
        """And no flag names a folder that is not there."""
        documents = render()

        assert "secrets" not in {each["name"] for each in pod(documents)["volumes"]}
        assert "--secrets.dir" not in " ".join(container(documents)["args"])


class TestNames:
    """What things are called."""

    @pytest.mark.parametrize(
        "name",
        [
            pytest.param("a" * 53, id="longest"),
            pytest.param("answerprobe", id="same"),
            pytest.param("x-answerprobe-y", id="within"),
            pytest.param("1", id="number"),
        ],
    )
    def test_they_fit(self, name: str) -> None:
        """Kubernetes takes 63 characters."""
        everything = {
            **ON_POSTGRES,
            "dashboards": {"enabled": True},
            "secrets": {"A": "b"},
            "web": {"config": {"a": "b"}},
        }

        for document in render(everything, name=name):
            assert len(document["metadata"]["name"]) <= 63
            labels = document["metadata"]["labels"]
            assert labels["app.kubernetes.io/instance"] == name

    def test_no_value_changes_the_job(self) -> None:
        """Rules and dashboards look for it, and monitors take it from this label."""
        values = {
            "nameOverride": "x",
            "fullnameOverride": "y",
            "commonLabels": {"app.kubernetes.io/name": "z"},
            "podLabels": {"app.kubernetes.io/name": "z"},
            "service": {"labels": {"app.kubernetes.io/name": "z"}},
        }

        documents = render(values)

        for document in documents:
            labels = document["metadata"]["labels"]
            assert labels["app.kubernetes.io/name"] == "answerprobe"
        template = one(documents, "Deployment")["spec"]["template"]["metadata"]
        assert template["labels"]["app.kubernetes.io/name"] == "answerprobe"
