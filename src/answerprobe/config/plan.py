"""What a configuration will ask for in a month, and how often it pages for nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from answerprobe.config._strictness import (
    Noticed,
    Pages,
    Strictness,
    noticed,
    pages,
    surely_seen,
)
from answerprobe.config._tokens import tokens_a_run
from answerprobe.config.settings import Config
from answerprobe.monitor import Monitor, Price
from answerprobe.sample import TokenRole, TokenUsage


__all__ = ["DROPPED_RATE", "MONTH_SECONDS", "RATES", "MonitorPlan", "Pages", "plan"]

MONTH_SECONDS = 30 * 86400.0
# True pass rates of an agent that is well.
RATES = (0.99, 0.97, 0.95)
# That of one that is not any more.
DROPPED_RATE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPlan:
    """
    What one monitor will ask for, and what chance will make of it.

    All of a month is of 30 days of scheduled runs, None where *interval_seconds* is
    None: it runs on demand only. *tokens* are those of one run, a guess; *prices* has
    those roles that spend any and whose price is known.
    """

    monitor: str
    interval_seconds: float | None
    samples_a_run: int
    tokens: Mapping[TokenRole, TokenUsage]
    token_budget: int | None
    strictness: Strictness
    prices: Mapping[TokenRole, Price] = field(default_factory=dict)

    @property
    def tokens_a_run(self) -> int:
        """About how many tokens all of them will read and write in one run."""
        return sum(usage.total for usage in self.tokens.values())

    @property
    def runs_a_month(self) -> float | None:
        """How many scheduled runs there are in 30 days."""
        return MONTH_SECONDS / self.interval_seconds if self.interval_seconds else None

    @property
    def samples_a_month(self) -> int | None:
        """How many samples that is."""
        return self._a_month(self.samples_a_run)

    @property
    def tokens_a_month(self) -> int | None:
        """About how many tokens all of them will read and write."""
        return self._a_month(self.tokens_a_run)

    def role_tokens_a_month(self, role: TokenRole) -> int | None:
        """Return about how many tokens *role* will read and write."""
        return self._a_month(self.tokens[role].total)

    def role_dollars_a_run(self, role: TokenRole) -> float | None:
        """Return about what *role* will cost in a run; None without a price."""
        price, usage = self.prices.get(role), self.tokens[role]
        if price is None:
            return None
        return price.cost_dollars(usage.input_tokens, usage.output_tokens)

    @property
    def dollars_a_run(self) -> float | None:
        """About what those with a price will cost in a run; None where none has one."""
        costs = [self.role_dollars_a_run(role) for role in TokenRole]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

    @property
    def dollars_a_month(self) -> float | None:
        """About what those with a price will cost; None where none has one."""
        runs, dollars = self.runs_a_month, self.dollars_a_run
        return None if runs is None or dollars is None else runs * dollars

    @property
    def unpriced(self) -> tuple[TokenRole, ...]:
        """Who spends tokens of which nobody said what they cost."""
        return tuple(
            role
            for role, usage in self.tokens.items()
            if usage.total and role not in self.prices
        )

    def false_pages(self, rate: float, *, confirm: bool) -> Pages:
        """Return a month's at that true pass *rate*, with and without a second look."""
        strictness = self.strictness._replace(confirm=confirm)
        return pages(strictness, rate, self.runs_a_month or 0.0)

    @property
    def noticed(self) -> Noticed:
        """How soon it is noticed that all cases have fallen to DROPPED_RATE."""
        return noticed(self.strictness, DROPPED_RATE)

    @property
    def surely_seen_rate(self) -> float | None:
        """The highest pass rate that two runs show, 4 times of 5; None: none does."""
        return surely_seen(self.strictness.bar)

    def _a_month(self, a_run: int) -> int | None:
        """Return *a_run* for all scheduled runs of 30 days."""
        runs = self.runs_a_month
        return None if runs is None else round(a_run * runs)


def plan(config: Config) -> tuple[MonitorPlan, ...]:
    """Return the plan of each monitor of *config* that has cases, in their order."""
    return tuple(_plan(monitor, config) for monitor in config.monitors if monitor.cases)


def _plan(monitor: Monitor, config: Config) -> MonitorPlan:
    """Return the plan of *monitor*."""
    judge = config.judges.get(monitor.judge)
    user = config.simulated_user
    prices = {
        TokenRole.AGENT: monitor.price,
        TokenRole.JUDGE: judge.price if judge else None,
        TokenRole.SIMULATED_USER: user.price if user else None,
    }
    tokens = tokens_a_run(monitor, judge.votes if judge else 1)
    return MonitorPlan(
        monitor=monitor.name,
        interval_seconds=monitor.every_seconds,
        samples_a_run=monitor.samples,
        tokens=tokens,
        token_budget=monitor.token_budget,
        strictness=Strictness.of(monitor),
        prices={
            role: price
            for role, price in prices.items()
            if price is not None and tokens[role].total
        },
    )
