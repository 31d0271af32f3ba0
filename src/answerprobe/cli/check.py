"""`answerprobe check`: is a configuration sound, and what will it do?"""

import json

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from answerprobe import config as configuration
from answerprobe.cli import _acceptance
from answerprobe.cli._columns import one_line
from answerprobe.cli._common import counts, secrets_option, stop
from answerprobe.cli._plan_json import config_shape
from answerprobe.cli._plan_table import as_tables
from answerprobe.config import Config, MonitorPlan, plan
from answerprobe.config.notes import Note, notes
from answerprobe.errors import ConfigError
from answerprobe.secret import SecretSource


class _Sound(NamedTuple):
    """
    A sound configuration, and all there is to say of it.

    *notes* are on how it is written, *acceptance* on cases that don't count.
    """

    config: Config
    plans: tuple[MonitorPlan, ...]
    notes: tuple[Note, ...] = ()
    acceptance: tuple[str, ...] = ()


@click.command()
@click.argument(
    "configs",
    type=click.Path(path_type=Path),
    metavar="CONFIG...",
    nargs=-1,
    required=True,
)
@click.option(
    "--allow-missing-secrets",
    is_flag=True,
    help="Accept secrets that are not there, as in CI.",
)
@click.option(
    "--no-notes", is_flag=True, help="Leave out what is only worth a thought."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print the plan.",
)
@secrets_option
def command(
    configs: tuple[Path, ...],
    secrets_dir: Path | None,
    output_format: str,
    *,
    allow_missing_secrets: bool,
    no_notes: bool,
) -> None:
    """
    Check configurations; print every error, or what each monitor will do.

    The plan is of 30 days of scheduled runs: samples, tokens (a guess: nobody knows how
    long the answers will be), false pages to expect, and how soon a drop is noticed.
    Nothing is asked and nothing is spent.

    Exit status: 0 all are sound, 2 one is not.
    """
    sound, refused = [], []
    for path in configs:
        try:
            config = configuration.load(
                path,
                secrets=SecretSource(secrets_dir),
                allow_missing_secrets=allow_missing_secrets,
            )
        except ConfigError as exc:
            refused.append(str(exc))
        else:
            sound.append(_looked_at(config, with_notes=not no_notes))
    if text := _FORMATS[output_format](sound):
        click.echo(text)
    if refused:
        stop("\n".join(refused))


def _looked_at(config: Config, *, with_notes: bool) -> _Sound:
    """Return all there is to say of *config*."""
    plans = plan(config)
    if not with_notes:
        return _Sound(config, plans)
    acceptance = tuple(_acceptance.notes(config))
    return _Sound(config, plans, notes(config, plans), acceptance)


def _as_table(sound: list[_Sound]) -> str:
    """Return the plans as tables, with the notes below."""
    return "\n\n".join(map(_describe, sound))


def _as_json(sound: list[_Sound]) -> str:
    """Return `{"configs": [...]}`."""
    shapes = [
        config_shape(one.config, one.plans, one.notes)
        | {"acceptance": list(one.acceptance)}
        for one in sound
    ]
    return json.dumps({"configs": shapes}, ensure_ascii=False)


def _describe(one: _Sound) -> str:
    """Return what one configuration will do."""
    cases = sum(len(monitor.cases) for monitor in one.config.monitors)
    monitors = counts(len(one.config.monitors), "monitor")
    head = [f"{one.config.path}: {monitors}, {counts(cases, 'case')}"]
    if one.config.token_budget is not None:
        budget = f"{one.config.token_budget:,}"
        head.append(f"  all together: budget {budget} tokens a month")
    head.extend(f"  {text}" for text in one.acceptance)
    parts = ["\n".join(head), as_tables(one.plans)]
    if one.notes:
        lines = (
            f"{one_line(note.monitor or 'all monitors')}: {note.text}"
            for note in one.notes
        )
        parts.append("\n".join(["NOTES (--no-notes leaves them out)", *lines]))
    return "\n\n".join(filter(None, parts))


_FORMATS: Mapping[str, Callable[[list[_Sound]], str]] = {
    "table": _as_table,
    "json": _as_json,
}
