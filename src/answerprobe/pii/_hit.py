"""What is found: a kind and where it stands."""

from enum import StrEnum
from typing import NamedTuple


class PiiKind(StrEnum):
    """The kinds of personal data we know."""

    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    SSN = "ssn"


ALL_KINDS = frozenset(PiiKind)


class Hit(NamedTuple):
    """Personal data of one *kind* at `text[start:end]`."""

    kind: PiiKind
    start: int
    end: int


def mask(value: str) -> str:
    """
    Return *value* so that its owner knows it again and nobody else learns it.

    Of a mail address the first letters of name and domain stay, of a number its last
    two digits.
    """
    name, at, domain = value.partition("@")
    if at:
        last = domain.rpartition(".")[2]
        return f"{name[:1]}***@{domain[:1]}***.{last}"
    digits = [char for char in value if char.isdigit()]
    return "***" + "".join(digits[-2:])
