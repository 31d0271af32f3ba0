"""The ledger, taken up where the store has it."""

from collections.abc import Callable
from datetime import UTC, datetime

from answerprobe.evidence import Store
from answerprobe.ledger import Ledger, LedgerEntry, month_of


def utc_now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


async def load_ledger(
    store: Store | None, clock: Callable[[], datetime] = utc_now
) -> Ledger:
    """
    Return the ledger of this month as *store* has it; an empty one without a store.

    Raises:
        StoreError: the store failed.
    """
    kept = await store.ledger(month_of(clock())) if store else ()
    entries = [
        LedgerEntry(
            month=tokens.month,
            monitor=tokens.monitor,
            role=tokens.role,
            input_tokens=tokens.input_tokens,
            output_tokens=tokens.output_tokens,
            estimated=tokens.estimated,
        )
        for tokens in kept
    ]
    return Ledger(entries, clock=clock)
