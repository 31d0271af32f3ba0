"""Mail addresses, plain and spelled out."""

from collections.abc import Iterator
from typing import NamedTuple

from answerprobe.pii._compiled import compiled
from answerprobe.pii._hit import Hit, PiiKind
from answerprobe.pii._words import words


_LOCAL = r"[\p{L}\p{N}._%+'-]+"
_DOMAIN = r"(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}][\p{L}\p{N}-]*"
_PLAIN = compiled(f"({_LOCAL})@({_DOMAIN})")
_AT = r"\s{0,2}(?:\[at\]|\(at\)|\{at\}|<at>)\s{0,2}"
_DOT = r"(?:\s{0,2}(?:\[dot\]|\(dot\)|\{dot\}|<dot>|\[\.\])\s{0,2}|\.|\s+dot\s+)"
_SPELLED = compiled(
    rf"(?i)({_LOCAL}){_AT}([\p{{L}}\p{{N}}-]+(?:{_DOT}[\p{{L}}\p{{N}}-]+)+)"
)
_PROVIDERS = (
    "gmail|googlemail|yahoo|outlook|hotmail|live|icloud|proton|protonmail|gmx|aol"
)
_SPOKEN = compiled(
    rf"(?i)({_LOCAL}(?:\s+dot\s+{_LOCAL})?)"
    rf"\s+at\s+((?:{_PROVIDERS})(?:\.|\s+dot\s+)[a-z]{{2,4}})\b"
)
_LONGEST_LOCAL = 64
_LONGEST_DOMAIN = 253

_ROLES = words(
    """
    abuse account accounting accounts admin administrator advice affiliate affiliates
    alert alerts anfrage api app appeals applications apply assistance atencion
    atencionalcliente ayuda azienda bestellung bestellungen bewerbung billing booking
    bookings bot bounce bounces buchhaltung campaigns career careers clientes
    clientservice clientservices commercial compliance comms communications complaints
    concierge contact contacto contactus contatto contato contracts cs customer
    customercare customerrelations customers customerservice customerservices
    customersupport cx daemon data dataprotection datenschutz deploy desk dev developer
    developers devops direzione dispatch dmca donate donations donotreply dpo editor
    editorial education einkauf email emergency empfang engineering enquire enquiries
    enquiry equipe events express facturacion facturation fatturazione feedback finance
    finances foundation fraud ftp fundraising gdpr general git grants group guest
    guestservices hallo happiness hello help helpdesk helpline hey hi hilfe hola home
    hostmaster hotline hr hrdept info informacion informatie information informations
    inquiries inquiry intake invest investor investors invoice invoices invoicing it
    itsupport jobs klantenservice kontakt kontor kundenbetreuung kundendienst
    kundenservice kundeservice kundtjanst law legal licensing list lists login logistics
    logistik mail mailer mailerdaemon mailbox mailman maintenance management manager
    marketing media member members membership message moderator news newsletter noc
    nicereply noreply notification notifications notify office officer onboarding ops
    orders order outreach pagamenti partner partners partnerships pay payment payments
    payroll permissions personal phishing policy post postmaster presale presales press
    presse prensa privacy privacidad procurement program programs projects proposals pr
    publicity purchasing quality questions reception recruit recruiting recruitment
    reclamaciones refund refunds registrar registration report reports request requests
    reservas reservation reservations reset returns return rma root sales sav secretary
    security sekretariat seller service serviceclient serviceclients services servicio
    shipping shop soporte spam staff stats status store studio subscribe subscription
    subscriptions suporte support supportteam system sysadmin team tech technical
    techsupport test tickets ticket training travel trust unsubscribe usenet user
    vendas ventas verkauf vendor vendors vente ventes verify vertrieb volunteer
    volunteers warranty web webmaster webmestre welcome www zentrale
    """
)
_ROLE_STARTS = (
    "customer",
    "helpdesk",
    "noreply",
    "donotreply",
    "support",
    "kunden",
    "serviceclient",
    "atencion",
    "soporte",
    "datenschutz",
    "dataprotection",
    "privacy",
)
_PLACEHOLDERS = words(
    """
    you your name username yourname youremail youraddress yourmail firstname lastname
    firstnamelastname firstlast someone somebody recipient sender example sample foo bar
    user user1 user2 test test1 abc xyz emailaddress
    """
)
_RESERVED_ENDS = (".example", ".test", ".invalid", ".localhost", ".local")
_RESERVED = ("example.com", "example.org", "example.net", "example.edu")
_FILE_ENDS = words(
    """
    png jpg jpeg gif svg webp bmp ico pdf css js ts jsx tsx json yaml yml xml html htm
    php py rb rs java kt cpp hpp txt md csv tar gz zip exe dll so log lock toml ini cfg
    conf service timer socket target mount
    """
)


