"""Estimates of runs, by the present configuration, the ledger and the past."""

import asyncio
import contextlib

from collections.abc import Callable
from typing import Protocol

from answerprobe.config import Config
from answerprobe.errors import StoreError
from answerprobe.estimate import Estimate, Question, estimate
from answerprobe.evidence import Costs
from answerprobe.ledger import Ledger
from answerprobe.monitor import Monitor, Price
from answerprobe.run import RunRequest
from answerprobe.sample import TokenRole


class _Evidence(Protocol):
    """What is asked of the store."""

    async def costs(self, monitor: str) -> Costs:
        """Return what the last runs of *monitor* took."""
        ...


class Estimator:
    """Says what a run would take, without asking anybody anything."""

    def __init__(
        self, *, config: Callable[[], Config], ledger: Ledger, evidence: _Evidence
    ) -> None:
        self._config = config
        self._ledger = ledger
        self._evidence = evidence

    async def estimate(self, monitor: Monitor, request: RunRequest) -> Estimate:
        """Return what *request*, of *monitor*, would take."""
        past = Costs()
        # Without the store there is a guess, as before the first run.
        with contextlib.suppress(StoreError):
            past = await self._evidence.costs(monitor.name)
        config = self._config()
        limits = config.limits
        question = Question(
            monitor=monitor,
            request=request,
            judge=config.judges.get(monitor.judge),
            prices=_prices(config, monitor),
            at_once=min(limits.per_monitor, limits.per_host, limits.in_flight),
            budget_left=self._left(monitor, config.token_budget),
        )
        # Each case is looked at: of 10,000 that takes 50 ms.
        return await asyncio.to_thread(estimate, question, past)

    def _left(self, monitor: Monitor, total_limit: int | None) -> int | None:
        """Return what the tighter budget leaves of this month."""
        ledger = self._ledger
        left = [
            limit - used
            for limit, used in (
                (monitor.token_budget, ledger.used_tokens(monitor.name)),
                (total_limit, ledger.total_used_tokens()),
            )
            if limit is not None
        ]
        return max(0, min(left)) if left else None


def _prices(config: Config, monitor: Monitor) -> dict[TokenRole, Price]:
    """Return the prices that are known."""
    judge, user = config.judges.get(monitor.judge), config.simulated_user
    prices = {
        TokenRole.AGENT: monitor.price,
        TokenRole.JUDGE: judge.price if judge else None,
        TokenRole.SIMULATED_USER: user.price if user else None,
    }
    return {role: price for role, price in prices.items() if price}
