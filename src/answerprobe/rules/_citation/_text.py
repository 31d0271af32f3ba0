"""An answer without what only looks like a citation."""

import re

from answerprobe.pii._compiled import compiled


LONGEST_READ = 65_536
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE = compiled(r"`[^`\n]+`")
_IMAGE = compiled(r"!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?|(?i:<img\b[^>\n]*>)")


def prepared(answer: str) -> str:
    """Return *answer* without code and images, at most 64 Ki characters."""
    text = answer[:LONGEST_READ]
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(" ", text)
    if "`" in text:
        text = _CODE.sub(" ", text)
    if "![" in text or "<img" in text.lower():
        text = _IMAGE.sub(" ", text)
    return text