class _Found(NamedTuple):
    """An address as parsed: where it stands, and its two halves as they are meant."""

    start: int
    end: int
    local: str
    domain: str


def find_emails(text: str, *, exemptions: bool) -> Iterator[Hit]:
    """Yield the addresses in *text*; *exemptions* leaves out role and example ones."""
    for found in _candidates(text):
        if not _is_address(found):
            continue
        if exemptions and (_is_exempt(found) or _is_userinfo(text, found.start)):
            continue
        yield Hit(PiiKind.EMAIL, found.start, found.end)


def _candidates(text: str) -> Iterator[_Found]:
    """Yield what is spelled like an address."""
    if "@" in text:
        for match in _PLAIN.finditer(text):
            local = match[1].lstrip(".'-%")
            start = match.end(1) - len(local)
            yield _Found(start, match.end(), local, match[2])
    lowered = text.casefold()
    if any(sign in lowered for sign in ("(at)", "[at]", "{at}", "<at>")):
        for match in _SPELLED.finditer(text):
            yield _Found(match.start(), match.end(), match[1], _joined(match[2]))
    if " at " in lowered and any(p in lowered for p in _PROVIDERS.split("|")):
        for match in _SPOKEN.finditer(text):
            yield _Found(match.start(), match.end(), match[1], _joined(match[2]))


_DOTS = compiled(f"(?i){_DOT}")


def _joined(domain: str) -> str:
    """Return a spelled-out *domain* with real dots."""
    return str(_DOTS.sub(".", domain))


def _is_address(found: _Found) -> bool:
    """Whether name and domain are of a length and kind that mail takes."""
    if not found.local or not found.local.strip("._%+'-"):
        return False
    if len(found.local) > _LONGEST_LOCAL or len(found.domain) > _LONGEST_DOMAIN:
        return False
    last = found.domain.rpartition(".")[2].casefold()
    return len(last) > 1 and last not in _FILE_ENDS


def _is_exempt(found: _Found) -> bool:
    """Whether nobody in particular reads that mailbox, or nobody at all."""
    domain = found.domain.casefold()
    if domain.endswith(_RESERVED_ENDS):
        return True
    if any(domain == name or domain.endswith("." + name) for name in _RESERVED):
        return True
    local = found.local.casefold().partition("+")[0]
    words = [word for word in _WORDS.split(local) if word]
    compact = "".join(words).rstrip("0123456789")
    first = words[0].rstrip("0123456789") if words else ""
    if first in _ROLES or compact in _ROLES or compact.startswith(_ROLE_STARTS):
        return True
    return compact in _PLACEHOLDERS


_WORDS = compiled(r"[._'%-]+")
_BEFORE = 80


def _is_userinfo(text: str, start: int) -> bool:
    """Whether the name is the user of a URL: `scheme://user:password@host`."""
    before = text[max(0, start - _BEFORE) : start]
    token = before[max(map(before.rfind, " \n\t\"'(<")) + 1 :]
    scheme = token.rfind("://")
    return scheme >= 0 and "/" not in token[scheme + 3 :]
