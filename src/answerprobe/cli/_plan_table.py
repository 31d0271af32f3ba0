"""What a configuration will do, as tables for a person."""

from collections.abc import Iterator, Sequence
from functools import reduce

from answerprobe import durations
from answerprobe.cli import _figures as figures
from answerprobe.cli._columns import columns, one_line
from answerprobe.cli._common import counts
from answerprobe.config import MonitorPlan
from answerprobe.config.advice import ADVICE_RATE, Option, as_it_is, options
from answerprobe.config.plan import DROPPED_RATE, RATES, Pages
from answerprobe.sample import TokenRole


# Advice is for where it is worth it: so many false pages a month, or so long until a
# drop is noticed; and for the worst of many.
_PAGES_WORTH_ADVICE = 0.5
_SECONDS_WORTH_ADVICE = 86400.0
_MOST_ADVISED = 10
_ALERTS = ("AgentDegraded", "AgentCaseRegressed", "AgentDown", "all alerts")
_ROLES = {
    TokenRole.AGENT: "AGENT",
    TokenRole.JUDGE: "JUDGE",
    TokenRole.SIMULATED_USER: "USER",
}
Row = list[str]


def as_tables(plans: Sequence[MonitorPlan]) -> str:
    """Return what a month costs, the false pages, what is noticed, and advice."""
    scheduled = [plan for plan in plans if plan.interval_seconds is not None]
    parts = [_month(plans)] if plans else []
    if scheduled:
        parts += [_false_pages(scheduled), _noticed(scheduled), *_advice(scheduled)]
    return "\n\n".join(parts)


def _month(plans: Sequence[MonitorPlan]) -> str:
    """Return samples, tokens and dollars of 30 days."""
    roles = [
        role
        for role in TokenRole
        if role is TokenRole.AGENT or any(plan.tokens[role].total for plan in plans)
    ]
    priced = any(plan.prices for plan in plans)
    head = ["MONITOR", "EVERY", "SAMPLES", "TOKENS", *(_ROLES[role] for role in roles)]
    rows = [
        [*head, *(["DOLLARS"] if priced else []), "BUDGET"],
        *(_month_row(plan, roles, priced=priced) for plan in plans),
        *([_month_sum(plans, roles, priced=priced)] if len(plans) > 1 else []),
    ]
    last = len(rows[0]) - 1
    lines = columns(rows, range(2, last))
    if any(cell.endswith("+") for row in rows for cell in row[-2:-1]):
        lines.append("+ and what is spent by those without a price")
    return "\n".join(["IN 30 DAYS, about (tokens are a guess)", *lines])


def _month_row(plan: MonitorPlan, roles: Sequence[TokenRole], *, priced: bool) -> Row:
    """Return what one monitor takes, in a run where it has no schedule."""
    if plan.interval_seconds is None:
        every, unit = "on demand", " a run"
        counted = [plan.samples_a_run, plan.tokens_a_run]
        counted += [plan.tokens[role].total for role in roles]
        cost = plan.dollars_a_run
    else:
        every, unit = durations.show(plan.interval_seconds), ""
        counted = [plan.samples_a_month or 0, plan.tokens_a_month or 0]
        counted += [plan.role_tokens_a_month(role) or 0 for role in roles]
        cost = plan.dollars_a_month
    budget = "none" if plan.token_budget is None else f"{plan.token_budget:,}"
    cells = [f"{count:,}{unit}" for count in counted]
    more = "+" if plan.unpriced and plan.prices else ""
    spent = [f"{figures.dollars(cost)}{unit if plan.prices else ''}{more}"]
    return [one_line(plan.monitor), every, *cells, *(spent if priced else []), budget]


def _month_sum(
    plans: Sequence[MonitorPlan], roles: Sequence[TokenRole], *, priced: bool
) -> Row:
    """Return what all monitors with a schedule take."""
    counted = [
        sum(plan.samples_a_month or 0 for plan in plans),
        sum(plan.tokens_a_month or 0 for plan in plans),
        *(sum(plan.role_tokens_a_month(role) or 0 for plan in plans) for role in roles),
    ]
    scheduled = [plan for plan in plans if plan.interval_seconds is not None]
    known = [cost for plan in scheduled if (cost := plan.dollars_a_month) is not None]
    cost = sum(known) if known else None
    more = "+" if known and any(plan.unpriced for plan in scheduled) else ""
    spent = [f"{figures.dollars(cost)}{more}"] if priced else []
    return ["all monitors", "", *(f"{count:,}" for count in counted), *spent, ""]


