"""What the words before a number say that it is."""

import re

from bisect import bisect_right
from enum import Enum
from typing import NamedTuple

from answerprobe.pii._compiled import Expression, compiled
from answerprobe.pii._hit import PiiKind


class Cue(Enum):
    """Whether the words speak for a kind or against personal data."""

    FOR = "for"
    AGAINST = "against"


_WINDOW = 40
_URL_WINDOW = 200

_CARD = r"""
    credit|debit|\bcards?\b|\bcc\b|visa\b|master\s?card|maestro|\bamex\b
    american express|discover|diners|\bjcb\b|union\s?pay|rupay|\bmir\b|kreditk
    karten?\b|carte|tarjeta|carta\b|cartão|cartao|creditcard|kaart|karta|karty
    kort\b|kart[i\x{131}]|カード|信用卡|银行卡|卡号|카드|карт
"""
_PHONE = r"""
    phone|\btel\b|\btél|telef|téléph|teléf|mobile|\bmob\b|\bmobil|móvil|\bcell
    celular|cellul|telem[oó]vel|handy|\bfax\b|\bcall(?:ed|ing|er)?\b|\bdial|\bring\b
    \btext(?:ed)?\b|\bsms\b|whats\s?app|\bviber\b|\bsignal\b|\btelegram\b
    \breach(?:ed|able)?\b|\banswer(?:ing)?\s+at\b|messages to\b|registered\b
    \bdesk\b|\bhotline\b|\bvoicemail\b|contact number|rufnummer|anruf|rufen
    \berreich|durchwahl|\bportable\b|joign|appel|numéro de|llam|\bnúmero\b|chiam
    \bnumero\b|\blig(?:ar|ue)\b|contacto|contato|\bbel(?:len)?\b|\bgsm\b|nummer van
    komórk|zadzwo|\bnumer\b|\btlf|ring(?:a|e)\b|aray[i\x{131}]n|電話|携帯|连络|電話番号
    电话|手机|致电|联系方式|전화|휴대폰|휴대전화|연락처|번호는|телефон|моб|звон
    позвон|номер
"""
_IBAN = r"""
    iban|konto|bank|account|compte|cuenta|conto|conta\b|rekening|rachun|口座|账户
    계좌|сч[её]т
"""
_SSN = r"\bssn\b|social security|soc(?:ial)? sec"
_OTHER = r"""
    \border|\bticket|\bcase\b|\binvoice|\breceipt|\bisbn|\bissn|\bdoi\b|\bids?\b
    \bid:|_id\b|\bno\.|\bpart\b|\bsku\b|\btracking|\bshipment|\bparcel\b|\bbuild\b
    \bversion|\brelease|\bimei|\bgtin|\bupc\b|\bean\b|\basin\b|\bref\b|\brefer
    \bserial|\bcontract|\btimestamp|\bqueue|\bpasscode|\bpin\b|\bcode\b|\broom\b
    \bmeeting|\bpolicy n|\bpolicy #|\bcoupon|\bgift|\bvoucher|\bpromo|\bbarcode
    \bmodel\b|\bvin\b|\bserie|\blicen[cs]e|\bpatent|\brfc\b|\bsection|\bchapter
    \bpage|\barray\b|\bmember|\bconfirmation|\bbooking|\btransaction|\bhash|\bcommit
    \blatitude|\blongitude|\bcoord|\bzip\b|\bpostal|\bplz\b|\bbox\b|\bsession
    \brequest|\bseed\b|\bwaybill|\bups\b|\bfedex|\bdhl\b|\busps\b|\bbestell
    \bauftrag|\brechnung|\bvorgang|\bsendung|\bkundennummer|\bvertrag|\bcommande
    \bfacture|\bpedido|\bfactura|\bseguimiento|\bordine|\bfattura|\bfatura
    \bbestelling|\bfactuur|\bzamówi|\bfaktur|\bsipariş|注文|伝票|追跡|订单|快递|运单
    主문|주문|송장|заказ|трек|счет-фактур|订单号|問い合わせ番号|お問い合わせ
"""


def _alternatives(listed: str) -> Expression:
    """Return the pattern of alternatives that *listed* has, line by line."""
    lines = (line.strip() for line in listed.split("\n"))
    return compiled("(?i)" + "|".join(line for line in lines if line))


_FOR = {
    PiiKind.CARD: _alternatives(_CARD),
    PiiKind.PHONE: _alternatives(_PHONE),
    PiiKind.IBAN: _alternatives(_IBAN),
    PiiKind.SSN: _alternatives(_SSN),
}
_AGAINST = _alternatives(_OTHER)
_PUBLIC = _alternatives(
    r"""
    hot-?line|help-?line|lifeline|toll[ -]?free|emergenc|notruf|numéro vert
    free-?phone|crisis|免费|フリーダイヤル
    """
)
_BARRIER = compiled(r"[\[\]@]|\n\s*\n")
_LABEL_AFTER = re.compile(
    r"\s?[-\u2013(/,]?\s?"
    r"(?:office|fax|mobile|cell|home|work|desk|direct|mobil|privat)\b",
    re.IGNORECASE,
)
# Words that may stand between "phone" and its number; a word more is let by.
_FILLER = compiled(
    r"(?i)^(?:\W|\b(?:number|numbers|no|nr|num|numero|is|was|are|at|on|under|us|me|him|her|"
    r"them|back|please|the|this|listed|ist|lautet|unter|auf|est|au|le|es|al|el|il|è|"
    r"do|da|na|is|op|to|jest|pod)\b)*(?:\p{L}+(?:'s)?)?\W*$"
)
_LONGEST_FILLER = 24


class Context(NamedTuple):
    """The nearest telling words: for a kind or against, public, and how close."""

    cue: Cue | None = None
    close: bool = False
    public: bool = False


class Cues:
    """Where in one text the telling words are; each kind is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[Expression, list[int]] = {}

    def before(self, start: int, kind: PiiKind) -> Context:
        """Return what the nearest words before *start* say of a *kind* there."""
        floor = max(0, start - _WINDOW, self._last(_BARRIER, start))
        speaks_for = self._last(_FOR[kind], start)
        speaks_against = self._last(_AGAINST, start)
        public = self._last(_PUBLIC, start) > floor
        if max(speaks_for, speaks_against) <= floor:
            return Context(public=public)
        if speaks_for < speaks_against:
            return Context(Cue.AGAINST, public=public)
        gap = self._text[speaks_for:start]
        close = len(gap) <= _LONGEST_FILLER and bool(_FILLER.match(gap))
        return Context(Cue.FOR, close, public)

    def _last(self, pattern: Expression, before: int) -> int:
        """Return where the last match of *pattern* up to *before* ends, else 0."""
        ends = self._ends.get(pattern)
        if ends is None:
            ends = [match.end() for match in pattern.finditer(self._text)]
            self._ends[pattern] = ends
        at = bisect_right(ends, before)
        return ends[at - 1] if at else 0


def has_label_after(text: str, end: int) -> bool:
    """Whether a word such as `-Fax` or `(office)` follows the number."""
    return bool(_LABEL_AFTER.match(text, end))


def is_in_url(text: str, start: int) -> bool:
    """Whether the number is part of a web address."""
    before = text[max(0, start - _URL_WINDOW) : start]
    token = before[max(map(before.rfind, " \n\t\"'(<")) + 1 :]
    return "://" in token or token.startswith("www.")
