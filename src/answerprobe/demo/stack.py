"""`python -m answerprobe.demo.stack`: the demo with Prometheus and Alertmanager."""

import os
import shutil
import tempfile

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import click

from answerprobe.demo.__main__ import AGENT_PORT, CONFIG_FILE, WEB_PORT, application
from answerprobe.demo.hurry import ALERTMANAGER, PROMETHEUS, Addresses, lay_out
from answerprobe.demo.launch import (
    HOST,
    DemoError,
    Serve,
    check_free,
    child,
    moved_config,
    report,
    serve_until_stopped,
    served,
)
from answerprobe.demo.webhook import PATH, AlertPrinter
from answerprobe.shipped import shipped


PROMETHEUS_PORT = 19090
ALERTMANAGER_PORT = 19093
# What the programs are called in Debian's packages, then elsewhere.
_PROMETHEUS = ("prometheus",)
_ALERTMANAGER = ("prometheus-alertmanager", "alertmanager")
_BANNER = """\
answerprobe demo stack: a small agent, the daemon that watches it, a real Prometheus
with the alert rules that we ship, and a real Alertmanager, which sends what is printed
below.

  pages         http://{host}:{web}/
  metrics       http://{host}:{web}/metrics
  Prometheus    http://{host}:{prometheus}/classic/alerts
  Alertmanager  http://{host}:{alertmanager}/api/v2/alerts
  agent         http://{host}:{agent}/

Let the agent answer wrongly, and wait half a minute for what is sent:
     curl -d '{{"mode": "wrong"}}' http://{host}:{agent}/misbehave
Let it be out of order ("down"), and make it well again:
     curl -d '{{"mode": "ok"}}' http://{host}:{agent}/misbehave

Waits are shortened; with the rules as they are shipped, alerts come later.
Ctrl-C stops everything.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where everything listens, on loopback."""

    agent: int = AGENT_PORT
    web: int = WEB_PORT
    prometheus: int = PROMETHEUS_PORT
    alertmanager: int = ALERTMANAGER_PORT


async def run(ports: Ports) -> None:
    """
    Run all of it until Ctrl-C.

    Raises:
        DemoError: a port is taken, a program is not installed, or the daemon ended.
    """
    programs = find_programs()
    check_free(ports.web, "--web.port")
    check_free(ports.prometheus, "--prometheus.port")
    check_free(ports.alertmanager, "--alertmanager.port")
    app = application()
    app.add_routes(AlertPrinter(click.echo, datetime.now).routes())
    async with AsyncExitStack() as stack:
        folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="answerprobe-demo-"))
        )
        await stack.enter_async_context(served(app, ports.agent, "--agent.port"))
        lay_out(shipped(), folder, _addresses(ports))
        for command in _commands(programs, folder, ports):
            await stack.enter_async_context(child(command, os.environ))
        click.echo(_banner(ports))
        await serve_until_stopped(_serve(folder, ports))


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Where the programs are."""

    prometheus: str
    alertmanager: str


def find_programs(path: str | None = None) -> Programs:
    """
    Return where Prometheus and Alertmanager are on *path*, by default the shell's.

    Raises:
        DemoError: one is not installed.
    """
    prometheus = _found(_PROMETHEUS, path)
    alertmanager = _found(_ALERTMANAGER, path)
    if prometheus is None or alertmanager is None:
        raise DemoError(
            "Prometheus and Alertmanager must be installed; on Debian and Ubuntu:\n"
            "  sudo apt-get install --no-install-recommends prometheus "
            "prometheus-alertmanager"
        )
    return Programs(prometheus=prometheus, alertmanager=alertmanager)


def _found(names: tuple[str, ...], path: str | None) -> str | None:
    """Return the first program of *names* that is there."""
    found = (shutil.which(name, path=path) for name in names)
    return next((program for program in found if program), None)


def _addresses(ports: Ports) -> Addresses:
    """Return how the parts find each other."""
    return Addresses(
        daemon=f"{HOST}:{ports.web}",
        alertmanager=f"{HOST}:{ports.alertmanager}",
        webhook_url=f"http://{HOST}:{ports.agent}{PATH}",
    )


def _commands(programs: Programs, folder: Path, ports: Ports) -> list[list[str]]:
    """Return the command lines of Alertmanager and of Prometheus."""

    def listening(port: int) -> list[str]:
        address = f"{HOST}:{port}"
        return [
            f"--web.listen-address={address}",
            f"--web.external-url=http://{address}",
            "--log.level=error",
        ]

    return [
        [
            programs.alertmanager,
            f"--config.file={folder / ALERTMANAGER}",
            f"--storage.path={folder / 'alertmanager'}",
            # Else it opens a port to other machines, for a cluster.
            "--cluster.listen-address=",
            *listening(ports.alertmanager),
        ],
        [
            programs.prometheus,
            f"--config.file={folder / PROMETHEUS}",
            f"--storage.tsdb.path={folder / 'prometheus'}",
            *listening(ports.prometheus),
        ],
    ]


def _serve(folder: Path, ports: Ports) -> Serve:
    """Return how the daemon is started."""
    return Serve(
        config_file=moved_config(CONFIG_FILE, folder, AGENT_PORT, ports.agent),
        port=ports.web,
        storage_file=folder / "answerprobe.db",
        flags=(f"--web.external-url=http://{HOST}:{ports.web}", "--log.level=warn"),
    )


def _banner(ports: Ports) -> str:
    """Return what a newcomer reads first."""
    return _BANNER.format(
        host=HOST,
        web=ports.web,
        prometheus=ports.prometheus,
        alertmanager=ports.alertmanager,
        agent=ports.agent,
    )


_PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--agent.port", "agent", type=_PORT, default=AGENT_PORT)
@click.option("--web.port", "web", type=_PORT, default=WEB_PORT)
@click.option("--prometheus.port", "prometheus", type=_PORT, default=PROMETHEUS_PORT)
@click.option(
    "--alertmanager.port", "alertmanager", type=_PORT, default=ALERTMANAGER_PORT
)
def main(agent: int, web: int, prometheus: int, alertmanager: int) -> None:
    """Start the demo with Prometheus and Alertmanager, all on loopback."""
    ports = Ports(
        agent=agent, web=web, prometheus=prometheus, alertmanager=alertmanager
    )
    report(run(ports))


if __name__ == "__main__":
    main()
