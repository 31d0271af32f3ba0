"""`answerprobe status`: which cases are drafts, accepted, changed or retired."""

import json

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from answerprobe.cli._acceptance import cases_of, load_whole
from answerprobe.cli._columns import one_line
from answerprobe.cli._common import config_argument
from answerprobe.config import Config
from answerprobe.lock import Key, Lock, Standing, lock_of, read


_HEAD = ("MONITOR", "CASE", "STATE", "WHY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How one case stands. *there*: it is in the config."""

    key: Key
    standing: Standing
    reason: str | None = None
    replaced_by: str | None = None
    there: bool = True

    @property
    def why(self) -> str:
        """What is to be said of it, in words."""
        if self.standing is Standing.CHANGED:
            return "differs from what was accepted" if self.there else "is gone"
        instead = f"replaced by {self.replaced_by}: " if self.replaced_by else ""
        return f"{instead}{self.reason or ''}"


@click.command()
@config_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
def command(config: Path, *, form: str) -> None:
    """
    Show how each case of CONFIG, and each that was accepted once, stands.

    draft: only dry runs ask it. accepted: it counts. changed: it was accepted, and has
    changed or is gone since, which `check` and `serve` refuse. retired: it does not run
    any more.

    Exit status: 0 whatever they are, 2 CONFIG or its lock cannot be read.
    """
    loaded = load_whole(config)
    lock = read(lock_of(config))
    rows = list(_rows(loaded, lock))
    if lock is None:
        name = lock_of(config).name
        click.echo(f"there is no {name}: every case counts", err=True)
    click.echo(_as_json(rows) if form == "json" else _as_table(rows))


def _rows(config: Config, lock: Lock | None) -> Iterator[Row]:
    """Yield the cases of *config*, then what only *lock* knows."""
    known = cases_of(config)
    if lock is None:
        yield from (Row(key=key, standing=Standing.ACCEPTED) for key in known)
        return
    for key, case in known.items():
        yield _row(lock, key, case.fingerprint)
    for key in sorted(lock.entries.keys() - known.keys()):
        yield _row(lock, key, None)


def _row(lock: Lock, key: Key, fingerprint: str | None) -> Row:
    """Return how *key* stands to *lock*, its *fingerprint* now None if it is gone."""
    entry = lock.entries.get(key)
    return Row(
        key=key,
        standing=lock.standing(key, fingerprint),
        reason=entry.reason if entry else None,
        replaced_by=entry.replaced_by if entry else None,
        there=fingerprint is not None,
    )


def _as_json(rows: Sequence[Row]) -> str:
    """Return *rows* as JSON."""
    cases = [
        {
            "id": row.key.case,
            "monitor": row.key.monitor,
            "state": row.standing.value,
            "reason": row.reason,
            "replaced_by": row.replaced_by,
        }
        for row in rows
    ]
    return json.dumps({"cases": cases}, ensure_ascii=False, indent=2)


def _as_table(rows: Sequence[Row]) -> str:
    """Return a line for each of *rows*."""
    lines = [
        _HEAD,
        *(
            (
                one_line(row.key.monitor),
                one_line(row.key.case),
                row.standing.value,
                one_line(row.why),
            )
            for row in rows
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )
