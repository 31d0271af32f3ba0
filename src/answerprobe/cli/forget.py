"""`answerprobe forget`: delete what is stored of a monitor or of a case."""

import asyncio

from datetime import UTC, datetime
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.cli._common import config_argument, plain_errors, secrets_option, stop
from answerprobe.evidence import Store
from answerprobe.secret import SecretSource


@click.command()
@config_argument
@click.option("--monitor", required=True, help="The monitor to forget.")
@click.option("--case", "case_id", help="Only this case of it.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.option(
    "--storage.url",
    "storage_url",
    default="sqlite:///answerprobe.db",
    show_default=True,
    help="Where the evidence is kept.",
)
@secrets_option
@plain_errors
def command(
    config: Path,
    *,
    monitor: str,
    case_id: str | None,
    yes: bool,
    storage_url: str,
    secrets_dir: Path | None,
) -> None:
    """
    Delete the stored runs, answers and transcripts of a monitor.

    It names their number first and asks. What was spent stays in the ledger. A daemon
    may be running on the same storage; it drops what was deleted within a minute.
    """
    configuration.load(
        config, secrets=SecretSource(secrets_dir), allow_missing_secrets=True
    )
    asyncio.run(_forget(storage_url, monitor, case_id, yes=yes))


async def _forget(url: str, monitor: str, case_id: str | None, *, yes: bool) -> None:
    """Count, ask, delete."""
    store = await Store.open(url, exclusive=False, clock=lambda: datetime.now(UTC))
    try:
        found = await store.count_forget(monitor, case_id)
        what = f"monitor {monitor!r}" + (f", case {case_id!r}" if case_id else "")
        if not found.runs and not found.samples:
            click.echo(f"nothing is stored of {what}")
            return
        counted = f"{found.runs} runs and {found.samples} samples of {what}"
        if not yes and not click.confirm(f"Delete {counted}?", err=True):
            stop("nothing was deleted")
        await store.forget(monitor, case_id)
        click.echo(f"deleted {counted}")
    finally:
        await store.close()
