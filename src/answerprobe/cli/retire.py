"""`answerprobe retire`: an accepted case that is wanted no longer, and why."""

from pathlib import Path

import click

from answerprobe.cli._acceptance import (
    find_accepted,
    load_whole,
    monitor_option,
    reason_option,
)
from answerprobe.cli._common import config_argument
from answerprobe.lock import Key, Lock, change, lock_of


@click.command()
@config_argument
@click.option("--case", "case_id", metavar="ID", required=True, help="The case.")
@reason_option
@monitor_option
def command(config: Path, *, case_id: str, reason: str, monitor: str | None) -> None:
    """
    Retire an accepted case of CONFIG: it counts no longer and may be deleted.

    It may be gone from CONFIG already, and so may its monitor. It takes effect at the
    next reload.

    Exit status: 0 it is retired, 2 it cannot be, and nothing changed.
    """
    loaded = load_whole(config)
    retired: list[Key] = []

    def edit(lock: Lock | None) -> Lock:
        before = lock or Lock()
        key = find_accepted(case_id, loaded, before, monitor)
        retired.append(key)
        return before.retire(key, reason)

    change(lock_of(config), edit)
    click.echo(f"retired {retired[0]}")
