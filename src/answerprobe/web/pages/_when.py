"""Instants, durations and numbers, as people read them."""

from datetime import UTC, datetime

from markupsafe import Markup


_STEPS = ((60.0, 1.0, "s"), (3600.0, 60.0, "min"), (86400.0, 3600.0, "h"))
_DAY = 86400.0
_PAIRS = (
    (3600, (60, "min"), (1, "s")),
    (86400, (3600, "h"), (60, "min")),
)
_JUST_NOW_SECONDS = 5.0
# What stands where nothing is known: an en dash.
NOTHING = "\u2013"


def relative(at: datetime, now: datetime) -> str:
    """Return *at* as seen from *now*: `5 min ago`, `in 3 h`."""
    seconds = (now - at).total_seconds()
    if abs(seconds) < _JUST_NOW_SECONDS:
        return "just now" if seconds >= 0 else "any moment"
    told = _span(abs(seconds))
    return f"{told} ago" if seconds > 0 else f"in {told}"


def _span(seconds: float) -> str:
    """Return a span in its largest unit."""
    for below, size, unit in _STEPS:
        if seconds < below:
            return f"{int(seconds // size)} {unit}"
    days = int(seconds // _DAY)
    return f"{days} day{'s' if days != 1 else ''}"


def absolute(at: datetime) -> str:
    """Return *at* in full: `2026-11-30 12:00:00 UTC`."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def moment(at: datetime | None, now: datetime) -> Markup:
    """Return *at* as an element: relative, in full on hover and to programs."""
    if at is None:
        return Markup('<span class="none">never</span>')
    iso = at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        iso, absolute(at), relative(at, now)
    )


def duration(seconds: float | None) -> str:
    """Return a duration: `250 ms`, `1.2 s`, `2 min 5 s`, `1 h 30 min`."""
    if seconds is None:
        return NOTHING
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    for below, big, small in _PAIRS:
        if whole < below:
            return _pair(whole, big, small)
    return _pair(whole, (86400, "d"), (3600, "h"))


def _pair(seconds: int, big: tuple[int, str], small: tuple[int, str]) -> str:
    """Return whole *seconds* in a unit and what remains in a smaller one."""
    many, rest = divmod(seconds, big[0])
    few = rest // small[0]
    return f"{many} {big[1]} {few} {small[1]}" if few else f"{many} {big[1]}"


def percent(ratio: float | None) -> str:
    """Return a ratio as a percentage, never rounded up to 100% or down to 0%."""
    if ratio is None:
        return NOTHING
    whole = round(ratio * 100)
    if (whole == 100 and ratio < 1) or (whole == 0 and ratio > 0):
        return f"{min(max(ratio * 100, 0.1), 99.9):.1f}%"
    return f"{whole}%"


def count(number: int | None) -> str:
    """Return a number with thousands apart: `12,345`."""
    return NOTHING if number is None else f"{number:,}"


def plural(number: int, noun: str) -> str:
    """Return *number* with its *noun*: `1 case`, `1,200 cases`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
