"""What accept, amend, retire and status share: finding cases, saying what they are."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.case import Case, CaseState
from answerprobe.cli._common import counts, stop, unknown
from answerprobe.config import Config
from answerprobe.lock import Entry, Key, Lock, Standing
from answerprobe.monitor import Monitor
from answerprobe.secret import SecretSource


_MOST_CHARACTERS = 2_000
_MOST_NAMED = 10

monitor_option = click.option(
    "--monitor",
    "monitor",
    metavar="NAME",
    help="Which has it, where several have such a case.",
)


class Reason(click.ParamType[str]):
    """Why something is as it is, in words that are kept; never blank."""

    name = "reason"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return *value* without blanks around it."""
        text = str(value).strip()
        if not any(char.isprintable() and not char.isspace() for char in text):
            self.fail("is blank; say why, for those who come later", param, ctx)
        if len(text) > _MOST_CHARACTERS:
            message = f"is {len(text):,} characters long; {_MOST_CHARACTERS:,} will do"
            self.fail(message, param, ctx)
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.fail("is no UTF-8 text", param, ctx)
        return text


reason_option = click.option(
    "--reason",
    metavar="TEXT",
    type=Reason(),
    required=True,
    help="Why, in a sentence; it is kept.",
)


def load_whole(path: Path) -> Config:
    """
    Return the config at *path* with every case that is written in it.

    Raises:
        ConfigError: it is refused, for another reason than its lock.
    """
    return configuration.load(
        path, secrets=SecretSource(None), allow_missing_secrets=True, keep_lock=False
    )


def cases_of(config: Config, monitor: str | None = None) -> Mapping[Key, Case]:
    """Return the cases of *config*, or of its *monitor*; stop where there is none."""
    names = {each.name for each in config.monitors}
    if monitor is not None and monitor not in names:
        stop(unknown("monitor", monitor, names))
    return {
        Key(each.name, case.id): case
        for each in config.monitors
        if monitor is None or each.name == monitor
        for case in (*each.cases, *each.uncounted)
    }


def find(case_id: str, keys: Collection[Key]) -> Key:
    """Return the one of *keys* that has *case_id*; stop where there is not one."""
    found = [key for key in keys if key.case == case_id]
    if not found:
        stop(unknown("case", case_id, {key.case for key in keys}))
    if len(found) > 1:
        names = ", ".join(repr(key.monitor) for key in found)
        stop(f"several monitors have a case {case_id!r}: {names}; add --monitor")
    return found[0]


def find_accepted(case_id: str, config: Config, lock: Lock, monitor: str | None) -> Key:
    """Return the case that is meant by *case_id*, accepted if there is one of it."""
    known: dict[Key, Case | Entry] = {**cases_of(config), **lock.entries}
    if monitor is not None:
        known = {key: each for key, each in known.items() if key.monitor == monitor}
        if not known:
            stop(unknown("monitor", monitor, {each.name for each in config.monitors}))
    accepted = {
        key: entry
        for key, entry in lock.entries.items()
        if key in known and entry.state is CaseState.ACCEPTED
    }
    is_one = any(key.case == case_id for key in accepted)
    return find(case_id, accepted if is_one else known)


def say_drafts(config: Config, lock: Lock) -> None:
    """Say on standard error which cases of *config* are not in *lock*."""
    drafts = [
        key
        for key, case in cases_of(config).items()
        if lock.standing(key, case.fingerprint) is Standing.DRAFT
    ]
    if drafts:
        several = len(config.monitors) > 1
        names = [f"{k.case} ({k.monitor})" if several else k.case for k in drafts]
        click.echo(
            f"{counts(len(drafts), 'case')} not accepted, which only dry runs ask: "
            f"{_named(names)}",
            err=True,
        )


def notes(config: Config) -> Iterator[str]:
    """Yield what `check` says of cases of *config* that don't count."""
    for monitor in config.monitors:
        yield from _notes_of(monitor)


def _notes_of(monitor: Monitor) -> Iterator[str]:
    """Yield what is to be said of *monitor*."""
    if not monitor.cases:
        yield f"{monitor.name}: no case is accepted, so that nothing runs by itself"
    if drafts := [case.id for case in monitor.drafts]:
        number = counts(len(drafts), "draft")
        yield f"{monitor.name}: {number}, only for dry runs: {_named(drafts)}"
    for case in monitor.uncounted:
        if case.state is CaseState.RETIRED:
            yield f"{monitor.name}: {case.id} is retired and does not run; delete it"


def skipped(monitor: Monitor) -> str | None:
    """Return that `run` leaves drafts of *monitor* out; None where it has none."""
    drafts = [case.id for case in monitor.drafts]
    if not drafts:
        return None
    number = counts(len(drafts), "draft")
    return (
        f"{monitor.name}: left out {number}: {_named(drafts)} (--dry-run asks them too)"
    )


def _named(ids: list[str]) -> str:
    """Return *ids* in a row, of very many only the first."""
    more = len(ids) - _MOST_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{', '.join(ids[:_MOST_NAMED])}{rest}"
