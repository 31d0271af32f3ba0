import asyncio
import signal

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from cli.program import Agent, answerprobe, end, start
from e2e.program import free_port


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """`answerprobe serve` as a process of its own."""

    process: asyncio.subprocess.Process
    url: str

    async def status(self, path: str, method: str = "GET") -> int:
        """Return the status of a request; 0 where nobody answers."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.request(method, self.url + path) as response,
            ):
                return response.status
        except aiohttp.ClientError:
            return 0

    async def until_ready(self, status: int) -> None:
        """Wait until /-/ready has *status*."""
        async with asyncio.timeout(30):
            while await self.status("/-/ready") != status:
                assert self.process.returncode is None
                await asyncio.sleep(0.05)


def flags(config: Path, port: int) -> list[str]:
    """Return the flags of a daemon on *config* whose store lies beside it."""
    return [
        f"--config.file={config}",
        f"--web.listen-address=127.0.0.1:{port}",
        f"--storage.url=sqlite:///{config.parent}/kept.db",
    ]


@asynccontextmanager
async def serving(config: Path, *more: str) -> AsyncIterator[Serving]:
    """Run a daemon on *config* that is ready."""
    port = free_port()
    process = await start("serve", *flags(config, port), *more, cwd=config.parent)
    world = Serving(process=process, url=f"http://127.0.0.1:{port}")
    try:
        await world.until_ready(200)
        yield world
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


class TestSigterm:
    async def test_a_run_may_end(self, agent: Agent, tmp_path: Path) -> None:
        """It takes no more work meanwhile, says so, and exits 0."""
        agent.gate = asyncio.Event()
        async with serving(agent.config(tmp_path)) as world:
            assert await world.status("/v1/monitors/shop/runs", "POST") == 202
            await agent.reached.wait()
            world.process.send_signal(signal.SIGTERM)
            await world.until_ready(503)
            agent.gate.set()
            done = await end(world.process)

        assert done.status == 0
        assert "event=run.finished" in done.stderr
        assert done.stderr.splitlines()[-1].endswith("event=daemon.stopped")

    async def test_one_that_hangs_is_interrupted(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """After the grace, and the daemon exits 0 all the same."""
        agent.gate = asyncio.Event()
        config = agent.config(tmp_path)
        async with serving(config, "--shutdown.grace=100ms") as world:
            await world.status("/v1/monitors/shop/runs", "POST")
            await agent.reached.wait()
            world.process.send_signal(signal.SIGTERM)
            done = await end(world.process)
        agent.gate.set()

        assert done.status == 0
        assert "event=run.interrupted" in done.stderr
        assert "event=run.finished" not in done.stderr

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
    async def test_an_idle_one_ends_at_once(
        self, agent: Agent, tmp_path: Path, number: signal.Signals
    ) -> None:
        """Ctrl-C is as good as a supervisor."""
        async with serving(agent.config(tmp_path)) as world:
            world.process.send_signal(number)
            done = await end(world.process)

        assert done.status == 0

    async def test_a_caller_who_never_ends_does_not_hold_it_up(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A body of which half came is not waited for."""
        async with serving(agent.config(tmp_path)) as world:
            port = int(world.url.rpartition(":")[2])
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                b"POST /v1/deploys HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Length: 50\r\n\r\nabc"
            )
            await writer.drain()
            assert await world.status("/-/ready") == 200
            world.process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(30):
                done = await end(world.process)
            writer.close()

        assert done.status == 0


class TestSecond:
    async def test_it_is_refused_in_one_line(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Whether the store or the address is taken; the first one goes on."""
        config = agent.config(tmp_path)
        async with serving(config) as world:
            taken = int(world.url.rpartition(":")[2])
            same_store = await answerprobe(
                "serve", *flags(config, free_port()), cwd=tmp_path
            )
            other = f"--storage.url=sqlite:///{tmp_path}/other.db"
            same_port = await answerprobe(
                "serve", *flags(config, taken), other, cwd=tmp_path
            )

            assert await world.status("/-/ready") == 200
        assert (same_store.status, same_port.status) == (2, 2)
        assert "kept.db" in same_store.stderr
        assert f"127.0.0.1:{taken}: Address already in use" in same_port.stderr
        assert len(same_store.stderr.splitlines()) == 1
        assert len(same_port.stderr.splitlines()) == 1
