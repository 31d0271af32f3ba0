"""
The estimate of a run.

What is expected are the means of past samples of each case, and a guess from its texts
where there are none. The most it can be counts every turn, every round of tool calls
(each offered tool once a round), every attempt and vote, every reply as long as its
`max_tokens` lets it be, and a token for each byte of what is read.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from answerprobe.case import Case
from answerprobe.estimate import _past, _sample
from answerprobe.estimate._sample import Spent
from answerprobe.evidence import Costs
from answerprobe.monitor import JudgeSettings, Monitor, Price
from answerprobe.run import RunRequest
from answerprobe.sample import TokenRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    A run that may be asked for.

    *at_once*: so many samples are under way at a time. *budget_left* are the tokens
    that the month leaves, None where nothing limits them.
    """

    monitor: Monitor
    request: RunRequest
    judge: JudgeSettings | None = None
    prices: Mapping[TokenRole, Price] = field(default_factory=dict)
    at_once: int = 1
    budget_left: int | None = None

    @property
    def cases(self) -> tuple[tuple[Case, int], ...]:
        """Each case that is asked, and how often."""
        return tuple(
            (case, self.request.samples or case.samples)
            for case in self.request.cases_of(self.monitor)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """What is expected, and the most it can be: None where nothing bounds it."""

    expected: float
    at_most: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """
    What a run would take.

    *dollars* are of those who have a price, None where nobody has; *seconds_expected*
    is None before the first run.
    """

    samples: int
    tokens: Bounded
    dollars: Bounded | None
    seconds_expected: float | None
    budget_left: int | None

    @property
    def may_exceed_budget(self) -> bool:
        """Whether it can take more than the budget leaves."""
        if self.budget_left is None:
            return False
        most = self.tokens.at_most
        return most is None or most > self.budget_left


def estimate(question: Question, past: Costs) -> Estimate:
    """Return what the run of *question* would take, by what it took in the *past*."""
    monitor, judge = question.monitor, question.judge
    typical, worst = _sample.typical(monitor, judge), _sample.worst(monitor, judge)
    known = _past.means(past)
    expected = _summed(
        question,
        lambda case: (
            known.get(case.fingerprint) or _sample.spent(case, monitor.target, typical)
        ),
    )
    most = None
    if worst is not None:
        bound = worst
        most = _summed(question, lambda c: _sample.spent(c, monitor.target, bound))
    samples = sum(times for _, times in question.cases)
    return Estimate(
        samples=samples,
        tokens=_bounded(_tokens, expected, most),
        dollars=_dollars(question.prices, expected, most),
        seconds_expected=_past.seconds(past, samples, question.at_once),
        budget_left=question.budget_left,
    )


def _summed(question: Question, spent: Callable[[Case], Spent]) -> Spent:
    """Return what all samples take where one takes what *spent* says of its case."""
    total = dict.fromkeys(TokenRole, (0.0, 0.0))
    for case, times in question.cases:
        for role, (read, written) in spent(case).items():
            before = total[role]
            total[role] = (before[0] + times * read, before[1] + times * written)
    return total


def _bounded(
    value: Callable[[Spent], float], expected: Spent, most: Spent | None
) -> Bounded:
    """Return *value* of both; what was seen once can be had again."""
    likely = value(expected)
    if most is None:
        return Bounded(expected=likely, at_most=None)
    return Bounded(expected=likely, at_most=max(likely, value(most)))


def _tokens(spent: Spent) -> float:
    """Return the tokens of all roles."""
    return float(round(_total(spent.values())))


def _total(pairs: Iterable[tuple[float, float]]) -> float:
    """Return what was read and written together."""
    return sum(read + written for read, written in pairs)


def _dollars(
    prices: Mapping[TokenRole, Price], expected: Spent, most: Spent | None
) -> Bounded | None:
    """Return what those with a price cost; None where nobody that spends has one."""
    priced = {role: price for role, price in prices.items() if _total([expected[role]])}
    if not priced:
        return None

    def cost(spent: Spent) -> float:
        """Return what *spent* costs."""
        return sum(p.cost_dollars(*map(round, spent[r])) for r, p in priced.items())

    return _bounded(cost, expected, most)
