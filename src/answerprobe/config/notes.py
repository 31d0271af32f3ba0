"""Notes on a sound configuration: what its owner may not have meant."""

import re

from collections.abc import Callable, Iterator
from typing import NamedTuple

from answerprobe import durations
from answerprobe.case import Case, Rubric
from answerprobe.config._several import asks_several
from answerprobe.config._tokens import stands_in
from answerprobe.config.plan import MONTH_SECONDS, MonitorPlan
from answerprobe.config.settings import Config
from answerprobe.monitor import Monitor


# Criteria that some answer fails by what it has, rather than by what it lacks. The
# whole answer, or all the actions, leave no room for anything else.
_FORBIDDING = frozenset(
    {
        "does_not_hallucinate",
        "does_not_invoke_tool",
        "equals",
        "expected_actions",
        "grounded_in_knowledge",
        "no_pii",
        "no_refusal",
        "not_contains",
        "not_regex",
        "stays_in_character",
    }
)
_FORBIDDING_WORD = re.compile(
    r"\b(?:not|no|none|never|nothing|nobody|neither|nor|without|avoids?|refuses?"
    r"|declines?|refrains?|only|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans"
    r"|nunca|sin|ningun\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_MOST_NAMED = 5
# The plan is a guess: what is a little above its budget may well be below.
_FAR_ABOVE = 1.2
_MONTH_HOURS = MONTH_SECONDS / 3600
_DAYS_FROM_HOURS = 72


class Note(NamedTuple):
    """Something to think about in one *monitor*; None: in all of them together."""

    monitor: str | None
    text: str


def notes(config: Config, plans: tuple[MonitorPlan, ...]) -> tuple[Note, ...]:
    """Return the notes on *config* and its *plans*, monitor by monitor."""
    by_name = {plan.monitor: plan for plan in plans}
    whole = _too_little(config.token_budget, sum(map(_most_a_month, plans)))
    return (
        *([Note(None, whole)] if whole else []),
        *(
            Note(monitor.name, text)
            for monitor in config.monitors
            if monitor.name in by_name
            for text in _of(monitor, by_name[monitor.name], config)
        ),
    )


def _of(monitor: Monitor, plan: MonitorPlan, config: Config) -> Iterator[str]:
    """Yield the notes on one *monitor*."""
    if plan.token_budget is None and config.token_budget is None:
        yield _unlimited(plan)
    if text := _too_little(plan.token_budget, plan.tokens_a_month or 0):
        yield text
    for look in _LOOKS:
        if text := look(monitor):
            yield text


def _unlimited(plan: MonitorPlan) -> str:
    """Return what may be spent where nothing bounds it."""
    if plan.tokens_a_month is None:
        return f"no budget: unlimited, about {plan.tokens_a_run:,} tokens a run"
    return f"no budget: unlimited, about {plan.tokens_a_month:,} tokens a month"


def _most_a_month(plan: MonitorPlan) -> int:
    """Return about how many tokens of a month the monitor's own budget lets be."""
    planned = plan.tokens_a_month or 0
    return planned if plan.token_budget is None else min(planned, plan.token_budget)


def _too_little(budget: int | None, planned: int) -> str | None:
    """Return that *budget* is used up long before the month, if it is, and when."""
    if budget is None or planned <= _FAR_ABOVE * budget:
        return None
    hours = round(_MONTH_HOURS * budget / planned)
    if hours >= _DAYS_FROM_HOURS:
        lasts = f"about {hours / 24:.0f} days"
    else:
        lasts = f"about {hours} hours" if hours > 1 else "about an hour"
    return (
        f"budget {budget:,} lasts {lasts if hours else 'less than an hour'} of the "
        f"month: it pauses then; about {planned:,} would do"
    )


def _shortened(monitor: Monitor) -> str | None:
    """Return that the second look comes sooner than configured."""
    wait = monitor.second_look_after_seconds
    if monitor.every_seconds is None or wait >= monitor.confirm_seconds:
        return None
    return (
        f"asks again after {durations.show(wait)}, half of every, before bad news "
        f"count; confirm ({durations.show(monitor.confirm_seconds)}) is longer"
    )


def _forbids_nothing(monitor: Monitor) -> str | None:
    """Return that no answer is wrong by what it says."""
    if any(map(_forbids, monitor.cases)):
        return None
    return (
        "nothing is forbidden: say what must not happen too, by not_contains, no_pii, "
        "no_refusal, does_not_invoke_tool, or a judge sentence with 'not'"
    )


def _forbids(case: Case) -> bool:
    """Whether something must not happen in *case*."""
    return any(
        check.criterion in _FORBIDDING
        or (isinstance(check, Rubric) and _FORBIDDING_WORD.search(check.text))
        for check in (criterion.check for criterion in case.criteria)
    )


def _never_talks(monitor: Monitor) -> str | None:
    """Return that an agent made for more than one turn is asked for one."""
    if any(case.conversation for case in monitor.cases):
        return None
    has = _several_turns(monitor)
    if has is None:
        return None
    return f"has {has}, but no conversation: what takes several turns is never tried"


def _several_turns(monitor: Monitor) -> str | None:
    """Return what of *monitor* is made for more than one turn."""
    request, response = monitor.target.request, monitor.target.response
    if monitor.target.tools or response.tool_calls is not None:
        return "tools"
    if request.session is not None or stands_in(request.body, "{{session}}"):
        return "sessions"
    if request.history is not None or stands_in(request.body, "{{history}}"):
        return "a history"
    return None


def _asks_several(monitor: Monitor) -> str | None:
    """Return which judged sentences ask for several outcomes."""
    found = [
        case.id
        for case in monitor.cases
        if any(
            rubric.criterion == "judge" and asks_several(rubric.text)
            for _, rubric in case.rubrics
        )
    ]
    if not found:
        return None
    named = ", ".join(found[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return (
        f"a judge sentence asks for several outcomes ({named}{more}): split it, and "
        "each gets a verdict and a reason of its own"
    )


def _acts_for_real(monitor: Monitor) -> str | None:
    """
    Return that what the agent does is done, as often as it is asked.

    Known only where its replies tell of tools. Any other agent may have some; to say so
    of each would teach to look away.
    """
    if monitor.target.response.tool_calls is None:
        return None
    return (
        "its own tools run for real, at every sample: point it at a staging system, or "
        "ask only what changes nothing"
    )


_LOOKS: tuple[Callable[[Monitor], str | None], ...] = (
    _shortened,
    _forbids_nothing,
    _never_talks,
    _asks_several,
    _acts_for_real,
)
