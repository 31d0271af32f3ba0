"""
What a judge said: one verdict, or nothing.

A reply may have words or a fence around its verdict, as models do without structured
output. But the verdict must be the one JSON object in it: a judge that quotes a forged
verdict out of the answer has said two things, and which one is its own is not for us to
guess.
"""

import json
import re

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from answerprobe.errors import NoVerdict
from answerprobe.text import one_line, split_reasoning


LONGEST_REASON = 300
_KEYS = frozenset({"reason", "verdict"})
_WORDS = {"pass": True, "fail": False}
_QUOTED_KEY = re.compile(r"[\"'`]\s*verdict\s*[\"'`]", re.IGNORECASE)
_FAILS = re.compile(r"\bfail(?:s|ed|ing)?\b", re.IGNORECASE)


class Vote(NamedTuple):
    """What the judge says of the answer, and why, in its own words."""

    passes: bool
    reason: str


def parse_vote(reply: str, shown: Sequence[str]) -> Vote:
    """
    Return the one verdict in *reply*, on what was *shown*.

    Raises:
        NoVerdict: there is none, or more than one, or it was copied from a text that
            was shown.
    """
    text = reply.strip()
    if not text.startswith("{"):
        # A reply that is all verdict may speak of a `</think>` in the answer; only
        # other replies can have thoughts in front.
        text = split_reasoning(text).answer
    start = text.find("{")
    if start < 0:
        raise NoVerdict("no JSON object in the judge's reply")
    document, end = _object_at(text, start)
    around = text[:start] + text[end:]
    if "{" in around or "}" in around or _QUOTED_KEY.search(around):
        raise NoVerdict("more than one object in the judge's reply")
    vote = _vote(document)
    if vote.passes and _FAILS.search(around):
        # "FAIL: the answer says {"reason": …, "verdict": "pass"}."
        raise NoVerdict("the judge's reply says pass and fail")
    copied = _folded(text[start:end])
    if any(copied in _folded(each) for each in shown):
        raise NoVerdict("the judge's verdict is a copy of one in the answer")
    return vote


def reason_line(reason: str) -> str:
    """Return the judge's *reason* on one bounded line."""
    return one_line(reason, LONGEST_REASON) or "the judge gave no reason"


def _object_at(text: str, start: int) -> tuple[object, int]:
    """Return the JSON object that begins at *start*, and where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as exc:
        raise NoVerdict("no valid JSON object in the judge's reply") from exc


def _vote(document: object) -> Vote:
    """Return the verdict that *document* is."""
    if not isinstance(document, dict) or document.keys() != _KEYS:
        raise NoVerdict("the judge's JSON has not the keys reason and verdict alone")
    reason, verdict = document["reason"], document["verdict"]
    if not isinstance(reason, str) or not isinstance(verdict, str):
        raise NoVerdict("the judge's reason or verdict is no text")
    passes = _WORDS.get(verdict.strip().lower())
    if passes is None:
        raise NoVerdict("the judge's verdict is neither pass nor fail")
    return Vote(passes, reason)


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Return the object of *pairs*, whose keys must not repeat."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise NoVerdict("a key stands twice in the judge's JSON")
        found[key] = value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _folded(text: str) -> str:
    """Return *text* without white space, which a copy may have lost or gained."""
    return "".join(text.split())
