"""The demo: a newcomer sees an agent pass, degrade and recover."""

import asyncio
import json
import signal
import sys

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from aiohttp.test_utils import TestServer

from answerprobe.demo.__main__ import AGENT_PORT, CONFIG_FILE
from answerprobe.demo.launch import (
    DemoError,
    Serve,
    moved_config,
    serve_until_stopped,
)
from e2e.program import Daemon, Metrics, daemon, eventually, free_port


MONITORS = ("Shop chat", "Shop assistant", "Shop assistant, streamed", "Shop desk")
RUNS = "answerprobe_runs_total"
BELOW = "answerprobe_consecutive_runs_below_target"
FAILURES = "answerprobe_criterion_failures_total"
FAULTS = {"leak": "no_pii", "refuse": "no_refusal", "slow": "responds_within"}
REFUND = {"monitor": "Shop chat", "case": "refund-window"}
DESK = "Shop desk"
WRONGS = {
    "expected_actions": 'not expected: "register_query"',
    "does_not_invoke_tool": "refund was called",
}


@pytest.fixture
async def watching(shop: TestServer, tmp_path: Path) -> AsyncIterator[Daemon]:
    """Run the demo's own config against its agent."""
    assert shop.port is not None
    config = moved_config(CONFIG_FILE, tmp_path, AGENT_PORT, shop.port)
    async with daemon(tmp_path, config) as running:
        yield running


async def misbehave(shop: TestServer, mode: str) -> None:
    """Tell the agent how to behave."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(shop.make_url("/misbehave"), json={"mode": mode}) as response,
    ):
        assert response.status == 200


async def scraped(
    running: Daemon, wanted: Callable[[Metrics], bool], seconds: float
) -> Metrics:
    """Return the first scrape that is as *wanted*."""

    async def look() -> Metrics | None:
        metrics = await running.metrics()
        return metrics if wanted(metrics) else None

    return await eventually(look, seconds)


def ratios(metrics: Metrics) -> list[float | None]:
    """Return the pass ratio of each monitor's last run."""
    name = "answerprobe_run_pass_ratio"
    return [metrics.total(name, monitor=monitor) for monitor in MONITORS]


def fails(criterion: str) -> Callable[[Metrics], bool]:
    """Return whether *criterion* has failed in a scrape."""
    return lambda metrics: (metrics.total(FAILURES, criterion=criterion) or 0) > 0


def all_below_target(metrics: Metrics) -> bool:
    """Return whether every monitor is below its target, most of them twice."""
    below = [metrics.total(BELOW, monitor=monitor) or 0 for monitor in MONITORS]
    return min(below) >= 1 and sum(below) >= 7


async def last_samples(running: Daemon) -> dict[str, dict[str, object]]:
    """Return a sample of each case of the desk's last run."""
    metrics = await running.metrics()
    number = metrics.total("answerprobe_last_run_id", monitor=DESK)
    assert number is not None
    text = await running.text(f"/v1/runs/{number:.0f}")
    assert text is not None
    return {sample["case"]: sample for sample in json.loads(text)["samples"]}


def desk_ratio(metrics: Metrics) -> float | None:
    """Return the pass ratio of the desk's last run."""
    return metrics.total("answerprobe_run_pass_ratio", monitor=DESK)


def called(sample: dict[str, object]) -> list[str]:
    """Return the tools that the agent called in *sample*, in order."""
    turns = sample["transcript"]
    assert isinstance(turns, list)
    return [call["name"] for turn in turns for call in turn["tool_calls"]]


def reasons(sample: dict[str, object]) -> dict[str, str]:
    """Return why each criterion of *sample* passed or failed."""
    criteria = sample["criteria"]
    assert isinstance(criteria, list)
    return {each["criterion"]: each["reason"] for each in criteria}


