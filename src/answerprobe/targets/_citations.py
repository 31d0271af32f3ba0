"""The sources that an API names beside its answer."""

from collections.abc import Iterator, Mapping

from answerprobe import text


_MOST_CITATIONS = 50
_LONGEST_BYTES = 2048
_ARRAYS = ("citations", "sources")
_OF_ANNOTATION = ("url_citation", "file_citation")
_NAMES = ("url", "uri", "link", "href", "title", "name", "filename", "file_id")


def in_document(document: Mapping[str, object]) -> tuple[str, ...]:
    """Return what the arrays `citations` and `sources` of *document* name."""
    return _bounded(_in_arrays(document))


def in_annotations(message: Mapping[str, object]) -> tuple[str, ...]:
    """Return the citations among the `annotations` of an OpenAI *message*."""
    return _bounded(_in_annotations(message))


def merged(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return all of *groups* in order, each citation once."""
    return _bounded(citation for group in groups for citation in group)


def _bounded(found: Iterator[str]) -> tuple[str, ...]:
    """Return *found* without repeats, no more of them than we keep."""
    citations: dict[str, None] = {}
    for citation in found:
        citations[text.cut(citation, _LONGEST_BYTES)] = None
        if len(citations) == _MOST_CITATIONS:
            break
    return tuple(citations)


def _in_arrays(document: Mapping[str, object]) -> Iterator[str]:
    """Yield what the arrays of *document* name."""
    for name in _ARRAYS:
        array = document.get(name)
        for item in array if isinstance(array, list) else ():
            if citation := _named(item):
                yield citation


def _in_annotations(message: Mapping[str, object]) -> Iterator[str]:
    """Yield what the annotations of *message* cite."""
    annotations = message.get("annotations")
    for annotation in annotations if isinstance(annotations, list) else ():
        if not isinstance(annotation, Mapping):
            continue
        kind = annotation.get("type")
        if kind in _OF_ANNOTATION and (
            citation := _named(annotation.get(kind)) or _named(annotation)
        ):
            yield citation


def _named(item: object) -> str | None:
    """Return the address or else the title of a citation in whatever form."""
    if isinstance(item, str):
        return item.strip() or None
    if not isinstance(item, Mapping):
        return None
    texts = (item.get(name) for name in _NAMES)
    return next((t.strip() for t in texts if isinstance(t, str) and t.strip()), None)
