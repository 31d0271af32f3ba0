"""An answer cut into the sentences that speak for the agent itself."""

import re
import unicodedata

from answerprobe.pii._compiled import compiled


LONGEST_READ = 65_536
_MOST_SENTENCES = 12
_LONGEST_SENTENCE = 600
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
# What somebody else says, and code: at least three characters, within one paragraph.
_QUOTED = compiled(
    r'"[^"\n]{3,}"|“[^”\n]{3,}”|«[^»\n]{3,}»|„[^“”"\n]{3,}[“”"]|「[^」\n]{3,}」|'
    r"『[^』\n]{3,}』|`[^`\n]+`|(?m:^\s*>[^\n]*$)"
)
_EMPHASIS = re.compile(r"\*\*|__|^ {0,3}#{1,6}\s", re.MULTILINE)
_END = re.compile(r"(?<=[.!?;])[\"')\]]*\s+|(?<=。)|\n+")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))
_LIST_ITEM = compiled(r"(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+\S")


def prepared(answer: str) -> str:
    """Return *answer* without code, quotes and emphasis, in plain typography."""
    text = answer[:LONGEST_READ]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)[:LONGEST_READ]
    text = _FENCE.sub(" ", text) if "```" in text or "~~~" in text else text
    text = str(_QUOTED.sub(" … ", text))
    text = _EMPHASIS.sub(" ", text)
    return text.translate(_APOSTROPHES)


def sentences(text: str) -> list[str]:
    """Return the first sentences of a prepared *text*, and its last."""
    parts = [part.strip() for part in _END.split(text)]
    parts = [part for part in parts if part]
    kept = parts[:_MOST_SENTENCES]
    if len(parts) > _MOST_SENTENCES:
        kept.append(parts[-1])
    return [part[:_LONGEST_SENTENCE] for part in kept]


def list_items(text: str) -> int:
    """Return how many lines of *text* are items of a list."""
    return sum(1 for _ in _LIST_ITEM.finditer(text))
