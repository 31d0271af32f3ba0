"""Sources called by name: "according to our Refund Policy", "(Smith, 2019)", DOIs."""

# ruff: noqa: E501, RUF001
# Lists of foreign words, one alternative to a line.
from functools import cache

from answerprobe.pii._compiled import Expression, compiled
from answerprobe.rules._citation._words import alternatives


# What can be a source, in any place; and what only is one when somebody's: "our terms".
_DOCUMENT = alternatives(
    r"""
    (?:refund|return|shipping|privacy|security|warranty|company|travel|leave|cancell?ation|usage|data|cookie|[\w-]+)? ?polic(?:y|ies)
    terms of (?:service|use|sale)|terms (?:and|&) conditions|user agreement|licen[cs]e agreement
    handbook|manual|guidelines?|documentation|docs|faqs?|knowledge base|help cent(?:er|re)|help page
    guide|reports?|stud(?:y|ies)|paper|contract|agreement|website|web ?page|release notes|changelog
    survey|press release|whitepaper|encyclop\w+|dictionary|catalogue?|price list|data ?sheet|specification
    charter|constitution|census|journal|rulebook|brochure|article|wiki(?:pedia)?|standard|directive|regulation
    """
)
_PLACE = r"(?:section|article|chapter|clause|paragraph|page|p\.|appendix|annex|§+|art\.|rule|step|table|figure) ?(?:\d|[ivx]+\b|[a-z]\b)"
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_LABEL = alternatives(
    """
    sources?
    references?
    quellen?
    quellenangaben?
    fuentes?
    fontes?
    fonti
    bron(?:nen)?
    źródł[ao]
    källor?
    kilde[r]?
    kaynak(?:lar)?
    zdroj(?:e)?
    источник(?:и)?
    джерел[ао]
    """
)
_NOTHING = r"(?:none|no(?:ne)? (?:available|found|given|provided)|n/?a|unknown|keine?|aucune?|ninguna?|nessuna?|nenhuma?|geen|brak|-|—|null|\[\]|tbd|todo)"

