"""`answerprobe check`: is a configuration sound, and what will it do?"""

from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe import durations
from answerprobe.cli._acceptance import notes
from answerprobe.cli._common import counts, secrets_option, stop
from answerprobe.config import Config, MonitorPlan, plan
from answerprobe.errors import ConfigError
from answerprobe.monitor import Monitor
from answerprobe.secret import SecretSource


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
@secrets_option
def command(
    configs: tuple[Path, ...],
    secrets_dir: Path | None,
    *,
    allow_missing_secrets: bool,
) -> None:
    """
    Check configurations; print every error, or what each monitor will do.

    The plan is of 30 days of scheduled runs. Its tokens are a guess: nobody knows how
    long the answers will be. Nothing is asked and nothing is spent.

    Exit status: 0 all are sound, 2 one is not.
    """
    refused = []
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
            click.echo(_describe(path, config))
    if refused:
        stop("\n".join(refused))


def _describe(path: Path, config: Config) -> str:
    """Return what *config* will do, a line for each monitor."""
    cases = sum(len(monitor.cases) for monitor in config.monitors)
    monitors = counts(len(config.monitors), "monitor")
    lines = [f"{path}: {monitors}, {counts(cases, 'case')}"]
    if config.token_budget is not None:
        lines.append(f"  all together: budget {config.token_budget:,} tokens a month")
    lines.extend(f"  {_line(item)}" for item in plan(config))
    lines.extend(f"  {note}" for note in map(_shortened, config.monitors) if note)
    lines.extend(f"  {note}" for note in notes(config))
    return "\n".join(lines)


def _line(item: MonitorPlan) -> str:
    """Return what one monitor will do."""
    samples = counts(item.samples_a_run, "sample")
    if item.interval_seconds is None:
        spent = f"about {item.tokens_a_run:,} tokens a run"
        return (
            f"{item.monitor}: {samples} a run, on demand only; {_budget(item)}{spent}"
        )
    user = f", simulated user {item.user_tokens_a_month:,}"
    spent = (
        f"about {item.tokens_a_month:,} tokens a month (agent "
        f"{item.agent_tokens_a_month:,}, judge {item.judge_tokens_a_month:,}"
        f"{user if item.user_tokens_a_run else ''})"
    )
    return (
        f"{item.monitor}: {samples} every {durations.show(item.interval_seconds)}, "
        f"{item.samples_a_month:,} a month; {_budget(item)}{spent}"
    )


def _shortened(monitor: Monitor) -> str | None:
    """Return that *monitor*'s second look comes sooner than configured, if it does."""
    wait = monitor.second_look_after_seconds
    if monitor.every_seconds is None or wait >= monitor.confirm_seconds:
        return None
    return (
        f"{monitor.name}: asks again after {durations.show(wait)}, half of every, "
        f"before bad news count; confirm ({durations.show(monitor.confirm_seconds)}) "
        "is longer"
    )


def _budget(item: MonitorPlan) -> str:
    """Return what bounds the tokens of a monitor."""
    if item.token_budget is None:
        return "no budget: unlimited, "
    return f"budget {item.token_budget:,} tokens a month, "
