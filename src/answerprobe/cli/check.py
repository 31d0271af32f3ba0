"""`answerprobe check`: is a configuration sound, and what will it do?"""

from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe import durations, lock
from answerprobe.cli._common import plain_errors, secrets_option, stop
from answerprobe.config import Config, MonitorPlan, plan
from answerprobe.errors import ConfigError
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
@plain_errors
def command(
    configs: tuple[Path, ...],
    secrets_dir: Path | None,
    *,
    allow_missing_secrets: bool,
) -> None:
    """
    Check configurations; print every error, or what each monitor will do.

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
            lock.refuse(path)
        except ConfigError as exc:
            refused.append(str(exc))
        else:
            click.echo(_describe(path, config))
    if refused:
        stop("\n".join(refused))


def _describe(path: Path, config: Config) -> str:
    """Return what *config* will do, a line for each monitor."""
    cases = sum(len(monitor.cases) for monitor in config.monitors)
    head = f"{path}: {len(config.monitors)} monitors, {cases} cases"
    return "\n".join([head, *(f"  {_line(item)}" for item in plan(config))])


def _line(item: MonitorPlan) -> str:
    """Return what one monitor will do."""
    if item.interval_seconds is None or item.tokens_a_month is None:
        tokens = item.agent_tokens_a_run + item.judge_tokens_a_run
        return (
            f"{item.monitor}: {item.samples_a_run} samples a run, on demand only, "
            f"about {tokens:,} tokens a run"
        )
    every = durations.show(item.interval_seconds)
    spent = (
        f"about {item.tokens_a_month:,} tokens a month (agent "
        f"{item.agent_tokens_a_month:,}, judge {item.judge_tokens_a_month:,})"
    )
    budget = (
        f"no budget: unlimited, {spent}"
        if item.token_budget is None
        else f"budget {item.token_budget:,} tokens, {spent}"
    )
    return (
        f"{item.monitor}: {item.samples_a_run} samples every {every}, "
        f"{item.samples_a_month:,} samples a month; {budget}"
    )
