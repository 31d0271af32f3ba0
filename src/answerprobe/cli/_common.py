"""What several commands share: options, exit statuses, how to end."""

import difflib

from collections.abc import Collection
from enum import IntEnum
from pathlib import Path
from typing import NoReturn

import click

from answerprobe import durations


_MOST_NAMED = 10


class ExitStatus(IntEnum):
    """How the program ends."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_JUDGED = 3
    # What a shell says of a program that Ctrl-C ended.
    INTERRUPTED = 130


class Duration(click.ParamType[float]):
    """A span of time such as `15s`, at most a day; its value is in seconds."""

    name = "duration"
    longest_seconds = 86400.0

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds that *value* spells."""
        if isinstance(value, float):
            return value
        try:
            seconds = durations.parse(str(value))
        except ValueError as exc:
            self.fail(str(exc), param, ctx)
        if seconds > self.longest_seconds:
            self.fail(f"{value} is longer than a day", param, ctx)
        return seconds


config_argument = click.argument(
    "config", type=click.Path(path_type=Path), metavar="CONFIG"
)
secrets_option = click.option(
    "--secrets.dir",
    "secrets_dir",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder with a file for each secret; what has none is taken from the "
    "environment.",
)


def stop(message: str, status: ExitStatus = ExitStatus.USAGE) -> NoReturn:
    """End the program with *message* on standard error."""
    click.echo(message, err=True)
    raise click.exceptions.Exit(int(status))


def unknown(kind: str, name: str, known: Collection[str]) -> str:
    """Return that there is no *kind* called *name*, with what may have been meant."""
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"there is no {kind} {name!r} (did you mean {near[0]!r}?)"
    shown = ", ".join(map(repr, sorted(known)[:_MOST_NAMED]))
    more = len(known) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"there is no {kind} {name!r}; known: {shown}{rest}"


def counts(number: int, noun: str) -> str:
    """Return *number* with *noun* in the singular or plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
