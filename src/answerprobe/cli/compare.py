"""`answerprobe compare`: does another setup of an agent answer better?"""

import asyncio
import json

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from answerprobe import shapes
from answerprobe.cli import _logging
from answerprobe.cli._agree import agrees
from answerprobe.cli._bar import Bar
from answerprobe.cli._columns import one_line
from answerprobe.cli._common import (
    ExitStatus,
    config_argument,
    counts,
    secrets_option,
    stop,
)
from answerprobe.cli._comparison import as_table
from answerprobe.cli._experiment import Order, Wanted, order, resumed
from answerprobe.cli._interruptible import carry_out
from answerprobe.cli._spend import Left, Spend, estimate
from answerprobe.comparison import Experiment, Setup
from answerprobe.daemon.compare import (
    CompareOptions,
    compare_once,
    find_asked,
    find_experiment,
    find_recent,
)
from answerprobe.passrate import Change
from answerprobe.run import RunState
from answerprobe.secret import Scrubber, SecretSource


_MOST_RUNS = 200
_RUNS = 10
_MOST_NAMED = 5


@click.command()
@config_argument
@click.option("--monitor", metavar="NAME", help="Which one, where there are several.")
@click.option(
    "--case",
    "cases",
    metavar="ID",
    multiple=True,
    help="Only the case with this id; may be given several times.",
)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the changed setup has otherwise: model, system_prompt (@FILE reads a "
    "file), endpoint, temperature or headers.NAME; may be given several times.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, _MOST_RUNS),
    help=f"Ask each case so often with each setup.  [default: {_RUNS}]",
)
@click.option("--yes", is_flag=True, help="Don't ask before spending.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print the result.",
)
@click.option(
    "--storage.url",
    "storage_url",
    metavar="URL",
    envvar="ANSWERPROBE_STORAGE_URL",
    show_envvar=True,
    default="sqlite:///answerprobe.db",
    show_default=True,
    help="Where the experiment is kept.",
)
@click.option(
    "--resume",
    type=click.IntRange(1),
    metavar="ID",
    help="Go on with an experiment that was cut short.",
)
@secrets_option
def command(  # noqa: PLR0913  one parameter for each flag
    config: Path,
    *,
    monitor: str | None,
    cases: tuple[str, ...],
    settings: tuple[str, ...],
    runs: int | None,
    yes: bool,
    form: str,
    storage_url: str,
    resume: int | None,
    secrets_dir: Path | None,
) -> None:
    """
    Ask an agent as it is and with --set, in turn, and tell what differs.

    It says first what that will spend, and asks. The result goes to standard output,
    everything else to standard error. Each sample is kept as it comes: what was cut
    short goes on with --resume. A daemon may be running on the same storage.

    Exit status: 0 no criterion regressed, 1 one did, 2 wrong usage or configuration, or
    it was not to be, 3 undecided: a judge could not be used, or a token budget cut it
    short.
    """
    secrets = SecretSource(secrets_dir)
    scrub = Scrubber(secrets).scrub
    _logging.configure("warn", "logfmt", scrub)
    wanted = Wanted(
        config=config,
        secrets=secrets,
        scrub=scrub,
        monitor=monitor,
        cases=cases,
        settings=settings,
        samples=runs,
    )
    made, asked = _order(wanted, storage_url, resume)
    _announce(made, asked, storage_url)
    # Asked outside of any event loop, where Ctrl-C is heard.
    if not (yes or agrees("Go on?")):
        stop("nothing was asked")
    experiment = _carry_out(made, asked, resume, storage_url, scrub)
    click.echo(
        json.dumps(shapes.experiment_shape(experiment), ensure_ascii=False)
        if form == "json"
        else as_table(experiment)
    )
    _end(experiment)


