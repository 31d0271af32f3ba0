"""`python -m answerprobe.demo`: agent, stand-ins and daemon, together."""

import tempfile

from pathlib import Path

import click

from aiohttp import web

from answerprobe.demo.agent import ShopAgent
from answerprobe.demo.judge import StandInJudge
from answerprobe.demo.launch import (
    HOST,
    Serve,
    check_free,
    moved_config,
    report,
    serve_until_stopped,
    served,
)
from answerprobe.demo.shop import Mode
from answerprobe.demo.user import StandInUser


AGENT_PORT = 18800
WEB_PORT = 10099
CONFIG_FILE = Path(__file__).with_name("answerprobe.yml")
# A judge's request quotes an answer of up to 1 MiB, JSON-encoded.
_MAX_BODY_BYTES = 4 * 1024 * 1024
_BANNER = """\
answerprobe demo: a shop-support agent, a stand-in for a judge, and the daemon.

  pages      http://{host}:{web}/
  metrics    http://{host}:{web}/metrics
  monitors   http://{host}:{web}/v1/monitors
  agent      http://{host}:{agent}/
  config     {config}

Try this in another terminal; what changes shows within half a minute:
  1. make the agent answer wrongly
     curl -d '{{"mode": "wrong"}}' http://{host}:{agent}/misbehave
  2. see it degrade
     curl -s http://{host}:{web}/metrics | grep -E \
'^answerprobe_(up|run_pass_ratio|consecutive_runs_below_target|case_passing)'
  3. make it well again, and look once more
     curl -d '{{"mode": "ok"}}' http://{host}:{agent}/misbehave
Other ways to go wrong: {modes}.

Ctrl-C stops everything. The daemon's log:
"""


def application() -> web.Application:
    """Return the demo agent, the stand-in judge and the stand-in user as one."""
    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    app.add_routes(ShopAgent().routes())
    app.add_routes(StandInJudge().routes())
    app.add_routes(StandInUser().routes())
    return app


async def run(agent_port: int = AGENT_PORT, web_port: int = WEB_PORT) -> None:
    """
    Run agent, stand-ins and daemon until Ctrl-C.

    Raises:
        DemoError: a port is taken, or the daemon ended by itself.
    """
    check_free(web_port, "--web.port")
    async with served(application(), agent_port, "--agent.port"):
        with tempfile.TemporaryDirectory(prefix="answerprobe-demo-") as name:
            folder = Path(name)
            serve = Serve(
                config_file=moved_config(CONFIG_FILE, folder, AGENT_PORT, agent_port),
                port=web_port,
                storage_file=folder / "answerprobe.db",
            )
            click.echo(_banner(agent_port, web_port))
            await serve_until_stopped(serve)


def _banner(agent_port: int, web_port: int) -> str:
    """Return what a newcomer reads first."""
    modes = ", ".join(mode for mode in Mode if mode not in {Mode.OK, Mode.WRONG})
    return _BANNER.format(
        host=HOST, agent=agent_port, web=web_port, config=CONFIG_FILE, modes=modes
    )


_PORT = click.IntRange(1, 65535)


@click.command()
@click.option("--agent.port", "agent_port", type=_PORT, default=AGENT_PORT)
@click.option("--web.port", "web_port", type=_PORT, default=WEB_PORT)
def main(agent_port: int, web_port: int) -> None:
    """Start a small agent and the daemon that watches it, both on loopback."""
    report(run(agent_port, web_port))


if __name__ == "__main__":
    main()
