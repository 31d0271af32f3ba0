"""`answerprobe demo`: a small agent to break, and the daemon watching it."""

import os
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
    # In place of this process: what ends it ends the demo, and nothing is left behind.
    command_line = [sys.executable, "-m", "answerprobe.demo", *ctx.args]
    os.execv(sys.executable, command_line)  # noqa: S606  our own program, no shell
