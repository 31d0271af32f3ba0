"""Payment cards: digits in an issuer's range that carry their own check digit."""

import re

from collections.abc import Iterator
from typing import NamedTuple

from answerprobe.pii._boundary import stands_alone
from answerprobe.pii._compiled import compiled
from answerprobe.pii._context import Cue, Cues, is_in_url
from answerprobe.pii._hit import Hit, PiiKind
from answerprobe.pii._words import words


_RUN = compiled(r"\d[\d .\-]*\d")
_GROUP = re.compile(r"[0-9]+")
_SHORTEST_CARD, _LONGEST_CARD = 12, 19
_SHORTEST_GROUP, _FIRST_GROUP = 2, 4
_MOST_GROUPS = 6
_TELLING_LENGTH = 14  # shorter ones are article numbers and time stamps more often

# Issuer ranges as the networks publish them: prefix range (inclusive) -> lengths.
_ISSUERS: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({13, 16, 19})),  # Visa
    (51, 55, frozenset({16})),  # Mastercard
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),  # American Express
    (37, 37, frozenset({15})),
    (300, 305, frozenset({14, 16})),  # Diners Club
    (36, 36, frozenset({14, 16})),
    (38, 39, frozenset({14, 16})),
    (6011, 6011, frozenset({16, 19})),  # Discover
    (644, 659, frozenset({16, 19})),
    (3528, 3589, frozenset({16, 19})),  # JCB
    (1800, 1800, frozenset({15})),
    (2131, 2131, frozenset({15})),
    (62, 62, frozenset({16, 17, 18, 19})),  # UnionPay
    (81, 82, frozenset({16})),  # UnionPay, RuPay
    (2200, 2204, frozenset({16})),  # Mir
    (9792, 9792, frozenset({16})),  # Troy
    (50, 50, frozenset(range(12, 20))),  # Maestro, Elo
    (56, 58, frozenset(range(12, 20))),
    (60, 61, frozenset({16})),  # RuPay
    (63, 63, frozenset(range(12, 20))),  # Maestro
    (67, 69, frozenset(range(12, 20))),
)
# What the payment providers' documentations give as numbers to test with.
_TEST_CARDS = words(
    """
    4111111111111111 4242424242424242 4000056655665556 4012888888881881 4222222222222
    4000000000000002 4000000000009995 4000000000000077 4000000000003220 4012000033330026
    4917610000000000 4444333322221111 4462030000000000 4988438843884305 4166676667666746
    4646464646464644 4000620000000007 4000060000000006 4293189100000008 4988080000000000
    4111111145551142 4005519200000004 4009348888881881 4012000077777777 4217651111111119
    4500600000000061 4000111111111115 5555555555554444 5555555555555557 5200828282828210
    5105105105105100 5555341244441115 5431111111111111 5454545454545454 5500000000000004
    5424000000000015 5577000055770004 5136333333333335 5585558555855583 5555444433331111
    2222405343248877 2222990905257051 2223007648726984 2223577120017656 2223000048410010
    2223003122003222 2222410740360010 2222400070000005 2222400030000004 5100290029002909
    5103221911199245 5100060000000002 5500009999999999 378282246310005 371449635398431
    378734493671000 374245455400126 343434343434343 370000000000002 340000000000009
    374101000000608 375987000000088 6011111111111117 6011000990139424 6011000000000004
    6011981111111113 6011000400000000 6011601160116611 6445644564456445 30569309025904
    38520000023237 3056930009020004 36227206271667 36006666333344 36700102000000
    36259600000004 3566002020360505 3530111333300000 3566111111111113 3569990010095841
    6200000000000005 6200000000000047 6205500000000000004 6250941006528599
    6304000000000000 6759649826438453 6771798021000008 6771830999991239
    """
)


class _Group(NamedTuple):
    """Digits that stand together; *joined*: one separator parts them from the last."""

    digits: str
    start: int
    end: int
    joined: bool


class CardFinder:
    """Looks for card numbers in one text."""

    def __init__(self, text: str, cues: Cues, *, exemptions: bool) -> None:
        self._text = text
        self._cues = cues
        self._exemptions = exemptions

    def find(self) -> Iterator[Hit]:
        """Yield the card numbers, at the borders of digit groups, never overlapping."""
        for run in _RUN.finditer(self._text):
            groups = _groups(run[0], run.start())
            index = 0
            while index < len(groups):
                taken = self._taken(groups[index : index + _MOST_GROUPS])
                if taken:
                    last = groups[index + taken - 1]
                    yield Hit(PiiKind.CARD, groups[index].start, last.end)
                index += taken or self._whole(groups[index : index + _MOST_GROUPS])

    def _taken(self, groups: list[_Group]) -> int:
        """Return how many of *groups*, from the first on, are a card; 0 for none."""
        first = groups[0]
        if len(first.digits) < _FIRST_GROUP:
            return 0
        digits, best = "", 0
        for count, group in enumerate(groups, 1):
            if count > 1 and (not group.joined or len(group.digits) < _SHORTEST_GROUP):
                break
            digits += group.digits
            if len(digits) > _LONGEST_CARD:
                break
            if self._is_card(digits, first.start, group.end) and not (
                self._exemptions and _goes_on(groups, count)
            ):
                best = count
        return best

    def _whole(self, groups: list[_Group]) -> int:
        """Return how many of *groups* to leave behind when no card begins here."""
        count = 1
        while self._exemptions and count < len(groups) and _goes_on(groups, count):
            count += 1
        return count

    def _is_card(self, digits: str, start: int, end: int) -> bool:
        """Whether *digits*, which stand there in the text, are a card number."""
        if len(digits) < _SHORTEST_CARD or not _is_luhn(digits):
            return False
        if len(set(digits)) == 1:
            return False
        if not stands_alone(self._text, start, end):
            return False
        cue = self._cues.before(start, PiiKind.CARD).cue
        issued = _has_issuer(digits)
        if not self._exemptions:
            return issued or cue is Cue.FOR
        if digits in _TEST_CARDS or cue is Cue.AGAINST or is_in_url(self._text, start):
            return False
        return cue is Cue.FOR or (issued and len(digits) >= _TELLING_LENGTH)


def _goes_on(groups: list[_Group], count: int) -> bool:
    """Whether the group after *count* of them is one more of four digits, of a card."""
    if count >= len(groups) or not groups[count].joined:
        return False
    return len(groups[count].digits) == len(groups[count - 1].digits) == _FIRST_GROUP


def _groups(run: str, offset: int) -> list[_Group]:
    """Return the digit groups of *run*, which begins at *offset* of the text."""
    groups: list[_Group] = []
    end = 0
    for match in _GROUP.finditer(run):
        start = match.start()
        joined = start - end == 1
        end = match.end()
        groups.append(_Group(match[0], offset + start, offset + end, joined))
    return groups


_DOUBLED = str.maketrans("0123456789", "0246813579")


def _is_luhn(digits: str) -> bool:
    """Whether the check digit is right; stdnum's own takes five times as long."""
    even = sum(map(int, digits[-2::-2].translate(_DOUBLED)))
    return (even + sum(map(int, digits[-1::-2]))) % 10 == 0


def _has_issuer(digits: str) -> bool:
    """Whether a network issues numbers that begin so and are so long."""
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths
        for low, high, lengths in _ISSUERS
    )
