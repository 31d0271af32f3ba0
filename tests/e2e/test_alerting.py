"""An incident on the real Prometheus and Alertmanager, with all that we ship."""

import asyncio

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from aiohttp import web
from aiohttp.test_utils import TestServer

from answerprobe.demo.hurry import ALERTMANAGER, PROMETHEUS, Addresses, lay_out
from answerprobe.demo.launch import DemoError
from answerprobe.demo.stack import Programs, find_programs
from answerprobe.shipped import shipped
from e2e.program import Daemon, daemon, eventually, free_port


_SECONDS = 60.0
_GOOD = "Everything we sell has a warranty of 2 years."
_BAD = "There is no warranty."
_STATUS_ALERTS = ("AgentCaseRegressed", "AgentDegraded", "AgentDown")


def config(shop: TestServer) -> dict[str, object]:
    """Return a config with one monitor of the demo's agent."""
    case = {
        "id": "warranty",
        "ask": "How long is the warranty?",
        "expect": [{"contains": "2 years"}],
    }
    monitor = {
        "name": "shop",
        "type": "agent",
        "endpoint": str(shop.make_url("/api/chat")),
        "every": "manual",
        "labels": {"team": "support"},
        "cases": [case],
    }
    return {"monitors": [monitor]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An alert as a receiver of Alertmanager got it."""

    name: str
    status: str
    receiver: str
    labels: dict[str, str]
    annotations: dict[str, str]


@dataclass(slots=True)
class Inbox:
    """Takes what Alertmanager sends."""

    alerts: list[Alert] = field(default_factory=list)

    async def take(self, request: web.Request) -> web.Response:
        """Keep the alerts of one notification."""
        body = await request.json()
        for alert in body["alerts"]:
            kept = Alert(
                name=alert["labels"]["alertname"],
                status=alert["status"],
                receiver=body["receiver"],
                labels=alert["labels"],
                annotations=alert["annotations"],
            )
            self.alerts.append(kept)
        return web.Response()

    async def received(self, name: str, status: str) -> Alert:
        """Return the newest alert *name* that came with *status*, once one came."""

        async def look() -> Alert | None:
            found = [a for a in self.alerts if (a.name, a.status) == (name, status)]
            return found[-1] if found else None

        try:
            return await eventually(look, _SECONDS)
        except TimeoutError:
            came = [(alert.name, alert.status) for alert in self.alerts]
            message = f"no {status} {name} came within {_SECONDS} s, but {came}"
            raise AssertionError(message) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The demo's agent, the daemon, and where its alerts are."""

    shop: TestServer
    daemon: Daemon
    inbox: Inbox
    alertmanager: str

    async def run(self, mode: str, *, runs: int = 1) -> None:
        """Have the agent behave by *mode*, and ask it *runs* times."""
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.shop.make_url("/misbehave"), json={"mode": mode}) as done,
        ):
            assert done.ok
        for _ in range(runs):
            before = await self._completed()
            await self.daemon.run("shop")
            await self.daemon.until(
                "answerprobe_runs_total", before + 1, seconds=20, state="completed"
            )

    async def _completed(self) -> float:
        """Return how many runs have ended."""
        metrics = await self.daemon.metrics()
        return metrics.total("answerprobe_runs_total", state="completed") or 0.0

    async def states(self) -> dict[str, str]:
        """Return the alerts that Alertmanager knows, and what it does with each."""
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{self.alertmanager}/api/v2/alerts") as reply,
        ):
            alerts = await reply.json()
        return {a["labels"]["alertname"]: a["status"]["state"] for a in alerts}

    async def until_states(self, wanted: Mapping[str, str]) -> None:
        """Wait until Alertmanager knows the alerts of an agent's status as *wanted*."""

        async def look() -> bool | None:
            states = await self.states()
            about = {n: states[n] for n in _STATUS_ALERTS if n in states}
            return True if about == dict(wanted) else None

        try:
            await eventually(look, _SECONDS)
        except TimeoutError:
            message = f"wanted {wanted}, found {await self.states()}"
            raise AssertionError(message) from None


