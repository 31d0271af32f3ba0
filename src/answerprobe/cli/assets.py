"""`answerprobe assets`: write the alert rules, dashboards and examples that we ship."""

from collections.abc import Sequence
from pathlib import Path

import click

from answerprobe.cli._common import counts, stop
from answerprobe.shipped import ShippedFile, shipped


@click.command()
@click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR"
)
@click.option("--force", is_flag=True, help="Overwrite files that differ.")
def command(folder: Path, *, force: bool) -> None:
    """
    Write the alert rules, dashboards and examples of this version into DIR.

    Files that are there already and differ are named, and nothing at all is written,
    unless --force is given.

    Exit status: 0 all of them are there, 2 nothing was written, or not all could be.
    """
    try:
        missing, differing = _compared(folder, shipped())
        if differing and not force:
            stop(_refusal(folder, differing))
        for file in (*missing, *differing):
            _write(folder / file.path, file.content)
            click.echo(folder / file.path)
    except OSError as exc:
        stop(f"{exc.filename}: {exc.strerror}")
    if not missing and not differing:
        click.echo(f"{folder} is up to date")


def _compared(
    folder: Path, files: Sequence[ShippedFile]
) -> tuple[list[ShippedFile], list[ShippedFile]]:
    """Return which of *files* are not in *folder*, and which are there but differ."""
    missing: list[ShippedFile] = []
    differing: list[ShippedFile] = []
    for file in files:
        path = folder / file.path
        if not path.exists():
            missing.append(file)
        elif path.read_bytes() != file.content:
            differing.append(file)
    return missing, differing


def _refusal(folder: Path, differing: Sequence[ShippedFile]) -> str:
    """Return which files are in the way, and what to do."""
    named = "".join(f"\n  {folder / file.path}" for file in differing)
    return (
        f"nothing was written: {counts(len(differing), 'file')} in {folder} would be "
        f"overwritten by others of this version (--force does that):{named}"
    )


def _write(path: Path, content: bytes) -> None:
    """Write *content* to *path*, whose folder may not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
