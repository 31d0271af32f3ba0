"""`answerprobe demo`: a small agent to break, and the daemon watching it."""

import subprocess
import sys

import click


@click.command(
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": [],
    }
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Start a demo agent and a daemon that watches it."""
    # A process of its own: what the demo starts must end with it, whatever happens.
    command_line = [sys.executable, "-m", "answerprobe.demo", *ctx.args]
    process = subprocess.Popen(command_line)  # noqa: S603  our own program
    while True:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            # The terminal sent it to the demo too, which ends in its own time.
            continue
        break
    ctx.exit(status)
