"""`make demo-stack`: a newcomer sees AgentDegraded arrive, with both answers."""

import asyncio
import re
import shutil
import signal
import sys

from collections.abc import AsyncIterator

import aiohttp
import pytest

from e2e.program import free_port


SECONDS = 90
PORTS = ("agent", "web", "prometheus", "alertmanager")


@pytest.fixture
def ports() -> dict[str, int]:
    """Return a free port for each part."""
    for program in ("prometheus", "prometheus-alertmanager"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed; make test does that as root")
    return {name: free_port() for name in PORTS}


@pytest.fixture
async def stack(ports: dict[str, int]) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run it."""
    flags = (f"--{name}.port={port}" for name, port in ports.items())
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "answerprobe.demo.stack", *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def printed(process: asyncio.subprocess.Process, wanted: str) -> str:
    """Return what *process* prints until a line matches *wanted*."""
    assert process.stdout is not None
    lines: list[str] = []
    try:
        async with asyncio.timeout(SECONDS):
            async for line in process.stdout:
                lines.append(line.decode())
                if re.search(wanted, lines[-1]):
                    return "".join(lines)
    except TimeoutError:
        pass
    raise AssertionError(f"nothing like {wanted!r} in:\n{''.join(lines)}")


async def metric(port: int, wanted: str) -> None:
    """Wait until the daemon at *port* exports a line that matches *wanted*."""
    async with aiohttp.ClientSession() as session, asyncio.timeout(SECONDS):
        while True:
            try:
                async with session.get(f"http://127.0.0.1:{port}/metrics") as response:
                    if re.search(wanted, await response.text()):
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)


async def misbehave(port: int, mode: str) -> None:
    """Tell the agent at *port* how to behave."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{port}/misbehave", json={"mode": mode}) as done,
    ):
        assert done.status == 200


class TestStack:
    """Agent, daemon, Prometheus, Alertmanager and webhook, all of them real."""

    async def test_an_alert_arrives_with_both_answers_and_goes_again(
        self, stack: asyncio.subprocess.Process, ports: dict[str, int]
    ) -> None:
        """What is printed is what Alertmanager sends; Ctrl-C ends all of it."""
        banner = await printed(stack, "Ctrl-C stops everything")
        for port in ports.values():
            assert f"http://127.0.0.1:{port}/" in banner
        passed = (
            r'case_window_samples\{monitor="Shop chat".*case="refund-window"\} [6-9]'
        )
        await metric(ports["web"], passed)

        await misbehave(ports["agent"], "wrong")
        await printed(stack, r"FIRING  AgentDegraded  \w+  Shop chat$")
        text = await printed(stack, "runbook")
        assert "within 90 days and keep the goods" in text
        assert "within 30 days of delivery" in text

        await misbehave(ports["agent"], "ok")
        await printed(stack, r"RESOLVED  AgentDegraded  \w+  Shop chat$")
        stack.send_signal(signal.SIGINT)
        await stack.communicate()
        assert stack.returncode == 0
        for port in ports.values():
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
