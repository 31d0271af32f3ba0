"""Markers that point to a source: `[1]` with its list, `【4†file】`, `[@key]`."""

from answerprobe.pii._compiled import compiled


_NUMBERED = compiled(r"\[\^?([\w-]{1,20})\]|([¹²³⁴-⁹⁰]+)|\((\d{1,3})\)")
_DEFINED = compiled(r"(?m)^\s*(?:[-*]\s+)?(?:\[\^?([\w-]{1,20})\]:?|([¹²³⁴-⁹⁰]+))\s*\S")
_HEADING = compiled(
    r"(?im)^\W{0,6}(?:sources?|references?|citations?|bibliography|footnotes?|"
    r"works cited|"
    r"further reading|quellen?|quellenangaben|literatur|einzelnachweise|références?|"
    r"fuentes?|referencias?|fonti|fonte|riferimenti|fontes|referências|bronnen|bron|"
    r"źródł[ao]|källor|källa|kaynak(?:lar|ça)?|источники?|出典|参考文献|参考资料|来源|출처|참고문헌)"
    r"\W{0,6}\s*\n+\s*(?:[-*•]|\d{1,2}[.)]|\[\d+\])\s*\S"
)
_TOKENS = compiled(
    r"【[^【】\n]{1,80}】|\x{E200}?citeturn\d+\w+|\bturn\d+(?:search|view|file|news)\d+\b|"
    r"(?i:<(?:cite|source|citation|ref)\b[^<>\n]*>[^<\n]*\S|<(?:cite|source|ref)\b[^<>\n]+/>)|"
    r"\\(?:cite|citep|citet|parencite|autocite|footcite)\*?(?:\[[^\]\n]*\])*\{[^{}\n]+\}|"
    r"\[(?:see )?-?@[\w:.-]+[^\]\n]*\]"
)
_BRACKETED_DAGGER = "†"


def find_marker(text: str) -> str | None:
    """Return the first marker in *text* whose source is told, too."""
    if match := _TOKENS.search(text):
        token = str(match[0])
        if not token.startswith("【") or _BRACKETED_DAGGER in token or ":" in token:
            return token
    if match := _HEADING.search(text):
        return " ".join(str(match[0]).split())
    return _defined_number(text)


def _defined_number(text: str) -> str | None:
    """Return the first number or sign that a list below explains."""
    defined = {}
    for match in _DEFINED.finditer(text):
        defined[match[1] or match[2]] = match.start()
    if not defined:
        return None
    for match in _NUMBERED.finditer(text):
        name = match[1] or match[2]
        if name in defined and match.end() <= defined[name]:
            return str(match[0])
    return None
