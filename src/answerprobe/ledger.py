"""
The ledger: tokens spent in a month, and what a budget leaves of it.

It lives in memory and knows no store. Whoever persists it takes the increments since
the last time, and gives them back where writing failed. Nothing in it awaits but
`acquire`, so that in one event loop its sums are exact. Where several replicas spend
from one budget, a *fund* that all of them share grants each sample.

Months are those of UTC. Tokens count in the month in which they are settled, when they
are known: a sample in flight over the month's turn spends from the new one.
"""

import asyncio

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from answerprobe.sample import TokenRole, TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """
    Tokens of one month (`2026-11`), monitor and role.

    *monitor* is empty for what was spent for no monitor: a judge's canaries.
    """

    month: str
    monitor: str
    role: TokenRole
    input_tokens: int
    output_tokens: int
    estimated: bool = False

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Tokens set aside for one sample, until it is settled or released."""

    number: int
    monitor: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _Kind:
    """What tokens are summed up by."""

    month: str
    role: TokenRole
    estimated: bool


class Fund(Protocol):
    """The budget of all monitors together, where several replicas spend from it."""

    async def grant(self, limit_tokens: int, further_tokens: int) -> bool:
        """
        Whether one more sample, of *further_tokens*, may start.

        What was spent of *limit_tokens* so far is taken up by the ledger before.
        """
        ...


# How long a sample waits that others' samples leave nothing.
_ASK_AGAIN_SECONDS = 0.3


@dataclass(slots=True)
class _Past:
    """What the samples of a monitor took so far."""

    samples: int = 0
    tokens: int = 0


class Ledger:
    """What was spent this month, and what is set aside for samples in flight."""

    def __init__(
        self, entries: Iterable[LedgerEntry], *, clock: Callable[[], datetime]
    ) -> None:
        self._clock = clock
        self._used: Counter[tuple[str, str]] = Counter()
        self._total: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()
        self._total_reserved = 0
        self._open: dict[int, Reservation] = {}
        self._last_number = 0
        self._past: dict[str, _Past] = {}
        self._unwritten: dict[str, dict[_Kind, TokenUsage]] = {}
        self._change = asyncio.Event()
        # What was spent here, what was taken of it, what the store is known to have.
        # None stands for all monitors together.
        self._own: Counter[tuple[str, str | None]] = Counter()
        self._taken: Counter[tuple[str, str | None]] = Counter()
        self._written: Counter[tuple[str, str | None]] = Counter()
        self.fund: Fund | None = None
        for entry in entries:
            self._count(entry.month, entry.monitor, entry.total)

    @property
    def reset_at(self) -> datetime:
        """The first instant of the next month, when all budgets are whole again."""
        now = self._clock().astimezone(UTC)
        year, months_done = divmod(now.year * 12 + now.month, 12)
        return datetime(year, months_done + 1, 1, tzinfo=UTC)

    def used_tokens(self, monitor: str) -> int:
        """Return what *monitor* has spent this month, all roles."""
        return self._used[month_of(self._clock()), monitor]

    def total_used_tokens(self) -> int:
        """Return what was spent this month for all monitors, and for none."""
        return self._total[month_of(self._clock())]

    def exhausted(
        self,
        monitor: str,
        *,
        limit_tokens: int | None,
        total_limit_tokens: int | None,
        further_tokens: int = 0,
    ) -> bool:
        """
        Whether what was spent, samples in flight aside, leaves *monitor* nothing.

        *further_tokens* are spent already, but not settled.
        """
        used = self.used_tokens(monitor) + further_tokens
        total = self.total_used_tokens() + further_tokens
        return (limit_tokens is not None and used >= limit_tokens) or (
            total_limit_tokens is not None and total >= total_limit_tokens
        )

    def reserve(
        self,
        monitor: str,
        *,
        limit_tokens: int | None,
        total_limit_tokens: int | None,
        estimate_tokens: int,
    ) -> Reservation | None:
        """
        Set tokens for one sample of *monitor* aside; None where none are left.

        While anything is left of both limits, one more sample starts: the last one may
        take more than was left. It is held to take what past samples of the monitor
        took on average, the first ones *estimate_tokens*.
        """
        used, total = self.used_tokens(monitor), self.total_used_tokens()
        if limit_tokens is not None and used + self._reserved[monitor] >= limit_tokens:
            return None
        held = self._total_reserved
        if total_limit_tokens is not None and total + held >= total_limit_tokens:
            return None
        self._last_number += 1
        reservation = Reservation(
            number=self._last_number,
            monitor=monitor,
            tokens=self._expected_tokens(monitor, estimate_tokens),
        )
        self._open[reservation.number] = reservation
        self._reserved[monitor] += reservation.tokens
        self._total_reserved += reservation.tokens
        return reservation

    async def acquire(
        self,
        monitor: str,
        *,
        limit_tokens: int | None,
        total_limit_tokens: int | None,
        estimate_tokens: int,
    ) -> Reservation | None:
        """
        Reserve, and where samples in flight hold what is left, wait for them to end.

        None only where the budget is really used up.
        """
        while not self.exhausted(
            monitor, limit_tokens=limit_tokens, total_limit_tokens=total_limit_tokens
        ):
            reservation = self.reserve(
                monitor,
                limit_tokens=limit_tokens,
                total_limit_tokens=total_limit_tokens,
                estimate_tokens=estimate_tokens,
            )
            if reservation is None:
                await self._change.wait()
            elif await self._granted(reservation, total_limit_tokens):
                return reservation
        return None

    async def _granted(
        self, reservation: Reservation, total_limit_tokens: int | None
    ) -> bool:
        """Whether all replicas together leave something; else, wait for a while."""
        if self.fund is None or total_limit_tokens is None:
            return True
        granted = False
        try:
            granted = await self.fund.grant(total_limit_tokens, reservation.tokens)
        finally:
            if not granted:
                self.release(reservation)
        if not granted and self.total_used_tokens() < total_limit_tokens:
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
        return granted

    @property
    def held_tokens(self) -> int:
        """What is set aside, and what is spent but not known to be in the store."""
        month = month_of(self._clock())
        return (
            self._total_reserved + self._own[month, None] - self._written[month, None]
        )

    def written(self, increments: Iterable[LedgerEntry]) -> None:
        """Know that the store has *increments*."""
        for entry in increments:
            self._written[entry.month, None] += entry.total

    def take_up(self, monitor: str, stored_tokens: int) -> None:
        """
        Know that the store has *stored_tokens* of *monitor* for this month.

        What is on its way to the store may be missing until it is asked again. What all
        monitors spent is taken up by itself.
        """
        month = month_of(self._clock())
        self._used[month, monitor] = stored_tokens + self._kept(month, monitor)

    def take_up_total(self, stored_tokens: int) -> None:
        """Know that the store has *stored_tokens* of all monitors; see `take_up`."""
        month = month_of(self._clock())
        self._total[month] = stored_tokens + self._kept(month, None)

    def _kept(self, month: str, monitor: str | None) -> int:
        """Return what was spent here and nobody took to write it down."""
        return self._own[month, monitor] - self._taken[month, monitor]

    def _take(self, entry: LedgerEntry, sign: int) -> LedgerEntry:
        """Know that *entry* was taken, or given back; return it."""
        for monitor in (entry.monitor, None):
            self._taken[entry.month, monitor] += sign * entry.total
        return entry

    def settle(
        self, reservation: Reservation, spent: Mapping[TokenRole, TokenUsage]
    ) -> None:
        """Write down what the sample of *reservation* *spent*, and end it."""
        tokens = self.spend(reservation.monitor, spent)
        if tokens:  # what cost nothing, an agent that is down, tells nothing
            past = self._past.setdefault(reservation.monitor, _Past())
            past.samples += 1
            past.tokens += tokens
        self.release(reservation)

    def release(self, reservation: Reservation) -> None:
        """End *reservation*, if it has not ended; its sample spent nothing."""
        if self._open.pop(reservation.number, None) is not None:
            self._reserved[reservation.monitor] -= reservation.tokens
            self._total_reserved -= reservation.tokens
            change, self._change = self._change, asyncio.Event()
            change.set()

    def spend(self, monitor: str, spent: Mapping[TokenRole, TokenUsage]) -> int:
        """
        Write down what was *spent* without a reservation; return how much it is.

        An empty *monitor*: spent for none, counted in the total alone.
        """
        month = month_of(self._clock())
        tokens = 0
        for role, usage in spent.items():
            self._write(monitor, _Kind(month, role, usage.estimated), usage)
            tokens += usage.total
        self._own[month, monitor] += tokens
        self._own[month, None] += tokens
        self._count(month, monitor, tokens)
        return tokens

    def take_increments(self, monitor: str | None = None) -> tuple[LedgerEntry, ...]:
        """Return what was spent for *monitor* (None: for all) since last taken."""
        monitors = list(self._unwritten) if monitor is None else [monitor]
        return tuple(
            self._take(
                LedgerEntry(
                    month=kind.month,
                    monitor=name,
                    role=kind.role,
                    input_tokens=usage.input_tokens,
                    output_tokens=usage.output_tokens,
                    estimated=kind.estimated,
                ),
                1,
            )
            for name in monitors
            for kind, usage in self._unwritten.pop(name, {}).items()
        )

    def give_back(self, increments: Iterable[LedgerEntry]) -> None:
        """Take back *increments* that could not be written; the next take has them."""
        for entry in increments:
            self._take(entry, -1)
            usage = TokenUsage(
                input_tokens=entry.input_tokens, output_tokens=entry.output_tokens
            )
            kind = _Kind(entry.month, entry.role, entry.estimated)
            self._write(entry.monitor, kind, usage)

    def _expected_tokens(self, monitor: str, estimate_tokens: int) -> int:
        """Return what the next sample of *monitor* is held to take, at least 1."""
        past = self._past.get(monitor)
        mean = -(-past.tokens // past.samples) if past else estimate_tokens
        return max(1, mean)

    def _count(self, month: str, monitor: str, tokens: int) -> None:
        """Add *tokens* to what *monitor*, and all together, used in *month*."""
        self._used[month, monitor] += tokens
        self._total[month] += tokens

    def _write(self, monitor: str, kind: _Kind, usage: TokenUsage) -> None:
        """Add *usage* to what is to be handed out."""
        if usage.total:
            kinds = self._unwritten.setdefault(monitor, {})
            kinds[kind] = kinds.get(kind, TokenUsage()) + usage


def month_of(instant: datetime) -> str:
    """Return the month of *instant* in UTC: `2026-11`."""
    utc = instant.astimezone(UTC)
    # strftime takes ten times as long, and this is asked for at every sample.
    return f"{utc.year}-{utc.month:02}"
