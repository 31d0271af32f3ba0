"""`answerprobe accept`: from now on these cases count, and stay as they are."""

from collections.abc import Mapping
from pathlib import Path

import click

from answerprobe.case import Case
from answerprobe.cli._acceptance import (
    cases_of,
    find,
    load_whole,
    monitor_option,
    say_drafts,
)
from answerprobe.cli._common import config_argument, stop
from answerprobe.lock import Key, Lock, Standing, change, lock_of


@click.command()
@config_argument
@click.option(
    "--case",
    "case_ids",
    metavar="ID",
    multiple=True,
    help="The case with this id; may be given several times.",
)
@click.option("--all", "everything", is_flag=True, help="Every case that is a draft.")
@monitor_option
def command(
    config: Path, *, case_ids: tuple[str, ...], everything: bool, monitor: str | None
) -> None:
    """
    Accept cases of CONFIG: they count from the next reload on, and may not change.

    They are written into answerprobe.lock beside CONFIG, which belongs into Git. As
    soon as there is one, cases that are not in it are drafts.

    Exit status: 0 they are accepted, 2 one cannot be, and nothing changed.
    """
    if everything == bool(case_ids):
        stop("say which cases: either --case, once or several times, or --all")
    loaded = load_whole(config)
    known = cases_of(loaded, monitor)
    chosen = {key: known[key] for key in (find(case_id, known) for case_id in case_ids)}
    new: list[Key] = []

    def edit(lock: Lock | None) -> Lock:
        wanted = known if everything else chosen
        return _accepted(lock or Lock(), wanted, new, skip_retired=everything)

    lock = change(lock_of(config), edit)
    for key in new:
        click.echo(f"accepted {key}")
    if not new:
        click.echo("nothing to accept: what was named is accepted already")
    say_drafts(loaded, lock)


def _accepted(
    lock: Lock, cases: Mapping[Key, Case], new: list[Key], *, skip_retired: bool
) -> Lock:
    """Return *lock* with *cases*; those that were none before are added to *new*."""
    for key, case in cases.items():
        standing = lock.standing(key, case.fingerprint)
        if standing is Standing.RETIRED and skip_retired:
            continue
        lock = lock.accept(key, case.fingerprint)
        if standing is Standing.DRAFT:
            new.append(key)
    return lock
