"""An experiment as a table for a person at a terminal."""

from collections.abc import Sequence

from answerprobe.cli._columns import one_line
from answerprobe.cli._common import counts
from answerprobe.comparison import Comparison, CriterionComparison, Experiment, Setup
from answerprobe.passrate import Change, Counted
from answerprobe.run import RunState


_RESULTS = {
    Change.IMPROVED: "Improved",
    Change.REGRESSED: "Regressed",
    Change.NO_DETECTABLE_DIFFERENCE: "No detectable difference",
}
_HEAD = (
    "CASE",
    "CRITERION",
    "CURRENT",
    "CHANGED",
    "DIFFERENCE",
    "95% INTERVAL",
    "RESULT",
    "RUNS TO SEPARATE",
)


def as_table(experiment: Experiment) -> str:
    """Return a row for each criterion, what to make of them, cost and speed."""
    plan, found = experiment.plan, experiment.comparison
    runs = counts(plan.samples, "run")
    lines = [
        (
            f"{one_line(plan.monitor)}, {one_line(plan.reason)}: {runs} of each case "
            f"and setup (experiment {experiment.id})"
        ),
        "",
        *_columns([_HEAD, *map(_row, found.criteria)]),
        "",
        _summary(found),
        _by_chance(found),
        "",
        *_columns([_SPEND_HEAD, *(_spend_row(found, setup) for setup in Setup)]),
    ]
    if experiment.state is not RunState.COMPLETED:
        lines.append("")
        lines.append(f"Not complete: {experiment.done} of {plan.total} samples.")
    return "\n".join(lines)


def _row(found: CriterionComparison) -> tuple[str, ...]:
    """Return the row of one criterion."""
    difference = found.difference
    more = found.runs_to_separate
    return (
        one_line(found.case_id),
        one_line(found.criterion),
        _counted(found.current),
        _counted(found.changed),
        f"{100 * difference.difference:+.1f}%" if difference else "-",
        f"{100 * difference.low:+.1f}% to {100 * difference.high:+.1f}%"
        if difference
        else "not judged",
        _RESULTS[found.result],
        "-" if more is None else f"{more:,}",
    )


def _counted(counted: Counted) -> str:
    """Return how many passed of how many."""
    return f"{counted.passed}/{counted.judged}"


def _summary(found: Comparison) -> str:
    """Return how many criteria ended in which way."""
    ends = ", ".join(
        f"{number} {_RESULTS[change].lower()}"
        for change in Change
        if (number := found.found(change))
    )
    one = len(found.criteria) == 1
    return f"{len(found.criteria)} {'criterion' if one else 'criteria'}: {ends}"


def _by_chance(found: Comparison) -> str:
    """Return how many would differ where nothing does."""
    return (
        "Each is looked at by itself, at 95%: if nothing differed, up to "
        f"{found.expected_by_chance:.2g} of them would still be called improved or "
        "regressed."
    )


_SPEND_HEAD = ("SETUP", "SAMPLES", "TOKENS", "COST", "MEDIAN", "95TH PERCENTILE")


def _spend_row(found: Comparison, setup: Setup) -> tuple[str, ...]:
    """Return what *setup* took."""
    spend = found.spend[setup]
    tokens = sum(usage.total for usage in spend.tokens.values())
    about = any(usage.estimated for usage in spend.tokens.values())
    left_out = ", ".join(role.value.replace("_", " ") for role in spend.unpriced)
    return (
        setup.value,
        f"{spend.samples:,}",
        f"{'about ' if about else ''}{tokens:,}",
        "no price is set"
        if spend.dollars is None
        else f"${spend.dollars:.4f}{f' without {left_out}' if left_out else ''}",
        _seconds(spend.median_seconds),
        _seconds(spend.p95_seconds),
    )


def _seconds(seconds: float | None) -> str:
    """Return *seconds* of an answer."""
    return "no answer" if seconds is None else f"{seconds:.2f}s"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return *rows* as lines whose cells stand one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
