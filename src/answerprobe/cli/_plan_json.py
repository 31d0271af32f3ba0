"""What a configuration will do, as JSON for a program."""

import math

from collections.abc import Sequence

from answerprobe.cli import _figures as figures
from answerprobe.config import Config, MonitorPlan
from answerprobe.config.advice import ADVICE_RATE, Option, options
from answerprobe.config.notes import Note
from answerprobe.config.plan import DROPPED_RATE, RATES, Pages
from answerprobe.sample import TokenRole


def config_shape(
    config: Config, plans: Sequence[MonitorPlan], notes: Sequence[Note]
) -> dict[str, object]:
    """Return the plan of *config*, monitor by monitor and in all."""
    return {
        "file": str(config.path),
        "token_budget": config.token_budget,
        "monitors": [monitor_shape(plan) for plan in plans],
        "false_pages_a_month": [
            {"true_pass_rate": rate, "all_alerts": _whole(plans, rate)}
            for rate in RATES
        ],
        "notes": [{"monitor": note.monitor, "note": note.text} for note in notes],
    }


def monitor_shape(plan: MonitorPlan) -> dict[str, object]:
    """Return the plan of one monitor. A month is null where it has no schedule."""
    scheduled = plan.interval_seconds is not None
    return {
        "name": plan.monitor,
        "interval_seconds": plan.interval_seconds,
        "samples_a_run": plan.samples_a_run,
        "samples_a_month": plan.samples_a_month,
        "tokens_a_run": {role.value: plan.tokens[role].total for role in TokenRole},
        "tokens_a_month": {
            role.value: plan.role_tokens_a_month(role) for role in TokenRole
        },
        "dollars_a_run": {
            role.value: plan.role_dollars_a_run(role) for role in TokenRole
        },
        "dollars_a_month": plan.dollars_a_month,
        "token_budget": plan.token_budget,
        "confirm": plan.strictness.confirm,
        "false_pages_a_month": [_at_rate(plan, rate) for rate in RATES]
        if scheduled
        else None,
        "noticed": _noticed(plan) if scheduled else None,
        "smallest_drop_shown_by_two_runs": plan.surely_seen_rate,
        "options": [_option(option) for option in options(plan)],
    }


def _at_rate(plan: MonitorPlan, rate: float) -> dict[str, object]:
    """Return the false pages of a month at a true pass *rate*."""
    return {
        "true_pass_rate": rate,
        "with_confirm": _pages(plan.false_pages(rate, confirm=True)),
        "without_confirm": _pages(plan.false_pages(rate, confirm=False)),
    }


def _pages(pages: Pages) -> dict[str, float]:
    """Return the false pages by alert."""
    return {
        "AgentDegraded": pages.degraded,
        "AgentCaseRegressed": pages.regressed,
        "AgentDown": pages.down,
        "all_alerts": pages.total,
    }


def _whole(plans: Sequence[MonitorPlan], rate: float) -> float:
    """Return the false pages of all monitors, as they are configured."""
    return math.fsum(
        plan.false_pages(rate, confirm=plan.strictness.confirm).total
        for plan in plans
        if plan.interval_seconds is not None
    )


def _noticed(plan: MonitorPlan) -> dict[str, object]:
    """Return how soon a drop is noticed. What never happens takes null runs."""
    noticed, every = plan.noticed, plan.interval_seconds or 0.0
    return {
        "dropped_to": DROPPED_RATE,
        "AgentDegraded_runs": figures.finite(noticed.by_degraded),
        "AgentCaseRegressed_runs": figures.finite(noticed.by_regressed),
        "seconds": figures.finite((noticed.runs - 0.5) * every),
    }


def _option(option: Option) -> dict[str, object]:
    """Return what comes of one *option*."""
    return {
        "change": option.change,
        "true_pass_rate": ADVICE_RATE,
        "false_pages_a_month": option.pages,
        "noticed_seconds": figures.finite(option.noticed_seconds),
        "samples_a_month": option.samples_a_month,
    }
