"""What was there before: the store, and what it has of the past."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from answerprobe.evidence import Store
from answerprobe.ledger import Ledger, LedgerEntry, month_of
from answerprobe.scheduler import Membership


def utc_now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """
    What was there before the daemon: its store, and what that has of the past.

    *membership* is there where other daemons may share the store.
    """

    store: Store
    ledger: Ledger
    last_run_id: int
    membership: Membership | None = None

    @property
    def clock(self) -> Callable[[], datetime]:
        """The clock that all who share the store go by."""
        return self.membership.now if self.membership else utc_now


async def open_books(store: Store, membership: Membership | None = None) -> Books:
    """
    Return the books that *store* has.

    Raises:
        StoreError: the store failed.
    """
    return Books(
        store=store,
        ledger=await load_ledger(store, membership.now if membership else utc_now),
        last_run_id=await store.last_run_id(),
        membership=membership,
    )


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