_IDENTIFIERS = (
    r"(?i)\b(?:doi:\s*|doi\.org/)10\.\d{4,9}/\S+|\barxiv:\s*\d{4}\.\d{4,5}",
    r"(?i)\bisbn(?:-1[03])?:?\s*[\d-]{9,17}[\dx]|\bpmid:?\s*\d{5,}|\bissn:?\s*\d{4}-\d{3}[\dx]",
    r"\bRFC\s?-?\d{3,5}\b|\b(?:ISO|IEC|DIN|IEEE)(?:[/ ](?:IEC|EN|ISO))* ?\d{3,5}(?:[-:]\d+)*\b.{0,40}\b(?:section|clause|§|part|annex|Abschnitt)",
    r"§+\s?\d+\w?(?: (?:Abs\.|I+|\d)[^.\n]{0,20})? [A-Z][A-Za-z]{1,8}\b|\b\d+ U\.?S\.?C\.? §? ?\d+",
    r"\b[Aa]rt(?:icle|\.|ikel|ículo|icolo|igo)? \d+[^.\n]{0,24} (?:GDPR|DSGVO|RGPD|AVG|BGB|HGB|of the [A-Z])",
    r"\bKB-?\d{4,8}\b",
)
_AUTHORS = (
    # (Smith, 2019), (Smith & Lee, 2019, p. 4), (Vaswani et al. 2017; Devlin 2019)
    r"\([^()\n]{0,60}?\p{Lu}[\p{L}'’-]+(?: et al\.?|(?:,| and| &| und| et| y) [^()\n\d]{1,50})?,? "
    + _YEAR
    + r"(?:[,;:][^()\n]{0,80})?\)",
    # Smith (2019) found
    r"\b\p{Lu}[\p{L}'’-]+(?: et al\.?| and \p{Lu}[\p{L}'’-]+| & \p{Lu}[\p{L}'’-]+) \("
    + _YEAR
    + r"\)",
    r"(?:\"|”|»)\s?[—–-]{1,2}\s?\p{Lu}[\p{L}. ]+,[^\n]{3,60}" + _YEAR,
    r"\((?:Wikipedia|Britannica|Merriam-Webster|Reuters|Associated Press|Encyclop[^()\n]{0,30})[^()\n]{0,40}\)",
)
_LABELLED = (
    rf"(?i)[(\[]\s*(?:{_LABEL}|doc|document|ref|see|cf\.?|vgl\.?|siehe|voir|véase)\s?[:=]\s*[^\s)\]][^)\]\n]*[)\]]",
    rf"(?i)[(\[]\s*(?:see|cf\.|vgl\.|siehe|voir|véase)\s[^()\[\]\n]{{0,60}}(?:{_DOCUMENT}|{_PLACE})[^()\[\]\n]{{0,40}}[)\]]",
    rf"(?im)(?:^|[_*>|.!?] ?){{1,3}}\W{{0,3}}{_LABEL}\s?[:：]\s*\W{{0,4}}[\p{{L}}\p{{N}}][^\n]*",
    r"(?:出典|出所|参考|参考文献|来源|來源|資料来源|资料来源|出处|출처|참고)\s?[:：]\s*\S+",
    r"(?i)\[[^\[\]\n]+\.(?:pdf|docx?|md|html?|txt|xlsx?|pptx?|csv)(?:[^\[\]\n]{0,40})?\]",
    r"(?i)\[(?:doc|kb|source|ref|document|file|page)[ :#-]+[^\[\]\n]{2,80}\]",
)
_ATTRIBUTED = (
    rf"(?i)\b(?:according to|as (?:stated|described|explained|outlined|noted|specified|set out|defined|listed|laid out|documented|written|published|per)(?: in| by| on| under)?|per|based on|as per|in line with|pursuant to|under the terms of)\s[^.\n]{{0,60}}?\b(?:{_DOCUMENT}\b|{_PLACE})",
    rf"(?i)\b(?:our|the|your) (?:[\w'&-]+ ){{0,4}}{_DOCUMENT} (?:\([^()\n]{{1,40}}\) )?(?:says?|states?|specif(?:y|ies)|notes?|explains?|confirms?|describes?|lists?|requires?|defines?)\b",
    rf"(?i)\bunder (?:{_PLACE}|(?:our|the) (?:[\w'-]+ ){{0,3}}(?:policy|agreement|contract|terms of \w+)\b)",
    rf"(?i)\b(?:see|refer to|consult|check|read|cf\.|details? in|more in|from|in) (?:our|the) (?:[\w'&-]+ ){{0,4}}{_DOCUMENT},? \(?{_PLACE}",
    # According to the World Health Organization; not: according to Einstein's theory
    r"\b[Aa]ccording to (?:the |our |a )?(?:\p{Lu}[\p{L}\p{N}&.-]*)(?: (?:of|for|the|and|on|&) \p{Lu}[\p{L}\p{N}&.-]*| \p{Lu}[\p{L}\p{N}&.-]*)+",
    r"\b[Aa]ccording to (?:the )?(?:\p{Lu}{3,}|Wikipedia|Reuters|Eurostat|Britannica|Gartner|Forrester)\b",
    r"(?i)\b(?:comes?|taken|found|stated|described|says?|explained|quoted|cited)(?: \w+)? (?:from|in|on|by) (?:the|our) [\"“«][^\"”»\n]{3,80}[\"”»]",
)
_CLAUSE = r"\s[^.\n]{0,40}?"
_FOREIGN = (
    rf"(?i)\b(?:laut|gem(?:ä|ae)(?:ß|ss)|nach|entsprechend|siehe|steht in|basierend auf){_CLAUSE}(?:\b(?:abschnitt|artikel|kapitel|ziffer|handbuch|vertrag|agb|dokument\w*|bericht|studie|gesetz|hilfe(?:artikel|seite|center|bereich)|webseite|website|faq|leitfaden|anleitung|paragraf)\b|§|\w*(?:richtlinie|bedingungen|ordnung|bestimmungen|handbuch|studie|bericht)\w{{0,2}}\b)",
    rf"(?i)\b(?:selon|d'après|conformément à|aux termes d|comme indiqué dans|voir){_CLAUSE}\b(?:politique|conditions|article|section|manuel|guide|contrat|rapport|étude|documentation|foire aux questions|faq|page|loi|charte)\b|\b(?:selon|d'après|voir)\s[^.\n]{{0,40}}?(?:étude|règlement)",
    rf"(?i)\b(?:según|de acuerdo con|conforme a|como indica|véase){_CLAUSE}\b(?:pol[ií]tica|condiciones|t[eé]rminos|art[ií]culo|secci[oó]n|manual|gu[ií]a|contrato|informe|estudio|documentaci[oó]n|p[aá]gina|reglamento|ley|cl[aá]usula)s?\b",
    rf"(?i)\b(?:secondo|in base a\w*|ai sensi d\w+|come indicato ne\w+|vedi){_CLAUSE}\b(?:politica|condizioni|termini|articolo|sezione|manuale|guida|contratto|rapporto|studio|documentazione|pagina|regolamento|legge|informativa)\b",
    rf"(?i)\b(?:segundo|de acordo com|conforme|nos termos d\w+|veja){_CLAUSE}\b(?:pol[ií]tica|condições|termos|artigo|seção|secção|manual|guia|contrato|relatório|estudo|documentação|página|regulamento|lei|cláusula)s?\b",
    rf"(?i)\b(?:volgens|conform|op basis van|zie){_CLAUSE}(?:\b(?:artikel|sectie|hoofdstuk|handleiding|gids|contract|rapport|studie|documentatie|pagina|wet|faq|paragraaf)\b|\w*(?:beleid|voorwaarden|reglement|handleiding)\b)",
    rf"(?i)\b(?:zgodnie z|według|na podstawie|zob\.){_CLAUSE}(?:polity|regulamin|warunk|artyku|rozdzia|podręcznik|instrukcj|umow|raport|badani|dokumentacj|stron|ustaw|§|pkt)",
    rf"(?i)\b(?:enligt|i enlighet med|ifølge|jf\.){_CLAUSE}(?:policy|villkor|vilkår|avsnitt|artikel|kapitel|handbok|håndbok|guide|avtal|rapport|studie|dokumentation|betingelser|retningslin|lag)",
    rf"(?i)(?:согласно|в соответствии с|по данным|как указано в|відповідно до|згідно з){_CLAUSE}(?:политик|правил|услови|стать|раздел|руководств|договор|отч[её]т|исследовани|документаци|закон|пункт|справк|політик|умов|розділ)",
    rf"(?i)(?:politika|şart|koşul|kılavuz|sözleşme|rapor|madde|rehber)\p{{L}}*{_CLAUSE}(?:göre|uyarınca|belirtil)",
    r"[《「『][^》」』\n]{2,40}[》」』][^。\n]{0,20}(?:によると|によれば|に基づ|に記載|第[一二三四五六七八九十\d]+条)",
    r"[^。\n]{2,30}(?:規約|ポリシー|マニュアル|ガイド|規定|規則|資料|記事|報告書|ドキュメント|ヘルプ|第\d+条)(?:に|の)?[^。\n]{0,8}(?:によると|によれば|よると|に基づ|基づき|記載|に従)",
    r"(?:根据|根據|依据|依據|按照|据|參考|参见|详见|詳見)[^。\n]{0,20}(?:《[^》\n]+》|政策|条款|條款|手册|手冊|规定|規定|指南|文档|文件|合同|报告|報告|说明|章程|第[一二三四五六七八九十\d]+[条條章])",
    r"[^.\n]{1,30}(?:정책|약관|규정|매뉴얼|가이드|문서|보고서|안내|제\s?\d+조)(?:에|을|를)?\s?(?:따르면|의하면|따라|근거|의거)",
)
_EMPTY = compiled(rf"(?i)[:：=]\s*\W{{0,3}}{_NOTHING}\W*$")
_MONTH = compiled(
    r"(?i)^\(?\W*(?:(?:in|since|until|by|early|late|mid|founded|est\.?|established|born|updated|released|from|as of) )*"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter|q[1-4]|"
    r"janv|févr|mars|avr|mai|juin|juil|août|mär|okt|dez|ene|abr|ago|dic|gen|giu|lug|set|ott)\p{L}*\.?,? "
    r"(?:\d{1,2},? )?\d{4}"
)
_VAGUE = compiled(
    r"(?i)^(?:according to|based on|as per|per) (?:my|your|what|this|that|these|those|some|many|their|its|his|her|how|whether|where|when|size|plan|schedule|plan)\b"
)


@cache
def named_patterns() -> tuple[Expression, ...]:
    """Return what names a source, compiled at the first call: that takes 50 ms."""
    listed = (*_IDENTIFIERS, *_AUTHORS, *_LABELLED, *_ATTRIBUTED, *_FOREIGN)
    return tuple(map(compiled, listed))


def find_named(text: str) -> str | None:
    """Return the first source that *text* names."""
    for pattern in named_patterns():
        for match in pattern.finditer(text):
            found = " ".join(str(match[0]).split())
            if not (_EMPTY.search(found) or _MONTH.match(found) or _VAGUE.match(found)):
                return found
    return None
