"""The command `answerprobe` and where its subcommands are."""

import errno
import gc
import importlib

from typing import NamedTuple, cast

import click

from answerprobe import __version__
from answerprobe.cli._common import ExitStatus, stop
from answerprobe.errors import AnswerprobeError


class _Place(NamedTuple):
    """Where a command is, and what the list of commands says of it."""

    module: str
    help: str


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOOKED_AT_EVERY_OBJECTS = 5_000
# A module has it as `command`. A command's imports are paid for only by itself.
COMMANDS = {
    "serve": _Place("answerprobe.cli.serve", "Watch monitors and serve their metrics."),
    "check": _Place("answerprobe.cli.check", "Check configs; show what they will do."),
    "power": _Place("answerprobe.cli.power", "Tell which drop so many samples show."),
    "run": _Place("answerprobe.cli.run", "Ask every case now, and grade the answers."),
    "grade": _Place("answerprobe.cli.grade", "Grade recorded answers by a case."),
    "draft": _Place("answerprobe.cli.draft", "Let a model draft a case from words."),
    "accept": _Place("answerprobe.cli.accept", "Accept cases: they count, unchanged."),
    "amend": _Place("answerprobe.cli.amend", "Replace an accepted case, and say why."),
    "retire": _Place("answerprobe.cli.retire", "Retire an accepted case, and say why."),
    "status": _Place("answerprobe.cli.status", "Show which cases count."),
    "compare": _Place(
        "answerprobe.cli.compare", "Tell whether another setup answers better."
    ),
    "import": _Place("answerprobe.cli.import_", "Make a config of another tool's."),
    "calibrate": _Place("answerprobe.cli.calibrate", "Measure how good judges are."),
    "forget": _Place("answerprobe.cli.forget", "Delete what is stored of a monitor."),
    "assets": _Place("answerprobe.cli.assets", "Write alert rules and dashboards."),
    "demo": _Place("answerprobe.cli.demo", "Watch a small agent that you can break."),
}


class _Group(click.Group):
    """
    A group whose commands are imported on demand.

    What a command raises on purpose ends it with one clear message and no traceback.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command *cmd_name*; None where there is none."""
        del ctx
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        # What modules are made of stays for good: collecting garbage in between, and
        # looking through it all again later, costs a tenth of a short run.
        gc.disable()
        module = importlib.import_module(place.module)
        gc.freeze()
        # Samples have few cycles: looking for them every 700 objects finds none.
        gc.set_threshold(_LOOKED_AT_EVERY_OBJECTS)
        gc.enable()
        return cast("click.Command", module.command)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was called."""
        try:
            return super().invoke(ctx)
        except AnswerprobeError as exc:
            stop(str(exc))
        except KeyboardInterrupt:
            stop("interrupted", ExitStatus.INTERRUPTED)
        except OSError as exc:
            if exc.errno not in _NO_ROOM:
                raise
            fault = (exc.strerror or str(exc)).lower()
            stop(f"the output cannot be written: {fault}")


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="answerprobe")
def main() -> None:
    """
    Ask AI agents questions on a schedule, grade the answers, tell Prometheus.

    `answerprobe COMMAND --help` tells more of a command.
    """
