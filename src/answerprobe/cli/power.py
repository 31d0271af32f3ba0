"""`answerprobe power`: which drop do so many samples show, and how soon?"""

import json

from typing import NamedTuple

import click

from answerprobe import durations
from answerprobe.cli import _figures as figures
from answerprobe.cli._columns import columns
from answerprobe.cli._common import Duration, counts
from answerprobe.passrate import (
    Bar,
    degraded_pages,
    misses,
    rate_to_separate,
    runs_until_degraded,
    surely_seen_rate,
)


_RATES = (0.99, 0.97, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.3, 0.0)
_MOST_SAMPLES = 100_000
_MONTH_SECONDS = 30 * 86400.0


class Share(click.ParamType[float]):
    """A ratio, written `90%` or 0.9; its value is between 0 and 1."""

    name = "share"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the ratio that *value* spells."""
        written = str(value)
        scale = 100 if written.endswith("%") else 1
        try:
            ratio = float(written.removesuffix("%")) / scale
        except ValueError:
            ratio = 0.0
        if not 0 < ratio <= 1:
            self.fail(f"{written!r} is no share; write for example 90%", param, ctx)
        return ratio


class _Row(NamedTuple):
    """What comes of one true pass rate: how often below target, how soon a page."""

    rate: float
    below: float
    runs: float


class _Power(NamedTuple):
    """What so many samples can tell."""

    bar: Bar
    target: float
    every_seconds: float
    rows: tuple[_Row, ...]
    two_runs_show: float | None
    comparison_shows: float | None


@click.command()
@click.option(
    "--samples",
    metavar="N",
    type=click.IntRange(1, _MOST_SAMPLES),
    required=True,
    help="Samples of a run: those of all cases of a monitor together.",
)
@click.option(
    "--target",
    metavar="T",
    type=Share(),
    default="90%",
    show_default=True,
    help="The monitor's target.",
)
@click.option(
    "--every",
    "every_seconds",
    type=Duration(),
    default="1h",
    show_default=True,
    help="The interval between runs.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
def command(
    samples: int, target: float, every_seconds: float, output_format: str
) -> None:
    """
    Tell the smallest drop that so many samples show, and how long that takes.

    For people who choose `samples`, `target` and `every` of a monitor. Nothing is read
    and nothing is asked.

    Exit status: 0 it is told, 2 wrong usage.
    """
    if every_seconds <= 0:
        raise click.BadParameter("must be more than 0", param_hint="--every")
    bar = Bar.of_target(samples, target)
    chances = [(rate, misses(bar, rate)) for rate in _RATES]
    power = _Power(
        bar=bar,
        target=target,
        every_seconds=every_seconds,
        rows=tuple(_Row(rate, b, runs_until_degraded(b)) for rate, b in chances),
        two_runs_show=surely_seen_rate(bar),
        comparison_shows=rate_to_separate(target, samples),
    )
    click.echo(_as_json(power) if output_format == "json" else _as_table(power))


def _as_table(power: _Power) -> str:
    """Return it for a person."""
    runs_a_month = _MONTH_SECONDS / power.every_seconds
    head = [
        "TRUE PASS RATE",
        "RUN BELOW TARGET",
        "AgentDegraded AFTER",
        "",
        "IN 30 DAYS",
    ]
    rows = [
        [
            f"{row.rate:.0%}",
            f"{row.below:.1%}",
            _runs(row.runs),
            figures.span((row.runs - 0.5) * power.every_seconds),
            figures.often(degraded_pages(row.below, runs_a_month)),
        ]
        for row in power.rows
    ]
    asked = (
        f"{counts(power.bar.samples, 'sample')} every "
        f"{durations.show(power.every_seconds)}, target {_share(power.target)}: "
        f"{power.bar.needed:,} must pass."
    )
    told = [asked, _two_runs(power), _comparison(power), ""]
    return "\n".join([*told, *columns([head, *rows], range(5))])


def _share(ratio: float) -> str:
    """Return *ratio* as a percentage."""
    return f"{ratio * 100:.6g}%"


def _runs(number: float) -> str:
    """Return that it takes so many runs."""
    shown = figures.runs(number)
    return shown if shown == "never" else f"{shown} runs"


def _two_runs(power: _Power) -> str:
    """Return what raises the alert as soon as it can be raised."""
    if power.two_runs_show is None:
        return "No drop is surely seen in two runs."
    shown = figures.at_most(power.two_runs_show)
    within = durations.show(2 * power.every_seconds)
    return (
        f"Two runs show a drop to {shown}, 4 times of 5: AgentDegraded fires within "
        f"{within}."
    )


def _comparison(power: _Power) -> str:
    """Return what a comparison of two setups with so many samples each shows."""
    start = f"Compared with as many that pass at {_share(power.target)}, "
    if power.comparison_shows is None:
        return f"{start}no drop is surely seen: they are too few."
    shown = figures.at_most(power.comparison_shows)
    return f"{start}a drop to {shown} is seen, 4 times of 5."


def _as_json(power: _Power) -> str:
    """Return it for a program. What never happens takes null runs."""
    return json.dumps(
        {
            "samples": power.bar.samples,
            "target": power.target,
            "must_pass": power.bar.needed,
            "every_seconds": power.every_seconds,
            "smallest_drop_shown_by_two_runs": power.two_runs_show,
            "smallest_drop_shown_by_comparison": power.comparison_shows,
            "rates": [
                {
                    "true_pass_rate": row.rate,
                    "run_below_target": row.below,
                    "runs": figures.finite(row.runs),
                    "seconds": figures.finite((row.runs - 0.5) * power.every_seconds),
                    "pages_a_month": degraded_pages(
                        row.below, _MONTH_SECONDS / power.every_seconds
                    ),
                }
                for row in power.rows
            ],
        }
    )