class TestDemo:
    """The demo's config, its agent and its judge together."""

    async def test_passes_degrades_and_recovers(
        self, watching: Daemon, shop: TestServer
    ) -> None:
        """Wrong answers make every monitor degrade, and right ones make it well."""
        await scraped(
            watching,
            lambda m: ratios(m) == [1, 1, 1, 1] and (m.total(RUNS) or 0) >= 14,
            seconds=60,
        )

        await misbehave(shop, "wrong")
        bad = await scraped(watching, all_below_target, seconds=60)
        assert bad.total("answerprobe_up") == 4
        assert bad.total("answerprobe_case_regressed", cause="agent", **REFUND) == 1
        assert bad.total("answerprobe_case_regressed", cause="judge") == 0

        await misbehave(shop, "ok")
        well = await scraped(watching, lambda m: ratios(m) == [1, 1, 1, 1], seconds=60)
        assert well.total("answerprobe_case_regressed", **REFUND) == 0
        assert well.total(BELOW) == 0

    async def test_acts_and_talks(self, watching: Daemon, shop: TestServer) -> None:
        """The invoice raises no query and the customer gets no refund, unless wrong."""
        await scraped(watching, lambda m: desk_ratio(m) == 1, seconds=60)
        right = await last_samples(watching)

        await misbehave(shop, "wrong")
        await scraped(watching, lambda m: desk_ratio(m) == 0, seconds=60)
        wrong = await last_samples(watching)

        assert called(right["invoice-matches"]) == ["look_up_order"]
        assert called(right["no-receipt"]) == []
        assert right["no-receipt"]["termination"] == "user_done"
        told = {**reasons(wrong["invoice-matches"]), **reasons(wrong["no-receipt"])}
        for criterion, reason in WRONGS.items():
            assert reason in told[criterion]

    async def test_each_criterion_sees_its_fault(
        self, watching: Daemon, shop: TestServer
    ) -> None:
        """Each way to go wrong is seen by the criterion made for it."""
        for mode, criterion in FAULTS.items():
            await misbehave(shop, mode)

            await scraped(watching, fails(criterion), seconds=60)

    async def test_down_is_not_up(self, watching: Daemon, shop: TestServer) -> None:
        """An agent out of order is down, with the reason."""
        await misbehave(shop, "down")

        metrics = await scraped(
            watching,
            lambda m: (
                [m.total("answerprobe_up", monitor=name) for name in MONITORS]
                == [0, 0, 0, 0]
            ),
            seconds=60,
        )
        errors = "answerprobe_sample_errors_total"
        assert (metrics.total(errors, reason="http_status") or 0) >= 12


@asynccontextmanager
async def demo(*flags: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `python -m answerprobe.demo` with *flags*."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "answerprobe.demo",
        *flags,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class TestCommand:
    """`make demo` as a newcomer runs it."""

    async def test_starts_and_stops(self) -> None:
        """It prints where to look, serves there, and Ctrl-C ends all of it."""
        agent, web = free_port(), free_port()
        async with demo(f"--agent.port={agent}", f"--web.port={web}") as process:
            running = Daemon(port=web, process=process, log_file=Path())
            await eventually(lambda: running.text("/-/ready"), 30)
            process.send_signal(signal.SIGINT)
            output, _ = await process.communicate()

        assert f"http://127.0.0.1:{web}/metrics" in output.decode()
        assert f"http://127.0.0.1:{agent}/misbehave" in output.decode()
        assert process.returncode == 0
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", web)

    async def test_busy_port_is_one_clear_line(self, shop: TestServer) -> None:
        """A port that is taken is named, with the flag to choose another."""
        async with demo(f"--agent.port={shop.port}", "--web.port=1") as process:
            output, _ = await process.communicate()

        assert process.returncode == 1
        assert output.decode().startswith("demo: 127.0.0.1:")
        assert output.decode().count("\n") == 1

    async def test_daemon_that_ends_is_an_error(self, tmp_path: Path) -> None:
        """When the daemon ends by itself, so does the demo, with its status."""
        serve = Serve(
            config_file=tmp_path / "not-there.yml",
            port=free_port(),
            storage_file=tmp_path / "answerprobe.db",
        )

        with pytest.raises(DemoError, match=r"^the daemon ended with status 2"):
            await serve_until_stopped(serve)
