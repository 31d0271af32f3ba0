"""
What answerprobe costs beside the least that such a program can cost.

`make bench` prints a table, all of it measured in one go; docs/performance.md says how
to read it. `make bench ARGS="--only cost --rounds 1"` runs a part.
"""

import tempfile

from collections.abc import Callable
from pathlib import Path

import click

from bench.commands import check, cost, latency
from bench.daemons import idle, lag, scrape, start
from bench.table import HEADING, Row


PARTS: dict[str, Callable[[Path, int], list[Row]]] = {
    "cost": cost,
    "latency": latency,
    "check": check,
    "start": start,
    "scrape": scrape,
    "idle": idle,
    "lag": lag,
}


@click.command()
@click.option("--only", type=click.Choice(list(PARTS)), multiple=True)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
def main(only: tuple[str, ...], rounds: int) -> None:
    """Measure and print; nothing passes or fails."""
    click.echo(HEADING)
    for name in only or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for row in PARTS[name](Path(folder), rounds):
                click.echo(row)


if __name__ == "__main__":
    main()
