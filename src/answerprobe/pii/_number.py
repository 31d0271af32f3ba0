"""IBANs and US social security numbers: codes of a fixed shape."""

import re

from collections.abc import Iterator

from stdnum.exceptions import ValidationError
from stdnum.iso7064 import mod_97_10

from answerprobe.pii._boundary import stands_alone
from answerprobe.pii._compiled import compiled
from answerprobe.pii._context import Cue, Cues
from answerprobe.pii._hit import Hit, PiiKind


_SEPARATORS = re.compile(r"[ .-]")
# Lengths of the IBAN registry (SWIFT, release 99), by country.
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "FR GR IT MC MR SM BI DJ",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}
_IBAN = compiled(r"(?i)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}")


def find_ibans(text: str, cues: Cues, *, exemptions: bool) -> Iterator[Hit]:
    """Yield the IBANs in *text*, in any case, with or without blanks."""
    for match in _IBAN.finditer(text):
        end = _iban_end(text, match.start(), match.end())
        if end is None or not stands_alone(text, match.start(), end):
            continue
        value = _SEPARATORS.sub("", text[match.start() : end])
        if _is_iban(value) or (
            not exemptions and cues.before(match.start(), PiiKind.IBAN).cue is Cue.FOR
        ):
            yield Hit(PiiKind.IBAN, match.start(), end)


def _iban_end(text: str, start: int, end: int) -> int | None:
    """Return where the IBAN of that country ends, by the length it must have."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper())
    if length is None:
        return None
    for at in range(start, end):
        length -= text[at] not in " -"
        if not length:
            return at + 1
    return None


def _is_iban(value: str) -> bool:
    """Whether the check digits of *value* are right."""
    try:
        mod_97_10.validate(value[4:] + value[:4])
    except ValidationError:
        return False
    return True


_SSN = compiled(r"\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{9}")


def find_ssns(text: str, cues: Cues) -> Iterator[Hit]:
    """Yield the US social security numbers; without dashes only after a cue word."""
    for match in _SSN.finditer(text):
        start, end = match.span()
        if not _is_ssn(_SEPARATORS.sub("", match[0])):
            continue
        if not stands_alone(text, start, end) or _continues(text, start, end):
            continue
        cue = cues.before(start, PiiKind.SSN).cue
        if cue is Cue.FOR or (cue is None and "-" in match[0]):
            yield Hit(PiiKind.SSN, start, end)


def _is_ssn(digits: str) -> bool:
    """Whether such a number can have been issued."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in {"000", "666"} or area.startswith("9"):
        return False
    return group != "00" and serial != "0000"


def _continues(text: str, start: int, end: int) -> bool:
    """Whether dashes and digits go on, as in a longer code."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return before[-1:] == "-" or (after[:1] in {"-", "/", "."} and after[1:].isdigit())
