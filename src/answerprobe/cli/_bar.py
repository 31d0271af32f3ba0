"""How far a command has come, for a person at a terminal."""

import sys

from typing import Self

import click


class Bar:
    """A progress bar on a terminal, with *done* of *total* there; nothing elsewhere."""

    def __init__(self, *, total: int, done: int = 0) -> None:
        self._bar = click.progressbar(
            length=total, label="samples", file=sys.stderr, show_pos=True
        )
        self._done = done
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._shown:
            self._bar.__enter__()
            self._bar.update(self._done)
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._shown:
            self._bar.render_finish()

    def step(self) -> None:
        """One more sample is done."""
        if self._shown:
            self._bar.update(1)
