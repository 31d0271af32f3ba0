"""Text from outside made safe to keep: scrubbed, cut, freed of reasoning."""

import re
import unicodedata

from typing import NamedTuple


ELLIPSIS = "…"
_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OPENED = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL)
_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>")
_OPENING = re.compile(r"\s*<(?:think|thinking|reasoning)>")
_OPENING_ANYWHERE = re.compile(r"<(?:think|thinking|reasoning)>")
_PIECE = 256


class SplitAnswer(NamedTuple):
    """An answer parted from the model's reasoning in front of it."""

    answer: str
    reasoning: str


def scrub(text: str) -> str:
    """Return *text* without NUL and lone surrogates, which no store or scrape takes."""
    if text.isascii():
        return text.replace("\0", "")
    return _SURROGATES.sub("\ufffd", text).replace("\0", "")


def cut(text: str, limit_bytes: int) -> str:
    """Return *text* in at most *limit_bytes* of UTF-8, cut on a character, marked."""
    if len(text) * 4 <= limit_bytes:
        return text
    encoded = text[: limit_bytes + 1].encode()
    if len(encoded) <= limit_bytes:
        return text
    kept = encoded[: limit_bytes - len(ELLIPSIS.encode())]
    return kept.decode("utf-8", "ignore") + ELLIPSIS


def one_line(text: str, limit_characters: int) -> str:
    """Return *text* scrubbed, on one line, in at most *limit_characters*, marked."""
    line = " ".join(_CONTROLS.sub(" ", scrub(text)).split())
    if len(line) <= limit_characters:
        return line
    return line[: limit_characters - len(ELLIPSIS)].rstrip() + ELLIPSIS


def split_reasoning(text: str) -> SplitAnswer:
    """
    Part *text* into answer and leading reasoning.

    Leading `<think>…</think>` blocks are reasoning, and so is everything up to a lone
    `</think>` (servers strip the opening tag) and after one that is never closed.
    """
    reasoning: list[str] = []
    start = 0
    while opened := _OPENED.match(text, start):
        reasoning.append(opened[2])
        start = opened.end()
    if unclosed := _OPENING.match(text, start):
        reasoning.append(text[unclosed.end() :])
        start = len(text)
    closing = _CLOSING.search(text, start)
    if closing and not _OPENING_ANYWHERE.search(text, start, closing.start()):
        reasoning.append(text[start : closing.start()])
        start = closing.end()
    return SplitAnswer(text[start:].strip(), "\n".join(reasoning).strip())


def is_blank(text: str) -> bool:
    """Whether *text* says nothing: only white space, invisibles and punctuation."""
    # In pieces, each character of one looked up once: a megabyte of dots takes no time.
    return not any(
        unicodedata.category(char)[0] in "LNS"
        for start in range(0, len(text), _PIECE)
        for char in set(text[start : start + _PIECE])
    )