def _false_pages(plans: Sequence[MonitorPlan]) -> str:
    """Return how often each alert fires for nothing, confirmed and not."""
    confirmed = [plan.strictness.confirm for plan in plans]
    other = "THE OTHER WAY"
    if all(confirmed):
        other = "WITHOUT CONFIRM"
    elif not any(confirmed):
        other = "WITH CONFIRM"
    rates = [f"{rate:.0%}" for rate in RATES]
    rows = [["MONITOR", "ALERT", "CONFIRM", *rates, f"{other}: {rates[0]}", *rates[1:]]]
    for plan in plans:
        confirm = "yes" if plan.strictness.confirm else "no"
        rows += _page_rows(one_line(plan.monitor), confirm, _pages([plan]))
    if len(plans) > 1:
        rows += _page_rows("all monitors", "", _pages(plans))
    title = (
        "FALSE PAGES IN 30 DAYS, where in truth so many answers are good and stay so"
    )
    return "\n".join([title, *columns(rows, range(3, len(rows[0])))])


def _pages(plans: Sequence[MonitorPlan]) -> list[Pages]:
    """Return those of *plans* together: as configured, then confirmed the other way."""
    return [
        reduce(
            Pages.plus,
            (
                plan.false_pages(rate, confirm=plan.strictness.confirm is as_configured)
                for plan in plans
            ),
        )
        for as_configured in (True, False)
        for rate in RATES
    ]


def _page_rows(name: str, confirm: str, found: Sequence[Pages]) -> Iterator[Row]:
    """Yield a row for each alert, and one for all."""
    for place, alert in enumerate(_ALERTS):
        counts = ((*pages, pages.total)[place] for pages in found)
        # What a second look has no say in is neither confirmed nor not.
        kind = confirm if place else "-"
        yield [name, alert, kind, *map(figures.often, counts)]


def _noticed(plans: Sequence[MonitorPlan]) -> str:
    """Return how soon it is noticed that answers are worse."""
    rows = [
        ["MONITOR", "AgentDegraded", "AgentCaseRegressed", "SOONER", "TWO RUNS SHOW"]
    ]
    for plan in plans:
        every, noticed = plan.interval_seconds or 0.0, plan.noticed
        rows.append(
            [
                one_line(plan.monitor),
                _after(noticed.by_degraded),
                _after(noticed.by_regressed),
                figures.span((noticed.runs - 0.5) * every),
                figures.at_most(plan.surely_seen_rate),
            ]
        )
    title = (
        f"A DROP TO {DROPPED_RATE:.0%} IS NOTICED AFTER, on average; and what two runs "
        "show 4 times of 5"
    )
    return "\n".join([title, *columns(rows, range(1, len(rows[0])))])


def _after(number: float) -> str:
    """Return that it takes so many runs."""
    shown = figures.runs(number)
    return shown if shown == "never" else f"{shown} runs"


def _advice(plans: Sequence[MonitorPlan]) -> Iterator[str]:
    """Yield what would lower the figures of the worst monitors, if there are any."""
    worth = [plan for plan in plans if _is_worth_advice(as_it_is(plan))]
    if not worth:
        return
    worth.sort(key=lambda plan: -as_it_is(plan).pages)
    rows = [["MONITOR", "WITH", "FALSE PAGES", "NOTICED AFTER", "SAMPLES"]]
    for plan in worth[:_MOST_ADVISED]:
        rows += (_option_row(one_line(plan.monitor), way) for way in options(plan))
    title = (
        f"WHAT WOULD LOWER THEM: false pages in 30 days at {ADVICE_RATE:.0%}, and how "
        f"soon a drop to {DROPPED_RATE:.0%} is noticed"
    )
    lines = [title, *columns(rows, (2, 3, 4))]
    if len(worth) > _MOST_ADVISED:
        rest = counts(len(worth) - _MOST_ADVISED, "more monitor")
        lines.append(f"and {rest} with fewer; --format json has all")
    yield "\n".join(lines)


def _is_worth_advice(now: Option) -> bool:
    """Whether a monitor as it is pages, or lets one wait, enough to think of it."""
    often = now.pages >= _PAGES_WORTH_ADVICE
    return often or now.noticed_seconds > _SECONDS_WORTH_ADVICE


def _option_row(name: str, option: Option) -> Row:
    """Return what comes of one *option*."""
    return [
        name,
        option.change,
        figures.often(option.pages),
        figures.span(option.noticed_seconds),
        f"{option.samples_a_month:,}",
    ]
