"""`answerprobe import`: configurations of other tools as one of answerprobe."""

from pathlib import Path

import click

from answerprobe.cli._common import counts, stop
from answerprobe.promptfoo import Imported, import_promptfoo
from answerprobe.text import one_line
from answerprobe.wholefile import write_whole


_HEAD = "Imported from {name} by `answerprobe import promptfoo`."
_LONGEST_LINE = 200


@click.group()
def command() -> None:
    """
    Make a config of what another tool's configuration says.

    Exit status: 0 there is a config, 2 wrong usage, or nothing could be kept.
    """


@command.command()
@click.argument(
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False, readable=True),
    metavar="FILE",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the config; standard output where it is not given.",
)
@click.option("--force", is_flag=True, help="Overwrite the file at --output.")
def promptfoo(file: Path, *, output: Path | None, force: bool) -> None:
    """
    Make a config of the promptfoo configuration FILE.

    What has no counterpart is listed on standard error, as FILE:LINE: what, why.

    Exit status: 0 there is a config, 2 wrong usage, or FILE cannot be read or nothing
    of it could be kept.
    """
    if output and output.exists() and not force:
        stop(f"{output}: is there already; --force overwrites it")
    imported = import_promptfoo(file)
    told = one_line(imported.description, _LONGEST_LINE)
    lines = [_HEAD.format(name=one_line(file.name, _LONGEST_LINE)), told]
    text = "".join(f"# {line}\n" for line in lines if line) + imported.text
    if output is None:
        click.echo(text.encode(), nl=False)
    else:
        try:
            write_whole(output, text.encode())
        except OSError as exc:
            stop(f"{output}: cannot be written: {(exc.strerror or 'unknown').lower()}")
    for note in imported.notes:
        click.echo(str(note), err=True)
    click.echo(_summary(imported), err=True)


def _summary(imported: Imported) -> str:
    """Return how much there is now."""
    made = f"{counts(imported.monitors, 'monitor')}, {counts(imported.cases, 'case')}"
    if not imported.notes:
        return f"{made}; everything came over"
    return f"{made}; {counts(len(imported.notes), 'note')} above: read them"
