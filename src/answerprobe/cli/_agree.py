"""A question on the terminal, before something is spent or deleted."""

import sys

import click


def agrees(question: str) -> bool:
    """Ask *question* on the terminal; a closed standard input means no."""
    # Python has none where it was started with a closed one.
    if sys.stdin is None:
        return False
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo(err=True)
        return False