@asynccontextmanager
async def server(command: Sequence[str | Path], port: int) -> AsyncIterator[str]:
    """Run the server of *command* on *port* until it is no longer wanted."""
    address = f"127.0.0.1:{port}"
    process = await asyncio.create_subprocess_exec(
        *command,
        f"--web.listen-address={address}",
        f"--web.external-url=http://{address}",
        "--log.level=error",
    )
    try:
        await eventually(lambda: _ready(f"http://{address}/-/ready"), _SECONDS)
        yield f"http://{address}"
    finally:
        process.terminate()
        await process.wait()


async def _ready(url: str) -> bool | None:
    """Return True if *url* answers well, else None."""
    try:
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            return True if reply.ok else None
    except aiohttp.ClientError:
        return None


@pytest.fixture
def programs() -> Programs:
    """Find Prometheus and Alertmanager; skipped where they are not installed."""
    try:
        return find_programs()
    except DemoError as exc:
        pytest.skip(str(exc))


@pytest.fixture
async def watched(
    shop: TestServer, programs: Programs, tmp_path: Path
) -> AsyncIterator[Watched]:
    """Start the daemon, Alertmanager and Prometheus with all that we ship."""
    inbox, port = Inbox(), free_port()
    app = web.Application()
    app.router.add_post("/", inbox.take)
    alertmanager = [
        programs.alertmanager,
        f"--config.file={tmp_path / ALERTMANAGER}",
        f"--storage.path={tmp_path / 'alertmanager'}",
        "--cluster.listen-address=",
    ]
    prometheus = [
        programs.prometheus,
        f"--config.file={tmp_path / PROMETHEUS}",
        f"--storage.tsdb.path={tmp_path / 'tsdb'}",
    ]
    async with TestServer(app) as hook, daemon(tmp_path, config(shop)) as running:
        addresses = Addresses(
            daemon=f"127.0.0.1:{running.port}",
            alertmanager=f"127.0.0.1:{port}",
            webhook_url=str(hook.make_url("/")),
        )
        lay_out(shipped(), tmp_path, addresses)
        async with server(alertmanager, port) as url, server(prometheus, free_port()):
            yield Watched(shop=shop, daemon=running, inbox=inbox, alertmanager=url)


class TestAlerting:
    """From an agent that goes wrong to the message, and back."""

    @pytest.mark.timeout(300)
    async def test_an_incident_from_wrong_answers_over_silence_to_recovery(
        self, watched: Watched
    ) -> None:
        """Alerts fire with both answers, are inhibited by a dead agent, and resolve."""
        await watched.run("ok", runs=3)
        await watched.run("wrong", runs=2)
        degraded = await watched.inbox.received("AgentDegraded", "firing")

        await watched.until_states(
            {"AgentDegraded": "active", "AgentCaseRegressed": "active"}
        )
        await watched.run("down")
        down = await watched.inbox.received("AgentDown", "firing")
        await watched.until_states(
            {"AgentDown": "active", "AgentCaseRegressed": "suppressed"}
        )

        await watched.run("ok")
        await watched.inbox.received("AgentDown", "resolved")
        await watched.until_states({})

        text = degraded.annotations["description"]
        assert f"Answer now: {_BAD}" in text
        assert f"Last good answer: {_GOOD}" in text
        assert "Run: /runs/5\n" in text
        assert degraded.receiver == "support-chat"
        assert degraded.labels == {
            "alertname": "AgentDegraded",
            "job": "answerprobe",
            "monitor": "shop",
            "severity": "warning",
            "team": "support",
        }
        assert "Answer now: (none came)" in down.annotations["description"]
        sent = {a.receiver for a in watched.inbox.alerts if a.name == "AgentDown"}
        assert sent == {"pager", "support-chat"}
