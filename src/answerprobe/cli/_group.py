"""The command `answerprobe` and where its subcommands are."""

import importlib

from typing import cast

import click

from answerprobe import __version__


# Name -> module that has it as `command`. A command's imports are paid for only by it.
COMMANDS = {
    "serve": "answerprobe.cli.serve",
    "check": "answerprobe.cli.check",
    "run": "answerprobe.cli.run",
    "forget": "answerprobe.cli.forget",
    "demo": "answerprobe.cli.demo",
}


class _Group(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command *cmd_name*; None where there is none."""
        del ctx
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        return cast("click.Command", importlib.import_module(module).command)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="answerprobe")
def main() -> None:
    """Ask AI agents questions on a schedule, grade the answers, tell Prometheus."""
