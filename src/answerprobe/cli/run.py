"""`answerprobe run`: ask everything once, now."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from answerprobe import config as configuration
from answerprobe.case import MOST_SAMPLES, Case
from answerprobe.cli import _logging
from answerprobe.cli._acceptance import skipped
from answerprobe.cli._bar import Bar
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    secrets_option,
    stop,
    unknown,
)
from answerprobe.cli._formats import FORMATS
from answerprobe.cli._interruptible import carry_out
from answerprobe.cli._report import Report, exit_status
from answerprobe.config import Config
from answerprobe.daemon.once import OnceOptions, run_once
from answerprobe.monitor import Monitor
from answerprobe.run import RunRequest, Trigger, impossible
from answerprobe.secret import Scrubber, SecretSource


@click.command()
@config_argument
@click.option(
    "--monitor",
    "monitors",
    metavar="NAME",
    multiple=True,
    help="Only this monitor; may be given several times.",
)
@click.option(
    "--case",
    "cases",
    metavar="ID",
    multiple=True,
    help="Only the case with this id; may be given several times.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, MOST_SAMPLES),
    help="Ask each case so many times; two thirds of them must pass.",
)
@click.option("--dry-run", is_flag=True, help="Ask drafts too, and count for nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="table",
    show_default=True,
    help="How to print the result.",
)
@click.option(
    "--storage.url",
    "storage_url",
    metavar="URL",
    help="Keep the runs there, such as sqlite:///runs.db; else nothing is kept.",
)
@secrets_option
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
    Ask every case of CONFIG as often as it says, now, and grade the answers.

    The result goes to standard output, everything else to standard error.

    Exit status: 0 every case passes, 1 a case fails, 2 wrong usage or configuration,
    3 undecided: a judge could not be used, or a token budget cut the run short.
    """
    secrets = SecretSource(secrets_dir)
    scrub = Scrubber(secrets).scrub
    _logging.configure("warn", "logfmt", scrub)
    loaded = configuration.load(config, secrets=secrets)
    trigger = Trigger.DRY_RUN if dry_run else Trigger.MANUAL
    requests = _select(loaded, monitors, cases, samples, trigger)
    with Bar(total=_total(loaded, requests)) as bar:
        options = OnceOptions(
            config=loaded,
            requests=requests,
            storage_url=storage_url,
            scrub=scrub,
            progressed=bar.step,
        )
        runs = carry_out(run_once(options))
    by_name = {monitor.name: monitor for monitor in loaded.monitors}
    reports = [Report.of(by_name[run.request.monitor], run) for run in runs]
    click.echo(FORMATS[form](reports))
    _end(reports)


def _end(reports: list[Report]) -> None:
    """End the program as *reports* tell, saying what kept a run from its end."""
    for report in reports:
        if report.cut_short:
            click.echo(report.cut_short, err=True)
    status = exit_status(reports)
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
            stop(unknown("monitor", name, known))
    chosen = [m for m in config.monitors if not monitors or m.name in monitors]
    ids = {
        case.id for monitor in chosen for case in (*monitor.cases, *monitor.uncounted)
    }
    for case_id in cases:
        if case_id not in ids:
            stop(unknown("case", case_id, ids))
    requests = []
    for monitor in chosen:
        written = (*monitor.cases, *monitor.uncounted)
        wanted = tuple(case.id for case in written if case.id in cases)
        if wanted or not cases:
            request = RunRequest(
                monitor=monitor.name,
                trigger=trigger,
                case_ids=wanted or None,
                samples=samples,
            )
            _check_samples(request.cases_of(monitor), samples)
            requests.append((monitor, request))
    return tuple(_that_run(requests))


def _that_run(wanted: list[tuple[Monitor, RunRequest]]) -> Iterator[RunRequest]:
    """Yield what of *wanted* can run, saying what does not; stop where nothing does."""
    able = 0
    for monitor, request in wanted:
        fault = request.fault_for(monitor)
        if fault and request.case_ids:
            stop(fault)
        counted = request.trigger is not Trigger.DRY_RUN and not request.case_ids
        if counted and (left_out := skipped(monitor)):
            click.echo(left_out, err=True)
        if not fault:
            able += 1
            yield request
    if not able:
        stop("no case is accepted, so that there is nothing to run")


def _check_samples(cases: Iterable[Case], samples: int | None) -> None:
    """Stop where so many *samples* could not decide one of *cases*."""
    if samples is None:
        return
    if found := [text for case in cases if (text := impossible(case, samples))]:
        stop("--samples: " + "\n".join(found))


def _total(config: Config, requests: tuple[RunRequest, ...]) -> int:
    """Return how many samples *requests* make together."""
    by_name = {monitor.name: monitor for monitor in config.monitors}
    return sum(
        request.samples or case.samples
        for request in requests
        for case in request.cases_of(by_name[request.monitor])
    )
