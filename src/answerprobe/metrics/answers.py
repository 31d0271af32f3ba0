"""Which failing cases' answers are exported for alerts to show, and as what text."""

import re

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from answerprobe.text import ELLIPSIS, scrub


_MAX_CHARACTERS = 200
MOST_ANSWERS_PER_MONITOR = 5
_MAX_IN_ALL = 200

# What chat systems and mail read as markup, as the wide forms that nothing does.
_MARKUP = str.maketrans({"&": "\uff06", "<": "\uff1c", ">": "\uff1e"})
# Controls, marks that reorder what a reader sees, and invisible tag characters.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerInfo:
    """
    A failing case's redacted texts, for an alert.

    *failing_since_run* is the id of the run it has failed from; ids grow with time.
    """

    case_id: str
    failing_since_run: int
    answer: str | None
    last_good_answer: str | None
    reason: str


def label_text(text: str, limit: int = _MAX_CHARACTERS) -> str:
    """
    Return *text* on one line, in at most *limit* characters, harmless in a message.

    It comes from an agent and ends up in mails and chats: no control characters, no
    markup, no mentions, no tricks with the direction of writing.
    """
    # A text can be long: what is surely cut off need not be looked at. Blanks may fall
    # away, so some more is taken than will stand.
    start = scrub(text[: limit * 20])
    line = _UNSAFE.sub("\ufffd", " ".join(start.split())).translate(_MARKUP)
    if len(line) <= limit:
        return line
    return line[: limit - len(ELLIPSIS)].rstrip() + ELLIPSIS


def longest_failing(infos: Iterable[AnswerInfo]) -> tuple[AnswerInfo, ...]:
    """Return those of a monitor's *infos* that may be shown, longest failing first."""
    ranked = sorted(infos, key=lambda info: (info.failing_since_run, info.case_id))
    return tuple(ranked[:MOST_ANSWERS_PER_MONITOR])


class AnswerBoard:
    """
    Which monitors' failing cases are shown when there are more than may be in all.

    Kept in order, so that a change costs little however many cases fail.
    """

    def __init__(self) -> None:
        self._ranked: list[tuple[int, str, str]] = []
        self._infos: dict[str, dict[str, AnswerInfo]] = {}

    def update(self, monitor: str, infos: Iterable[AnswerInfo]) -> set[str]:
        """Let *infos* be all of *monitor*; return the monitors that show others now."""
        before = set(self._shown())
        changed = {monitor} if monitor in {name for _, name, _ in before} else set()
        for info in self._infos.pop(monitor, {}).values():
            key = (info.failing_since_run, monitor, info.case_id)
            del self._ranked[bisect_left(self._ranked, key)]
        kept = {info.case_id: info for info in longest_failing(infos)}
        for info in kept.values():
            insort(self._ranked, (info.failing_since_run, monitor, info.case_id))
        if kept:
            self._infos[monitor] = kept
        return changed | {name for _, name, _ in before ^ set(self._shown())}

    def shown(self, monitor: str) -> tuple[AnswerInfo, ...]:
        """Return what *monitor* shows, longest failing first."""
        infos = self._infos.get(monitor, {})
        return tuple(infos[case] for _, name, case in self._shown() if name == monitor)

    def _shown(self) -> Iterable[tuple[int, str, str]]:
        """Yield the keys of all that is shown."""
        return islice(self._ranked, _MAX_IN_ALL)
