"""The one way into detection: all kinds, overlaps settled, context heeded."""

import re

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice

from answerprobe.pii._allow import Allow
from answerprobe.pii._card import CardFinder
from answerprobe.pii._context import Cues
from answerprobe.pii._email import find_emails
from answerprobe.pii._hit import ALL_KINDS, Hit, PiiKind
from answerprobe.pii._number import find_ibans, find_ssns
from answerprobe.pii._phone import PhoneFinder


DEFAULT_REGIONS = ("US", "GB", "DE", "FR", "ES", "JP")
_NOTHING_ALLOWED = Allow()
_MOST_HITS = 100
_MOST_PASSES = 4

# One character for one, so that offsets stay: the digits, dashes, blanks and signs that
# typography and East Asian input methods put for the ASCII ones.
# Half surrogate pairs, which JSON can spell and RE2 refuses, become one that it takes.
_PLAIN = {
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    **{0xFF10 + digit: str(digit) for digit in range(10)},
    **{0x0660 + digit: str(digit) for digit in range(10)},
    **{0x06F0 + digit: str(digit) for digit in range(10)},
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000"), " "),
    0xFF20: "@",
    0xFF0E: ".",
    0xFF0B: "+",
    0xFF08: "(",
    0xFF09: ")",
    0x2019: "'",
}
_NUMBER = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){4}|[0-9]\n?[0-9]{4}")


def find(
    text: str,
    *,
    kinds: frozenset[PiiKind] = ALL_KINDS,
    regions: tuple[str, ...] = DEFAULT_REGIONS,
    allow: Allow = _NOTHING_ALLOWED,
    exemptions: bool = True,
) -> tuple[Hit, ...]:
    """
    Return the personal data in *text* in order, the first hundred.

    *regions* are those whose national phone numbers are known. With *exemptions*, what
    belongs to nobody in particular is left out: role mailboxes, example domains, test
    cards, toll-free numbers.
    """
    hits = _hits(text, kinds, regions, exemptions=exemptions)
    wanted = (h for h in hits if not allow.covers(h.kind, text[h.start : h.end]))
    return tuple(sorted(islice(wanted, _MOST_HITS), key=lambda hit: hit.start))


def redact(text: str) -> str:
    """
    Return *text* with personal data of any kind replaced by `[email]`, `[phone]`, …

    It leans to taking out too much, exempts nothing, and changes nothing the second
    time.
    """
    for _ in range(_MOST_PASSES):
        hits = sorted(
            _hits(text, ALL_KINDS, DEFAULT_REGIONS, exemptions=False),
            key=lambda hit: hit.start,
        )
        if not hits:
            return text
        text = _replaced(text, hits)
    return text


def _replaced(text: str, hits: list[Hit]) -> str:
    """Return *text* with the mark of its kind in place of each hit."""
    parts, at = [], 0
    for hit in hits:
        parts += [text[at : hit.start], f"[{hit.kind}]"]
        at = hit.end
    return "".join([*parts, text[at:]])


def _hits(
    text: str,
    kinds: frozenset[PiiKind],
    regions: tuple[str, ...],
    *,
    exemptions: bool,
) -> Iterator[Hit]:
    """Yield the hits kind by kind; a stronger kind keeps its digits from the weaker."""
    plain = text if text.isascii() else text.translate(_PLAIN)
    taken = _Spans()
    if PiiKind.EMAIL in kinds:
        yield from taken.claim(find_emails(plain, exemptions=exemptions))
    if kinds == {PiiKind.EMAIL} or not _NUMBER.search(plain):
        return
    cues = Cues(plain)
    phones = PhoneFinder(plain, cues, regions, exemptions=exemptions)
    finders = (
        (PiiKind.IBAN, find_ibans(plain, cues, exemptions=exemptions)),
        (PiiKind.CARD, CardFinder(plain, cues, exemptions=exemptions).find()),
        (PiiKind.SSN, find_ssns(plain, cues)),
        (PiiKind.PHONE, phones.find()),
    )
    for kind, found in finders:
        free = taken.claim(found)
        if kind in kinds:
            yield from free
        else:
            deque(free, maxlen=0)  # its digits are taken all the same


class _Spans:
    """The stretches of a text that are spoken for."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def claim(self, hits: Iterator[Hit]) -> Iterator[Hit]:
        """Yield those of *hits* that overlap nothing claimed before."""
        for hit in hits:
            at = bisect_right(self._starts, hit.start)
            if at and self._ends[at - 1] > hit.start:
                continue
            if at < len(self._starts) and self._starts[at] < hit.end:
                continue
            self._starts.insert(at, hit.start)
            self._ends.insert(at, hit.end)
            yield hit
