"""Two answers word by word: what one has that the other has not."""

import re

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq


# Answers are kept in 2 KB, so all of them fit; the bound holds whatever comes.
_MOST_WORDS = 4000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
# With less than this in common, marks on every word would say nothing.
_ALIKE_ABOVE = 0.3
# A blank or one short word that stays between two changes is read as changed too.
_ISLAND_CHARACTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text; *differs*: the other text has it not."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Both texts in pieces; where they are not *alike*, each is one unmarked piece."""

    new: tuple[Piece, ...]
    good: tuple[Piece, ...]
    alike: bool


def difference(new: str, good: str) -> Difference:
    """
    Return how *new* differs from *good*, by whole words.

    The longest common subsequence, bit-parallel (Hyyrö 2004, as rapidfuzz has it): for
    two texts of 2 KB about a millisecond, whatever is in them.
    """
    ours, theirs = _words(new), _words(good)
    blocks = list(_common(ours, theirs))
    common = sum(len("".join(ours[at : at + size])) for at, _, size in blocks)
    alike = 2 * common > _ALIKE_ABOVE * (len(new) + len(good))
    if not alike or len(ours) > _MOST_WORDS or len(theirs) > _MOST_WORDS:
        return Difference(
            new=(Piece(text=new, differs=False),),
            good=(Piece(text=good, differs=False),),
            alike=False,
        )
    return Difference(
        new=_pieces(ours, [(at, size) for at, _, size in blocks]),
        good=_pieces(theirs, [(at, size) for _, at, size in blocks]),
        alike=True,
    )


def _words(text: str) -> list[str]:
    """Return *text* in words, blanks and signs, nothing left out."""
    return _WORD.findall(text)


def _common(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Yield where both say the same: (place in ours, in theirs, number of words)."""
    if len(ours) > _MOST_WORDS or len(theirs) > _MOST_WORDS:
        return
    for step in LCSseq.opcodes(ours, theirs):
        if step.tag == "equal":
            size = step.src_end - step.src_start
            inside = step.src_start > 0 and step.src_end < len(ours)
            if inside and _is_island(ours[step.src_start : step.src_end]):
                continue
            yield step.src_start, step.dest_start, size


def _is_island(words: Sequence[str]) -> bool:
    """Whether *words*, the same in both, are too few to be read as unchanged."""
    return len("".join(words).strip()) < _ISLAND_CHARACTERS


def _pieces(words: Sequence[str], same: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Return *words* joined to pieces; *same* are place and length of what stays."""
    found: list[Piece] = []
    at = 0
    for start, size in [*same, (len(words), 0)]:
        changed = "".join(words[at:start])
        found += _changed(changed)
        if size:
            found.append(
                Piece(text="".join(words[start : start + size]), differs=False)
            )
        at = start + size
    return tuple(found)


def _changed(text: str) -> Iterator[Piece]:
    """Yield what is only in one text; the blanks around it are not marked."""
    words = text.strip()
    if not words:
        if text:
            yield Piece(text=text, differs=False)
        return
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    for part, differs in ((before, False), (words, True), (after, False)):
        if part:
            yield Piece(text=part, differs=differs)
