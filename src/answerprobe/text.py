"""Text from outside made safe to keep: scrubbed, cut, freed of reasoning."""

import re
import unicodedata

from typing import NamedTuple


ELLIPSIS = "…"
_SURROGATES = re.compile("[\ud800-\udfff]")
_OPENED = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL)
_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>")
_OPENING = re.compile(r"\s*<(?:think|thinking|reasoning)>")


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
    encoded = text.encode()
    if len(encoded) <= limit_bytes:
        return text
    kept = encoded[: limit_bytes - len(ELLIPSIS.encode())]
    return kept.decode("utf-8", "ignore") + ELLIPSIS


def split_reasoning(text: str) -> SplitAnswer:
    """
    Part *text* into answer and leading reasoning.

    Leading `<think>…</think>` blocks are reasoning, and so is everything up to a lone
    `</think>` (servers strip the opening tag) and after one that is never closed.
    """
    reasoning: list[str] = []
    while opened := _OPENED.match(text):
        reasoning.append(opened[2])
        text = text[opened.end() :]
    if unclosed := _OPENING.match(text):
        reasoning.append(text[unclosed.end() :])
        text = ""
    closings = list(_CLOSING.finditer(text))
    if closings and not _OPENING_ANYWHERE.search(text[: closings[0].start()]):
        reasoning.append(text[: closings[0].start()])
        text = text[closings[0].end() :]
    return SplitAnswer(text.strip(), "\n".join(reasoning).strip())


_OPENING_ANYWHERE = re.compile(r"<(?:think|thinking|reasoning)>")


def is_blank(text: str) -> bool:
    """Whether *text* says nothing: only white space, invisibles and punctuation."""
    return not any(unicodedata.category(char)[0] in "LNS" for char in text)
