"""What several commands share: options, exit statuses, errors in one line."""

import functools

from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

import click

from answerprobe import durations
from answerprobe.errors import AnswerprobeError


_P = ParamSpec("_P")
_R = TypeVar("_R")


class ExitStatus(IntEnum):
    """How the program ends."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_JUDGED = 3


class Duration(click.ParamType[float]):
    """A span of time such as `15s`; its value is in seconds."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds that *value* spells."""
        if isinstance(value, float):
            return value
        try:
            return durations.parse(str(value))
        except ValueError as exc:
            self.fail(str(exc), param, ctx)


config_argument = click.argument(
    "config", type=click.Path(path_type=Path), metavar="CONFIG"
)
secrets_option = click.option(
    "--secrets.dir",
    "secrets_dir",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder with a file for each secret; else they come from the environment.",
)


def stop(message: str, status: ExitStatus = ExitStatus.USAGE) -> NoReturn:
    """End the program with *message* on standard error."""
    click.echo(message, err=True)
    raise click.exceptions.Exit(int(status))


def plain_errors(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make *command* end with one clear message where it raises an error of ours."""

    @functools.wraps(command)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return command(*args, **kwargs)
        except AnswerprobeError as exc:
            stop(str(exc))

    return wrapped
