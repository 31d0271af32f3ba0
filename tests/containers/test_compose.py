"""The compose file, as docker compose itself reads it, and what its services read."""

import asyncio
import json
import os
import shutil
import subprocess
import sys

from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from answerprobe import __version__
from answerprobe.cli.serve import command as serve
from answerprobe.durations import parse
from cli.calling import call
from containers.dockerfile import ROOT, stages
from e2e.program import eventually, free_port


FOLDER = ROOT / "deploy" / "compose"
# Itself: the script that its package installs ends with 0 always.
COMPOSE = resources.files("compose") / "docker-compose"
DATA = "/var/lib/answerprobe"
CONFIG = "/etc/answerprobe"
PROGRAM = Path(sys.executable).with_name("answerprobe")
# Where the demo's agent listens.
PORT = 18800
SERVICES = ["alertmanager", "answerprobe", "grafana", "prometheus", "shop"]


def composed(**environment: str) -> subprocess.CompletedProcess[str]:
    """Return what docker compose makes of the file."""
    return subprocess.run(  # noqa: S603  # a program of ours and a file of ours
        [str(COMPOSE), "--file", FOLDER / "compose.yaml", "config", "--format=json"],
        env={"PATH": os.environ["PATH"], "HOME": str(FOLDER), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(name="services", scope="module")
def _services() -> Mapping[str, Any]:
    """Return the services as docker compose would start them."""
    done = composed(GRAFANA_ADMIN_PASSWORD="known")  # noqa: S106  # a test's
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["services"]
    return found


async def answers(port: int) -> bool | None:
    """Whether something listens on *port*; None while nothing does."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return None
    writer.close()
    await writer.wait_closed()
    return True


def flag(service: Mapping[str, Any], name: str) -> str:
    """Return the value of *name* in the command of *service*."""
    found = [word for word in service["command"] if word.startswith(f"{name}=")]
    return str(found[0]).partition("=")[2]


def tree(service: Mapping[str, Any], target: str, folder: Path) -> Path:
    """Copy what *service* sees below *target* into *folder*."""
    for volume in service["volumes"]:
        path = Path(volume["target"])
        if volume["type"] == "bind" and path.is_relative_to(target):
            to = folder / path.relative_to(target)
            to.parent.mkdir(parents=True, exist_ok=True)
            source = Path(volume["source"])
            (shutil.copytree if source.is_dir() else shutil.copy)(source, to)
    return folder


class TestFile:
    """What docker compose is told."""

    def test_is_one_that_docker_compose_accepts(
        self, services: Mapping[str, Any]
    ) -> None:
        """Its own parser, schema and interpolation."""
        assert sorted(services) == SERVICES

    def test_without_a_password_it_says_what_to_set(self) -> None:
        """Nobody starts a Grafana with a password that everybody knows."""
        done = composed()

        assert done.returncode != 0
        assert "GRAFANA_ADMIN_PASSWORD" in done.stderr

    @pytest.mark.parametrize("name", SERVICES)
    def test_service_is_hardened(self, services: Mapping[str, Any], name: str) -> None:
        """Nothing to write to but volumes, and no rights."""
        service = services[name]

        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]

    def test_nothing_is_published_beyond_this_machine(
        self, services: Mapping[str, Any]
    ) -> None:
        """Every port is one of loopback."""
        ports = [port for each in services.values() for port in each.get("ports", ())]

        assert len(ports) == 4
        assert {port["host_ip"] for port in ports} == {"127.0.0.1"}

    def test_images_are_pinned(self, services: Mapping[str, Any]) -> None:
        """Each to a version; ours to that of the package."""
        tags = {
            name: each["image"].rpartition(":")[2] for name, each in services.items()
        }

        assert tags["answerprobe"] == tags["shop"] == __version__
        assert [tag for tag in tags.values() if tag.count(".") != 2] == []

    def test_what_is_mounted_is_there(self, services: Mapping[str, Any]) -> None:
        """Or docker would make empty folders of it."""
        sources = [
            Path(volume["source"])
            for service in services.values()
            for volume in service.get("volumes", ())
            if volume["type"] == "bind"
        ]

        assert [source for source in sources if not source.exists()] == []

    def test_volumes_are_not_part_of_the_configuration(
        self, services: Mapping[str, Any]
    ) -> None:
        """What is mounted from here cannot be changed from there."""
        binds = [
            volume
            for service in services.values()
            for volume in service.get("volumes", ())
            if volume["type"] == "bind"
        ]

        assert [volume for volume in binds if not volume.get("read_only")] == []


class TestAnswerprobe:
    """The service `answerprobe`, and the agent beside it."""

    def test_flags_are_those_of_the_command(
        self, services: Mapping[str, Any], tmp_path: Path
    ) -> None:
        """It is `serve`, with nothing that it does not know."""
        service = services["answerprobe"]
        folder = tree(service, CONFIG, tmp_path / "etc")
        name, *words = (
            str(word).replace(CONFIG, str(folder)) for word in service["command"]
        )

        context = serve.make_context(name, words)

        assert name == "serve"
        assert context.params["config_file"] == folder / "answerprobe.yml"

    def test_store_is_on_the_volume(self, services: Mapping[str, Any]) -> None:
        """The one that the image names."""
        service = services["answerprobe"]
        (volume,) = (each for each in service["volumes"] if each["type"] == "volume")

        assert volume["target"] == stages()[-1].last("VOLUME").value == DATA
        assert flag(service, "--storage.url").startswith(f"sqlite:///{DATA}/")

    def test_is_not_killed_within_its_grace(self, services: Mapping[str, Any]) -> None:
        """Docker waits longer than the daemon does."""
        service = services["answerprobe"]
        grace_seconds = parse(flag(service, "--shutdown.grace"))

        assert parse(service["stop_grace_period"]) > grace_seconds

    def test_configuration_is_accepted(
        self, services: Mapping[str, Any], tmp_path: Path
    ) -> None:
        """By `answerprobe check`, from where it is mounted."""
        folder = tree(services["answerprobe"], CONFIG, tmp_path / "etc")

        result = call("check", folder / "answerprobe.yml")

        assert result.exit_code == 0, result.output

    def test_secrets_are_not_for_git(self, services: Mapping[str, Any]) -> None:
        """What lies in the folder of secrets is ignored."""
        folder = Path(flag(services["answerprobe"], "--secrets.dir")).relative_to(
            CONFIG
        )
        path = FOLDER / "config" / folder / "OPENAI_API_KEY"

        done = subprocess.run(  # noqa: S603
            ["git", "-C", ROOT, "check-ignore", "--quiet", path],  # noqa: S607
            check=False,
        )

        assert done.returncode == 0


class TestShop:
    """The service `shop`: something to watch at first."""

    async def test_answers_what_the_configuration_asks(
        self, services: Mapping[str, Any], tmp_path: Path
    ) -> None:
        """Its command runs, and every case passes."""
        port = free_port()
        config = (FOLDER / "config" / "answerprobe.yml").read_text("utf-8")
        config_file = tmp_path / "answerprobe.yml"
        config_file.write_text(config.replace(f":{PORT}/", f":{port}/"), "utf-8")
        _, *words = services["shop"]["entrypoint"]
        moved = [word.replace(f"port={PORT}", f"port={port}") for word in words]

        shop = await asyncio.create_subprocess_exec(sys.executable, *moved)
        try:
            await eventually(partial(answers, port), 30)
            asked = await asyncio.create_subprocess_exec(PROGRAM, "run", config_file)
            assert await asked.wait() == 0
        finally:
            shop.kill()
            await shop.wait()


def ran(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run *program*, one of Prometheus' or Alertmanager's."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed; make test does that as root")
    return subprocess.run(  # noqa: S603  # a program of theirs and files of ours
        [found, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


class TestPrometheus:
    """The services `prometheus` and `alertmanager`."""

    def test_prometheus_finds_its_rules(
        self, services: Mapping[str, Any], tmp_path: Path
    ) -> None:
        """Promtool accepts what is mounted, where it is mounted."""
        folder = tree(services["prometheus"], "/etc/prometheus", tmp_path / "etc")

        done = ran("promtool", "check", "config", folder / "prometheus.yml")

        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 rule files found" in done.stdout

    def test_it_scrapes_and_alerts_the_others(
        self, services: Mapping[str, Any]
    ) -> None:
        """By the names and ports of their services, under the job of the rules."""
        config = yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))
        (scrape,) = config["scrape_configs"]
        (manager,) = config["alerting"]["alertmanagers"]
        targets = (
            scrape["static_configs"][0]["targets"]
            + manager["static_configs"][0]["targets"]
        )

        assert scrape["job_name"] == "answerprobe"
        for target in targets:
            name, _, port = target.partition(":")
            assert [each["target"] for each in services[name]["ports"]] == [int(port)]

    def test_alertmanager_accepts_its_configuration(self) -> None:
        """By its own tool."""
        done = ran("amtool", "check-config", FOLDER / "alertmanager.yml")

        assert done.returncode == 0, done.stdout + done.stderr


class TestGrafana:
    """The service `grafana`."""

    def test_asks_the_prometheus_beside_it(self, services: Mapping[str, Any]) -> None:
        """By its name and port."""
        sources = yaml.safe_load(
            (FOLDER / "grafana/datasources.yml").read_text("utf-8")
        )
        (port,) = services["prometheus"]["ports"]

        assert sources["datasources"][0]["url"] == f"http://prometheus:{port['target']}"

    def test_reads_our_dashboards(
        self, services: Mapping[str, Any], tmp_path: Path
    ) -> None:
        """From where they are mounted; the first to be seen is one of them."""
        service = services["grafana"]
        seen = tree(service, "/etc/grafana", tmp_path / "etc")
        (provider,) = yaml.safe_load(
            (seen / "provisioning/dashboards/answerprobe.yml").read_text("utf-8")
        )["providers"]
        folder = seen / Path(provider["options"]["path"]).relative_to("/etc/grafana")
        home = service["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]

        names = {path.name for path in folder.glob("*.json")}
        assert names == {path.name for path in (ROOT / "grafana").glob("*.json")}
        assert Path(home).name in names
