"""Citations by kind: links first, then named sources, then markers."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from answerprobe.rules._citation._link import find_links
from answerprobe.rules._citation._marker import find_marker
from answerprobe.rules._citation._named import find_named
from answerprobe.rules._citation._text import prepared


class CitationKind(StrEnum):
    """How a source can be told."""

    LINK = "link"
    NAMED = "named"
    MARKER = "marker"


class Citation(NamedTuple):
    """One citation: its kind, how it stands in the answer, and its host for links."""

    kind: CitationKind
    text: str
    host: str | None = None


_BY_WORDS: tuple[tuple[CitationKind, Callable[[str], str | None]], ...] = (
    (CitationKind.NAMED, find_named),
    (CitationKind.MARKER, find_marker),
)


def find(answer: str, kinds: frozenset[CitationKind]) -> Iterator[Citation]:
    """Yield the citations of *kinds* in *answer*: each link, one of the others each."""
    text = prepared(answer)
    if CitationKind.LINK in kinds:
        for link in find_links(text):
            yield Citation(CitationKind.LINK, link.text, link.host)
    for kind, look in _BY_WORDS:
        if kind in kinds and (found := look(text)):
            yield Citation(kind, found)
