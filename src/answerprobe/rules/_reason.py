"""What a rule tells the person on call: one line, bounded, both sides of it."""

from collections.abc import Sequence

from answerprobe.text import ELLIPSIS
from answerprobe.verdict import Outcome, Verdict


_LONGEST_REASON = 300
_LONGEST_QUOTE = 80
_MOST_LISTED = 3
_AROUND = 30


def passed(criterion: str, reason: str, unquoted: str | None = None) -> Verdict:
    """Return a pass; *unquoted* where *reason* has words of the answer."""
    return _verdict(criterion, Outcome.PASS, reason, unquoted)


def failed(criterion: str, reason: str, unquoted: str | None = None) -> Verdict:
    """Return a fail; *unquoted* where *reason* has words of the answer."""
    return _verdict(criterion, Outcome.FAIL, reason, unquoted)


def _verdict(
    criterion: str, outcome: Outcome, reason: str, unquoted: str | None
) -> Verdict:
    """Return a verdict, its texts cut to what a person reads."""
    return Verdict(
        criterion=criterion,
        outcome=outcome,
        reason=shortened(reason),
        unquoted=None if unquoted is None else shortened(unquoted),
    )


def shortened(text: str, longest: int = _LONGEST_REASON) -> str:
    """Return *text*, its end cut off and marked where it is longer than *longest*."""
    return text if len(text) <= longest else text[: longest - 1] + ELLIPSIS


def visible(text: str) -> str:
    """Return *text* on one line, with what cannot be seen spelled out."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in text
    )


def quote(text: str, longest: int = _LONGEST_QUOTE) -> str:
    """Return the beginning of *text* in quotation marks."""
    return f'"{shortened(visible(text[: longest + 1]), longest)}"'


def listed(texts: Sequence[str], most: int = _MOST_LISTED) -> str:
    """Return the first few of *texts*, quoted, and how many more there are."""
    shown = ", ".join(quote(text, _LONGEST_QUOTE // 2) for text in texts[:most])
    more = len(texts) - most
    return f"{shown} and {more} more" if more > 0 else shown


def around(text: str, start: int, end: int) -> str:
    """Return what stands around *start* to *end* of *text*, quoted."""
    end = min(end, start + _LONGEST_QUOTE)
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before = ELLIPSIS if first else ""
    after = ELLIPSIS if last < len(text) else ""
    return f'"{before}{visible(text[first:last])}{after}"'


def seconds(duration_seconds: float) -> str:
    """Return a span of time to the millisecond: `1.2 s`."""
    return f"{duration_seconds:.3f}".rstrip("0").rstrip(".") + " s"


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in the right number: `1 word`, `2,000 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