def _order(
    wanted: Wanted, storage_url: str, resume: int | None
) -> tuple[Order, Mapping[tuple[Setup, str], int]]:
    """Return what is to be carried out, and how much of it was asked already."""
    if resume is None:
        return order(wanted, default_samples=_RUNS), {}
    kept = asyncio.run(find_experiment(storage_url, resume))
    if kept is None:
        stop(f"there is no experiment {resume} in this store")
    if kept.state is RunState.COMPLETED:
        stop(f"experiment {resume} is complete: nothing is left")
    return resumed(wanted, kept), asyncio.run(find_asked(storage_url, kept))


def _announce(
    made: Order, asked: Mapping[tuple[Setup, str], int], storage_url: str
) -> None:
    """Say what is compared, and about what that will spend."""
    plan = made.plan
    current = made.monitors[Setup.CURRENT]
    recent = asyncio.run(find_recent(storage_url, current))
    left = Left(samples=plan.samples, asked=asked)
    spend = estimate(made.config, made.monitors, left, recent, plan.prices)
    runs, cases = counts(plan.samples, "run"), counts(len(plan.cases), "case")
    done = f", {sum(asked.values()):,} of them asked already" if asked else ""
    most = "at most " if spend.at_most else ""
    click.echo(f"{one_line(plan.monitor)}, {one_line(plan.reason)}", err=True)
    click.echo(
        f"  {most}{counts(spend.calls, 'call')} of the agent: {runs} of {cases} with 2 "
        f"setups, {counts(plan.total, 'sample')}{done}",
        err=True,
    )
    click.echo(f"  {_tokens(spend)}", err=True)
    click.echo(f"  {_dollars(spend)}", err=True)


def _carry_out(
    made: Order,
    asked: Mapping[tuple[Setup, str], int],
    resume: int | None,
    storage_url: str,
    scrub: Callable[[str], str],
) -> Experiment:
    """Carry out what was agreed to, and show how far it is."""
    with Bar(total=made.plan.total, done=sum(asked.values())) as bar:
        options = CompareOptions(
            config=made.config,
            monitors=made.monitors,
            plan=made.plan,
            resume=resume,
            storage_url=storage_url,
            scrub=scrub,
            begun=_tell_number,
            progressed=bar.step,
        )
        return carry_out(compare_once(options))


def _tokens(spend: Spend) -> str:
    """Return about how many tokens, by role."""
    roles = ", ".join(
        f"{role.value.replace('_', ' ')} {tokens:,}"
        for role, tokens in spend.tokens.items()
    )
    source = "by past runs" if spend.from_past else "by the texts' length"
    return f"about {spend.total_tokens:,} tokens ({roles}), {source}"


def _dollars(spend: Spend) -> str:
    """Return about how many dollars, as far as prices are set."""
    if spend.dollars is None:
        return "cost unknown: no price is set"
    unpriced = ", ".join(role.value.replace("_", " ") for role in spend.unpriced)
    without = f", without {unpriced}, which has no price" if unpriced else ""
    return f"about ${spend.dollars:.4f}{without}"


def _tell_number(experiment: Experiment) -> None:
    """Say under which number the experiment is kept."""
    click.echo(
        f"experiment {experiment.id}; if it is cut short, --resume {experiment.id} "
        "goes on with it",
        err=True,
    )


def _end(experiment: Experiment) -> None:
    """End the program as *experiment* tells."""
    if experiment.state is not RunState.COMPLETED:
        stop(
            f"cut short after {experiment.done:,} of {experiment.plan.total:,} "
            "samples: a token budget is used up; "
            f"--resume {experiment.id} goes on with it",
            ExitStatus.NOT_JUDGED,
        )
    if experiment.comparison.found(Change.REGRESSED):
        raise click.exceptions.Exit(int(ExitStatus.FAILED))
    if undecided := experiment.comparison.undecided:
        named = ", ".join(
            f"{one_line(each.criterion)} of {one_line(each.case_id)}"
            for each in undecided[:_MOST_NAMED]
        )
        more = len(undecided) - _MOST_NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        stop(
            f"undecided: no sample of a setup could be judged by {named}{rest}",
            ExitStatus.NOT_JUDGED,
        )
