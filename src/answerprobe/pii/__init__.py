"""
Personal data in texts: found, masked for a reason, replaced before anything is stored.

Five kinds: e-mail addresses, phone numbers, payment cards, IBANs and US social security
numbers. All work is linear in the text, and what a library has to be asked is counted.
"""

from answerprobe.pii._allow import Allow
from answerprobe.pii._finder import DEFAULT_REGIONS, find, redact
from answerprobe.pii._hit import ALL_KINDS, Hit, PiiKind, mask
from answerprobe.pii._phone import known_regions


__all__ = [
    "ALL_KINDS",
    "DEFAULT_REGIONS",
    "Allow",
    "Hit",
    "PiiKind",
    "find",
    "known_regions",
    "mask",
    "redact",
]
