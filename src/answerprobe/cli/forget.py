"""`answerprobe forget`: delete what is stored of a monitor or of a case."""

import asyncio

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.cli._agree import agrees
from answerprobe.cli._common import config_argument, counts, secrets_option, stop
from answerprobe.evidence import Forgotten, Store
from answerprobe.secret import SecretSource


@click.command()
@config_argument
@click.option("--monitor", metavar="NAME", required=True, help="The monitor to forget.")
@click.option("--case", "case_id", metavar="ID", help="Only this case of it.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.option(
    "--storage.url",
    "storage_url",
    metavar="URL",
    envvar="ANSWERPROBE_STORAGE_URL",
    show_envvar=True,
    default="sqlite:///answerprobe.db",
    show_default=True,
    help="Where the evidence is kept.",
)
@secrets_option
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

    It names their number first and asks. The monitor need not be in CONFIG any more.
    What was spent stays in the ledger. A daemon may be running on the same storage; it
    drops what was deleted within a minute.

    Exit status: 0 it is deleted, 2 nothing is there, or it was not to be.
    """
    configuration.load(
        config,
        secrets=SecretSource(secrets_dir),
        allow_missing_secrets=True,
        # What was once asked may be deleted whatever became of its case.
        keep_lock=False,
    )
    what = f"monitor {monitor!r}" + (f", case {case_id!r}" if case_id else "")
    found = asyncio.run(_count(storage_url, monitor, case_id))
    if not found.runs and not found.samples:
        stop(f"nothing is stored of {what}")
    # Asked outside of any event loop, where Ctrl-C is heard.
    if not (yes or agrees(f"Delete {_told(found)} of {what}?")):
        stop("nothing was deleted")
    deleted = asyncio.run(_delete(storage_url, monitor, case_id))
    click.echo(f"deleted {_told(deleted)} of {what}")


def _told(forgotten: Forgotten) -> str:
    """Return the numbers of *forgotten* in words."""
    runs, samples = forgotten.runs, forgotten.samples
    return f"{counts(runs, 'run')} and {counts(samples, 'sample')}"


async def _count(url: str, monitor: str, case_id: str | None) -> Forgotten:
    """Return how much there is of *monitor*, or of its case."""
    async with _opened(url) as store:
        return await store.count_forget(monitor, case_id)


async def _delete(url: str, monitor: str, case_id: str | None) -> Forgotten:
    """Delete it, and return how much that was."""
    async with _opened(url) as store:
        return await store.forget(monitor, case_id)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Store]:
    """Open the store at *url*, which a daemon may be using, while the block runs."""
    store = await Store.open(
        url, exclusive=False, create=False, clock=lambda: datetime.now(UTC)
    )
    try:
        yield store
    finally:
        await store.close()
