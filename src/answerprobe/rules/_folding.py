"""
When two texts are the same to a reader: what the text rules compare.

Precomposed and decomposed letters are the same (NFC). So are the spellings of one
sign that writers do not choose but that models and editors produce: any blank is a
space, the non-breaking hyphen a hyphen, curly quotation marks straight ones. Whoever
must tell those apart writes a regex.
"""

import unicodedata

from collections.abc import Iterator


_SPELLINGS = (
    *((blank, " ") for blank in "\u00a0\u1680\u202f\u205f\u3000"),
    *((chr(blank), " ") for blank in range(0x2000, 0x200B)),
    ("\u2010", "-"),
    ("\u2011", "-"),
    ("\u2018", "'"),
    ("\u2019", "'"),
    ("\u201c", '"'),
    ("\u201d", '"'),
)
# NFC sorts each run of combining marks, in quadratic time: a piece bounds the run.
_PIECE = 1024
_LOOK_AHEAD = 64
# Vowels and final consonants of Hangul, which compose with what stands before them.
_FIRST_JAMO, _LAST_JAMO = "\u1160", "\u11ff"


def fold(text: str, *, case_sensitive: bool) -> str:
    """Return *text* so that texts that are the same to a reader are equal."""
    if text.isascii():
        return text if case_sensitive else text.lower()
    for written, meant in _SPELLINGS:
        text = text.replace(written, meant)
    return "".join(
        _fold_piece(piece, case_sensitive=case_sensitive) for piece in _pieces(text)
    )


def _fold_piece(piece: str, *, case_sensitive: bool) -> str:
    """Return *piece* composed and, unless *case_sensitive*, without case."""
    composed = unicodedata.normalize("NFC", piece)
    if case_sensitive:
        return composed
    # Case folding may leave decomposed letters: U+0390 becomes three characters.
    return unicodedata.normalize("NFC", composed.casefold())


def _pieces(text: str) -> Iterator[str]:
    """Yield *text* in pieces, cut where nothing composes over the cut if possible."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        window = text[end : end + _LOOK_AHEAD]
        starts = (i for i, char in enumerate(window) if _starts(char))
        ahead = next(starts, len(window))
        yield text[start : end + ahead]
        start = end + ahead


def _starts(char: str) -> bool:
    """Whether *char* never composes with the one before it."""
    if char.isascii():
        return True
    if _FIRST_JAMO <= char <= _LAST_JAMO:
        return False
    return not unicodedata.category(char).startswith("M")
