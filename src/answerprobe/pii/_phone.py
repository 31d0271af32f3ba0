"""Phone numbers: what the numbering plans know, and what the words around call one."""

import re

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import phonenumbers

from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberType

from answerprobe.pii._boundary import is_code
from answerprobe.pii._compiled import compiled
from answerprobe.pii._context import (
    Context,
    Cue,
    Cues,
    has_label_after,
    is_in_url,
)
from answerprobe.pii._hit import Hit, PiiKind


_RUN = compiled(r"[+(]{0,2}\d(?:[ .()/-]{0,3}\d)+")
_GROUP = re.compile(r"[0-9]+")
_EXTENSION = re.compile(r"\s?(?:x|ext\.?|#|durchwahl)\s?[0-9]{1,7}\b", re.IGNORECASE)
_FEWEST_DIGITS, _MOST_DIGITS = 6, 17
_FEWEST_DIGITS_ALONE = 7
_FEWEST_DIGITS_UNCALLED = 9
_MOST_GROUPS = 8
_DIGITS_A_GROUP = 1.5  # on average: `1 2 3 4 5 6 7` counts something
_SIGNS_BEFORE = frozenset("_#$€£%*+=")
_SIGNS_AFTER = frozenset("_%*$€£°")
_JOINTS = frozenset("-.,/:")
# Questions to the numbering plans cost some 15 µs a region each.
_MOST_QUESTIONS = 2_000

_NOBODYS = frozenset(
    {
        PhoneNumberType.TOLL_FREE,
        PhoneNumberType.PREMIUM_RATE,
        PhoneNumberType.SHARED_COST,
        PhoneNumberType.UAN,
        PhoneNumberType.VOICEMAIL,
    }
)
_US_FICTION = re.compile(r"(?:1?\d{3})?55501\d\d")
_FREE = re.compile(
    r"(?:00|011)?1?(?:800|888|877|866|855|844|833)\d{7}$|0?0?800|0808|116\d{3}$"
)
_YEAR_DATE = re.compile(
    r"(?:19|20)\d\d([-./ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d(?!\d)"
    r"|(?:1[5-9]|20)\d\d ?[-/] ?(?:1[5-9]|20)\d\d(?!\d)"
)
_DATE = re.compile(r"\d{1,2}([-./])\d{1,2}\1\d\d")
_DECIMAL = re.compile(r"\d+\.\d+")
_UNIT = re.compile(
    r"\s?(?:[kmgt]?i?b|[mµn]?s|h|sec\w*|min\w*|hours?|days?|(?:micro|milli|nano)\w*|times|"
    r"users?|people|calls?|messages?|requests?|usd|eur|dollars?|euros?|tokens?|bytes?|"
    r"bits?|rows?|items?|points?|%)(?:\b|$)",
    re.IGNORECASE,
)
_US_SHAPE = re.compile(
    r"(?:1[ .-])?(?:\(\d{3}\) ?\d{3}[ .-]?\d{4}|\d{3}([ .-])\d{3}\1\d{4})"
)
_TRUNK_SHAPE = re.compile(r"\(?0[0-9()]*(?:[ ./()-]{1,3}[0-9]+)+")
_TYPOGRAPHY = re.compile(r"\d[ ./()-]{1,3}\d")


def known_regions() -> frozenset[str]:
    """Return the two-letter regions whose numbering plans we have."""
    return frozenset(phonenumbers.SUPPORTED_REGIONS)


class _Plan(Enum):
    """What the numbering plans say of a number."""

    UNKNOWN = "unknown"
    NOBODYS = "nobody's"
    PERSONAL = "personal"


class _Group(NamedTuple):
    """Digits that stand together."""

    start: int
    end: int


