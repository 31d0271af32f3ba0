"""Instants as the store keeps them: seconds since the epoch."""

from datetime import UTC, datetime


def from_epoch(seconds: float) -> datetime:
    """Return the aware UTC instant *seconds* after the epoch."""
    return datetime.fromtimestamp(seconds, UTC)


def from_epoch_or_none(seconds: float | None) -> datetime | None:
    """Return the instant *seconds* after the epoch; None for NULL."""
    return None if seconds is None else from_epoch(seconds)


def to_epoch_or_none(instant: datetime | None) -> float | None:
    """Return *instant* in seconds since the epoch; None, which is NULL, for None."""
    return None if instant is None else instant.timestamp()
