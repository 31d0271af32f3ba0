"""What the services of the compose file read and run."""

import asyncio
import shutil
import subprocess
import sys

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from answerprobe.cli.serve import command as serve
from answerprobe.durations import parse
from cli.calling import call
from containers.composing import FOLDER, flag, tree
from containers.dockerfile import ROOT, stages
from e2e.program import eventually, free_port


CONFIG = "/etc/answerprobe"
PROGRAM = Path(sys.executable).with_name("answerprobe")
# Where the demo's agent listens.
PORT = 18800


async def answers(port: int) -> bool | None:
    """Whether something listens on *port*; None while nothing does."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return None
    writer.close()
    await writer.wait_closed()
    return True


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

        assert volume["target"] == stages()[-1].last("VOLUME").value

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
