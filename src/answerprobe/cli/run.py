"""`answerprobe run`: ask everything once, now."""

import asyncio
import sys

from pathlib import Path
from typing import Self

import click

from answerprobe import config as configuration
from answerprobe.cli import _logging, _report
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    plain_errors,
    secrets_option,
    stop,
)
from answerprobe.config import Config
from answerprobe.daemon import OnceOptions, run_once
from answerprobe.run import RunRequest, Trigger
from answerprobe.secret import Scrubber, SecretSource
from answerprobe.status import case_results


_MOST_SAMPLES = 200


@click.command()
@config_argument
@click.option("--monitor", "monitors", multiple=True, help="Only this monitor.")
@click.option("--case", "cases", multiple=True, help="Only the case with this id.")
@click.option(
    "--samples",
    type=click.IntRange(1, _MOST_SAMPLES),
    help="Ask each case so many times.",
)
@click.option("--dry-run", is_flag=True, help="Count for nothing, even when stored.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(_report.FORMATS)),
    default="table",
    show_default=True,
    help="How to print the result.",
)
@click.option(
    "--storage.url",
    "storage_url",
    help="Keep the runs there; else they are kept nowhere.",
)
@secrets_option
@plain_errors
def command(  # noqa: PLR0913  one parameter for each flag
    config: Path,
    *,
    monitors: tuple[str, ...],
    cases: tuple[str, ...],
    samples: int | None,
    dry_run: bool,
    form: str,
    storage_url: str | None,
    secrets_dir: Path | None,
) -> None:
    """
    Ask every case of CONFIG once, as often as it says, and grade the answers.

    Exit status: 0 every case passes, 1 a case fails, 2 wrong usage or configuration,
    3 undecided because a judge could not be used.
    """
    secrets = SecretSource(secrets_dir)
    scrubber = Scrubber(secrets)
    _logging.configure("warn", "logfmt", scrubber.scrub)
    loaded = configuration.load(config, secrets=secrets)
    trigger = Trigger.DRY_RUN if dry_run else Trigger.MANUAL
    requests = _select(loaded, monitors, cases, samples, trigger)
    with _Bar(total=_total(loaded, requests)) as bar:
        options = OnceOptions(
            config=loaded,
            requests=requests,
            storage_url=storage_url,
            scrub=scrubber.scrub,
            progressed=bar.step,
        )
        runs = asyncio.run(run_once(options))
    by_name = {monitor.name: monitor for monitor in loaded.monitors}
    reports = [
        _report.Report(run=run, results=case_results(by_name[run.request.monitor], run))
        for run in runs
    ]
    click.echo(_report.FORMATS[form](reports))
    status = _report.exit_status(reports)
    if status is not ExitStatus.OK:
        raise click.exceptions.Exit(int(status))


def _select(
    config: Config,
    monitors: tuple[str, ...],
    cases: tuple[str, ...],
    samples: int | None,
    trigger: Trigger,
) -> tuple[RunRequest, ...]:
    """Return a request for each monitor that the flags choose; stop where none is."""
    known = {monitor.name for monitor in config.monitors}
    for name in monitors:
        if name not in known:
            stop(f"there is no monitor {name!r}; there are {', '.join(sorted(known))}")
    chosen = [m for m in config.monitors if not monitors or m.name in monitors]
    ids = {case.id for monitor in chosen for case in monitor.cases}
    for case_id in cases:
        if case_id not in ids:
            stop(f"there is no case {case_id!r}; there are {', '.join(sorted(ids))}")
    requests = []
    for monitor in chosen:
        wanted = tuple(case.id for case in monitor.cases if case.id in cases)
        if wanted or not cases:
            requests.append(
                RunRequest(
                    monitor=monitor.name,
                    trigger=trigger,
                    case_ids=wanted or None,
                    samples=samples,
                )
            )
    return tuple(requests)


def _total(config: Config, requests: tuple[RunRequest, ...]) -> int:
    """Return how many samples *requests* make together."""
    by_name = {monitor.name: monitor for monitor in config.monitors}
    return sum(
        request.samples or case.quorum.samples
        for request in requests
        for case in by_name[request.monitor].cases
        if request.case_ids is None or case.id in request.case_ids
    )


class _Bar:
    """A progress bar on a terminal; nothing elsewhere."""

    def __init__(self, *, total: int) -> None:
        self._bar = click.progressbar(
            length=total, label="samples", file=sys.stderr, show_pos=True
        )
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._shown:
            self._bar.__enter__()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._shown:
            self._bar.render_finish()

    def step(self) -> None:
        """One more sample is done."""
        if self._shown:
            self._bar.update(1)