class PhoneFinder:
    """Looks for phone numbers of some regions in one text."""

    def __init__(
        self, text: str, cues: Cues, regions: tuple[str, ...], *, exemptions: bool
    ) -> None:
        self._text = text
        self._cues = cues
        self._regions = regions
        self._exemptions = exemptions
        self._questions = 0

    def find(self) -> Iterator[Hit]:
        """Yield the phone numbers, never overlapping."""
        for run in _RUN.finditer(self._text):
            groups = [
                _Group(run.start() + m.start(), run.start() + m.end())
                for m in _GROUP.finditer(run[0])
            ]
            index = 0
            while index < len(groups):
                start = self._start(groups[index].start, run.start())
                taken = self._taken(groups[index : index + _MOST_GROUPS], start)
                if taken:
                    end = self._with_extension(groups[index + taken - 1].end)
                    yield Hit(PiiKind.PHONE, start, end)
                index += taken or 1

    def _taken(self, groups: list[_Group], start: int) -> int:
        """Return how many of *groups*, the most possible, are a number; 0 for none."""
        digits = sum(group.end - group.start for group in groups)
        for count in range(len(groups), 0, -1):
            if digits < max(_FEWEST_DIGITS, count * _DIGITS_A_GROUP):
                return 0
            end = groups[count - 1].end
            if digits <= _MOST_DIGITS and self._is_phone(start, end):
                return count
            digits -= end - groups[count - 1].start
        return 0

    def _start(self, digits_start: int, run_start: int) -> int:
        """Return where the number begins: at its `+` and opening bracket."""
        start = digits_start
        while start > run_start and self._text[start - 1] in "+(":
            start -= 1
        return start

    def _with_extension(self, end: int) -> int:
        """Return where the number ends, an extension counted in."""
        extension = _EXTENSION.match(self._text, end)
        return extension.end() if extension else end

    def _is_phone(self, start: int, end: int) -> bool:
        """Whether the text from *start* to *end* is somebody's phone number."""
        raw = self._text[start:end]
        if not self._is_bounded(start, end) or _is_other(raw):
            return False
        context = self._context(start, end)
        if not _is_called_phone(raw, context) or is_in_url(self._text, start):
            return False
        digits = "".join(filter(str.isdigit, raw))
        if self._exemptions and (context.public or _is_public(digits)):
            return False
        plan = self._plan(raw, digits)
        if plan is _Plan.UNKNOWN:
            measured = _UNIT.match(self._text, end)
            return context.close and not measured and _could_be_phone(raw, digits)
        return plan is _Plan.PERSONAL

    def _context(self, start: int, end: int) -> Context:
        """Return what the words around the number say."""
        if has_label_after(self._text, self._with_extension(end)):
            return Context(Cue.FOR, close=True)
        return self._cues.before(start, PiiKind.PHONE)

    def _plan(self, raw: str, digits: str) -> _Plan:
        """Return what the numbering plans of the regions say of the number."""
        if len(digits) < _FEWEST_DIGITS_ALONE:
            return _Plan.UNKNOWN
        if self._questions >= _MOST_QUESTIONS:
            return _Plan.UNKNOWN if self._exemptions else _Plan.PERSONAL
        international = raw.startswith("+")
        if digits.startswith("00") and not international:
            raw, international = "+" + digits[2:], True
        plan = _Plan.UNKNOWN
        for region in ("ZZ",) if international else self._regions:
            number = self._valid(raw, region)
            if number and not self._is_nobodys(number):
                return _Plan.PERSONAL
            if number:
                plan = _Plan.NOBODYS
        return plan

    def _valid(self, raw: str, region: str) -> PhoneNumber | None:
        """Return the number that *raw* is in *region*, if the plan there has it."""
        self._questions += 1
        try:
            number = phonenumbers.parse(raw, region)
        except NumberParseException:
            return None
        return number if phonenumbers.is_valid_number(number) else None

    def _is_nobodys(self, number: PhoneNumber) -> bool:
        """Whether the number is free of charge or a service."""
        return self._exemptions and phonenumbers.number_type(number) in _NOBODYS

    def _is_bounded(self, start: int, end: int) -> bool:
        """Whether the number is no part of a longer code, decimal or sum."""
        before = self._text[max(0, start - 2) : start]
        if before and (is_code(before[-1]) or before[-1] in _SIGNS_BEFORE):
            return False
        if before[-1:] in _JOINTS and before[:1].isdigit():
            return False
        after = self._text[end : end + 2]
        if after and is_code(after[0]):
            return self._with_extension(end) > end
        if after[:1] == "-" and after[1:].isalpha():
            return has_label_after(self._text, end)
        if after[:1] in _SIGNS_AFTER:
            return False
        return not (after[:1] in _JOINTS and after[1:].isdigit())


def _is_other(raw: str) -> bool:
    """Whether *raw* is a date, a span of years or a decimal."""
    return bool(
        _YEAR_DATE.match(raw) or _DATE.fullmatch(raw) or _DECIMAL.fullmatch(raw)
    )


def _is_public(digits: str) -> bool:
    """Whether it is free of charge, a harmonised service or made for films."""
    return bool(_US_FICTION.fullmatch(digits) or _FREE.match(digits))


def _is_called_phone(raw: str, context: Context) -> bool:
    """Whether the spelling or the words around say that *raw* is a phone number."""
    if raw.startswith("+") or context.cue is Cue.FOR:
        return True
    return context.cue is None and _looks_like_phone(raw)


def _looks_like_phone(raw: str) -> bool:
    """Whether the way *raw* is written says that it is a phone number."""
    return bool(_US_SHAPE.fullmatch(raw) or _TRUNK_SHAPE.fullmatch(raw)) and (
        sum(map(str.isdigit, raw)) >= _FEWEST_DIGITS_UNCALLED
    )


def _could_be_phone(raw: str, digits: str) -> bool:
    """Whether a number that no plan knows may be meant when the words call it one."""
    if len(set(digits)) < 3:
        return False
    return bool(_TYPOGRAPHY.search(raw)) or len(digits) >= _FEWEST_DIGITS_ALONE
