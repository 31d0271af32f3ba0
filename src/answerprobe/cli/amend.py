"""`answerprobe amend`: another case in the place of an accepted one, and why."""

from pathlib import Path

import click

from answerprobe.cli._acceptance import (
    cases_of,
    find_accepted,
    load_whole,
    monitor_option,
    reason_option,
)
from answerprobe.cli._common import config_argument, stop, unknown
from answerprobe.lock import Key, Lock, change, lock_of


@click.command()
@config_argument
@click.option("--case", "old", metavar="OLD", required=True, help="The accepted case.")
@click.option("--as", "new", metavar="NEW", required=True, help="What replaces it.")
@reason_option
@monitor_option
def command(
    config: Path, *, old: str, new: str, reason: str, monitor: str | None
) -> None:
    """
    Retire the case OLD of CONFIG and accept NEW, a case of the same monitor, for it.

    OLD may be gone from CONFIG already. It takes effect at the next reload.

    Exit status: 0 it is done, 2 it cannot be, and nothing changed.
    """
    loaded = load_whole(config)
    known = cases_of(loaded)
    amended: list[Key] = []

    def edit(lock: Lock | None) -> Lock:
        before = lock or Lock()
        key = find_accepted(old, loaded, before, monitor)
        case = known.get(Key(key.monitor, new))
        if case is None:
            ids = {each.case for each in known if each.monitor == key.monitor}
            stop(unknown("case", new, ids))
        amended.append(key)
        return before.amend(key, new, case.fingerprint, reason)

    change(lock_of(config), edit)
    click.echo(f"retired {amended[0]} and accepted {new!r} in its place")
