"""Starts the daemon beside a demo agent, and stops it again."""

import asyncio
import os
import signal
import socket
import sys

from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import click

from aiohttp import web

from answerprobe.errors import AnswerprobeError


HOST = "127.0.0.1"
# More than the daemon's own --shutdown.grace, which it uses to finish its samples.
_STOP_SECONDS = 25.0
_SERVE = "import sys; from answerprobe.cli import main; sys.exit(main())"


class DemoError(AnswerprobeError):
    """The demo cannot start; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serve:
    """How the demo's daemon is started: its config, and where it listens and stores."""

    config_file: Path
    port: int
    storage_file: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """Return the command line, run by this very Python."""
        return [
            sys.executable,
            "-c",
            _SERVE,
            "serve",
            f"--config.file={self.config_file}",
            f"--web.listen-address={HOST}:{self.port}",
            f"--storage.url=sqlite:///{self.storage_file}",
            *self.flags,
        ]


def moved_config(shipped: Path, folder: Path, default_port: int, port: int) -> Path:
    """Return a copy in *folder* of the *shipped* config, with the agent at *port*."""
    text = shipped.read_text(encoding="utf-8")
    text = text.replace(f"{HOST}:{default_port}", f"{HOST}:{port}")
    copy = folder / "answerprobe.yml"
    copy.write_text(text, encoding="utf-8")
    return copy


def check_free(port: int, flag: str) -> None:
    """
    See that nothing listens on *port*, which *flag* sets.

    Raises:
        DemoError: something does.
    """
    with socket.socket() as probe:
        # As servers do: a port whose last connections linger counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as exc:
            message = (
                f"{HOST}:{port} is not free ({exc.strerror}): "
                f"stop what listens there, or choose another port with {flag}"
            )
            raise DemoError(message) from exc


@asynccontextmanager
async def served(app: web.Application, port: int, flag: str) -> AsyncIterator[None]:
    """
    Serve *app* on *port*, which *flag* sets, while the block runs.

    Raises:
        DemoError: the port is taken.
    """
    check_free(port, flag)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        yield
    finally:
        await runner.cleanup()


async def serve_until_stopped(serve: Serve) -> None:
    """
    Run the daemon until a signal says to stop, then stop it cleanly.

    Raises:
        DemoError: the daemon ended by itself.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    environment = {**os.environ, **serve.environment}
    async with child(serve.command(), environment) as daemon:
        ended = asyncio.create_task(daemon.wait())
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set():
            stopped.cancel()
            raise DemoError(f"the daemon ended with status {await ended}, see above")


def report(demo: Coroutine[object, object, None]) -> None:
    """Run *demo*; if it cannot go on, say why in one line and exit with 1."""
    try:
        asyncio.run(demo)
    except DemoError as exc:
        click.echo(f"demo: {exc}", err=True)
        sys.exit(1)


@asynccontextmanager
async def child(
    command: list[str], environment: Mapping[str, str], *, stdout: int | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run *command*; on leaving, terminate it, and kill it if that does not help."""
    # In a process group of its own: Ctrl-C in a terminal reaches only the demo, which
    # stops its children in order.
    process = await asyncio.create_subprocess_exec(
        *command, env=dict(environment), stdout=stdout, process_group=0
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
