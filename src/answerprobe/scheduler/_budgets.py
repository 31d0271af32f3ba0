"""Which monitors have used up their tokens, and when they may go on."""

import asyncio

from collections.abc import Callable, Iterable
from datetime import datetime

import structlog

from answerprobe.ledger import Ledger
from answerprobe.scheduler._board import Board
from answerprobe.scheduler._watch import Watch
from answerprobe.status import Pause


_log = structlog.get_logger()
# A month's turn is looked for at least this often: the wall clock may be set.
_CHECK_SECONDS = 600.0


class Budgets:
    """Keeps the budget pauses of watches true to the ledger."""

    def __init__(
        self, *, ledger: Ledger, board: Board, clock: Callable[[], datetime]
    ) -> None:
        self._ledger = ledger
        self._board = board
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self.total_tokens: int | None = None
        self._total_exhausted = False

    def refresh(self, watch: Watch) -> None:
        """Show what *watch* has spent, and pause or resume it by what is left."""
        exhausted = self._limit_reached(watch) is not None
        if exhausted != watch.out_of_budget:
            watch.out_of_budget = exhausted
            event = "monitor.paused" if exhausted else "monitor.resumed"
            _log.warning(event, monitor=watch.name, reason=Pause.BUDGET.value)
        self._board.budget(watch.monitor)
        self._board.total_budget(self.total_tokens)
        self._board.paused(watch.name, Pause.BUDGET, on=watch.out_of_budget)

    def follow_total(self, watches: Iterable[Watch]) -> None:
        """Refresh *watches* where others spent the last tokens of all, or some more."""
        limit = self.total_tokens
        exhausted = limit is not None and self._ledger.total_used_tokens() >= limit
        if exhausted != self._total_exhausted:
            self._total_exhausted = exhausted
            for watch in watches:
                self.refresh(watch)
        self._board.total_budget(limit)

    def explain(self, watch: Watch) -> str:
        """Return why a budget's pause cannot be lifted by hand, with the numbers."""
        used, limit = self._limit_reached(watch) or (0, 0)
        return (
            f"the token budget is used up: {used} of {limit} tokens; it is reset at "
            f"{self._ledger.reset_at.isoformat()}; raise it and reload to go on now"
        )

    def _limit_reached(self, watch: Watch) -> tuple[int, int] | None:
        """Return (used, limit) of the budget that is used up; None where none is."""
        for used, limit in (
            (self._ledger.used_tokens(watch.name), watch.monitor.token_budget),
            (self._ledger.total_used_tokens(), self.total_tokens),
        ):
            if limit is not None and used >= limit:
                return used, limit
        return None

    def keep(self, watches: Callable[[], Iterable[Watch]]) -> None:
        """Refresh all *watches* now, and again at every turn of the month."""
        self.stop()
        self._board.total_budget(self.total_tokens)
        for watch in watches():
            if watch.out_of_budget or watch.monitor.token_budget is not None:
                self.refresh(watch)
        left = (self._ledger.reset_at - self._clock()).total_seconds()
        delay = min(max(left, 1.0), _CHECK_SECONDS)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(delay, self.keep, watches)

    def stop(self) -> None:
        """Refresh no more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
