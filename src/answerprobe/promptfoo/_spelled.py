"""Assertions in one line of text, as the cells of a table have them."""

import re

from answerprobe.promptfoo._criteria import KINDS


_ALIASES = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript"}
_LISTING = ("contains-any", "contains-all", "icontains-any", "icontains-all")
_COUNTING = ("latency", "word-count")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,12})?")
# What follows the name: `(0.8)`, a colon and the value, both or nothing.
_REST = re.compile(r"(?:\((\d{1,12}(?:\.\d{1,12})?)\))?(?::(.*))?", re.DOTALL)
_SCRIPT = re.compile(r"file://.*\.(?:js|ts|py)(?::.*)?", re.DOTALL)
# The longest first: `contains` begins `contains-any`.
_NAMES = sorted({*KINDS, *_ALIASES}, key=len, reverse=True)


def spelled(text: str) -> dict[str, object]:
    """
    Return the assertion that *text* is: `contains: Paris`, `latency(2000)`.

    What begins with no known type is the answer that is wanted, word by word.
    """
    text = text.strip()
    if _SCRIPT.fullmatch(text):
        return {"type": "javascript", "value": text}
    negated = text.startswith("not-")
    words = text.removeprefix("not-")
    for name in _NAMES:
        rest = words.startswith(name) and _REST.fullmatch(words[len(name) :])
        if rest:
            kind = _ALIASES.get(name, name)
            return _assertion(kind, rest[1], rest[2], negated=negated)
    return {"type": "equals", "value": text}


def _assertion(
    kind: str, threshold: str | None, value: str | None, *, negated: bool
) -> dict[str, object]:
    """Return the assertion of the type *kind*."""
    found: dict[str, object] = {"type": f"not-{kind}" if negated else kind}
    if threshold is not None:
        found["threshold"] = _number(threshold)
    if value is None or not value.strip():
        return found
    value = value.strip()
    if kind in _LISTING:
        found["value"] = [part.strip() for part in value.split(",")]
    elif kind in _COUNTING and _NUMBER.fullmatch(value):
        found["value"] = _number(value)
    else:
        found["value"] = value
    return found


def _number(text: str) -> int | float:
    """Return the number that *text* spells."""
    return float(text) if "." in text else int(text)
