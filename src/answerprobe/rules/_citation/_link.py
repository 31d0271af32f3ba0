"""Links that cite: Markdown, HTML, bare addresses, `domain.tld/path`."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from answerprobe.pii._compiled import compiled
from answerprobe.rules._citation._words import words


class Link(NamedTuple):
    """A link's address and, where it has one, its host."""

    text: str
    host: str | None


_MARKDOWN = compiled(r"\[[^\[\]\n]+\]\(\s*<?([^()\s<>]+)>?[^()\n]*\)")
_DEFINITION = compiled(r"(?m)^\s*\[([^\[\]\n^]+)\]:\s*<?(\S+?)>?(?:\s|$)")
_REFERENCE = compiled(r"\[([^\[\]\n]+)\]")
_ANCHOR = compiled(r"(?i)<a\s[^<>\n]*\bhref\s*=\s*[\"']?([^\"'\s<>]+)")
_BARE = compiled(
    r"(?i)\b(?:https?://|www\.)[^\s<>\"'`|\\^{}\[\]\x{FF08}\x{FF09}\x{FF0C}、。]+"
)
_SHORT = compiled(
    r"(?i)\b[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,12}/[a-z0-9_~%#?&=.+/-]*"
)
_MOST_LINKS = 200
_SHORT_ENDS = words(
    """
    com org net edu gov io dev app ai de fr es it nl pl eu uk us ca au jp cn kr ru br pt
    ch at be se no dk fi cz info test int
    """
)
# What people do with an address that is no source: open it, set it, pay there.
_USED = compiled(
    r"(?i)(?:open|visit|navigate to|browse to|go to|set|base url(?: to)?|endpoint|"
    r"redirect(?:s|ed)? to|pay (?:here|at|now)?|log ?in (?:at|to|here)?|sign (?:in|up)"
    r"(?: at| here)?|download(?: it)?(?: from| at| here)?|checkout(?: at)?|call|curl|"
    r"post|get|point(?:s|ed)? (?:\w+ )?to|configure|replace|connect to|öffne|besuche|"
    r"ouvre[zr]?|abre|apri|join(?: at| here)?|register (?:at|here)?)[^.!?\n]{0,12}$"
)
_WORTHLESS = compiled(
    r"(?i)^(?:#|mailto:|tel:|javascript:|data:|sms:|todo|tbd|url|link|xxx|\.\.\.|…|$)"
)
_PLACEHOLDER = compiled(
    r"(?i)^(?:(?:www\.|api\.)?example\.(?:com|org|net)|localhost|127\.\d+\.\d+\.\d+|"
    r"0\.0\.0\.0|\[?::1\]?|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|your-?\w*\.\w+|"
    r"[\w-]*(?:yourdomain|your-domain|yourcompany|yourapp|yoursite)[\w.-]*|"
    r"[\w.-]+\.(?:local|internal|invalid|localhost))$"
)


def find_links(text: str) -> Iterator[Link]:
    """Yield the links in a prepared *text* that can be followed to a source."""
    seen: set[str] = set()
    for link in _candidates(text):
        if link.text not in seen and len(seen) < _MOST_LINKS:
            seen.add(link.text)
            yield link


def _candidates(text: str) -> Iterator[Link]:
    """Yield the links of all forms."""
    if "](" in text:
        for match in _MARKDOWN.finditer(text):
            yield from _real(match[1])
    if "]:" in text:
        used = Counter(match[1] for match in _REFERENCE.finditer(text))
        for match in _DEFINITION.finditer(text):
            if used[match[1]] > 1:
                yield from _real(match[2])
    if "href" in text.lower():
        for match in _ANCHOR.finditer(text):
            yield from _real(match[1])
    yield from _bare(text)


def _bare(text: str) -> Iterator[Link]:
    """Yield the addresses that stand in the text itself."""
    patterns = [_BARE] if "://" in text or "www." in text.lower() else []
    patterns += [_SHORT] if "/" in text else []
    for pattern in patterns:
        for match in pattern.finditer(text):
            address = match[0].rstrip(".,;:!?)*_'\"")
            if pattern is _SHORT and not _is_short_link(text, match.start(), address):
                continue
            if not _is_used(text, match.start()):
                yield from _real(address)


def _is_short_link(text: str, start: int, address: str) -> bool:
    """Whether an address without scheme is one: `domain.tld/path`."""
    if start and text[start - 1] in "/@.:-_=":
        return False
    host, _, path = address.partition("/")
    return bool(path) and host.rpartition(".")[2].lower() in _SHORT_ENDS


def _is_used(text: str, start: int) -> bool:
    """Whether the words before say to use the address rather than to read there."""
    before = text[max(0, start - 48) : start]
    return bool(_USED.search(before))


def _real(address: str) -> Iterator[Link]:
    """Yield *address* as a link unless it leads nowhere."""
    if _WORTHLESS.match(address):
        return
    scheme, separator, rest = address.partition("://")
    if not separator and not address.lower().startswith("www."):
        if address.startswith(("/", "./", "../")) or "." in address:
            yield Link(address, _host(address) if "." in address else None)
        return
    if separator and scheme.lower() not in {"http", "https"}:
        return
    host = _host(rest if separator else address)
    if host and "." in host and not _PLACEHOLDER.match(host):
        yield Link(address, host)


def _host(rest: str) -> str | None:
    """Return the host of an address without scheme, lower-cased."""
    authority = rest.partition("/")[0].partition("?")[0].partition("#")[0]
    name = authority.rpartition("@")[2].partition(":")[0]
    return name.lower() or None
