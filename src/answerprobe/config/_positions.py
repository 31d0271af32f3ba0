"""Where in the file a finding is: worked out only when there is one."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yaml import CSafeLoader, MappingNode, Node, ScalarNode, SequenceNode

from answerprobe.config._aliases import NAMES
from answerprobe.config._findings import Finding, Path
from answerprobe.config._show import nearest, printable, show_path
from answerprobe.errors import Problem


MOST_SHOWN = 50
_MOST_LISTED = 12
_IS_JSON = "is_json"
_JSON_SCHEMA = "json_schema"


def place(findings: Iterable[Finding], text: str, file: str) -> tuple[Problem, ...]:
    """
    Return *findings* of the document *text*, with position and path as written.

    They come in file order; the first *MOST_SHOWN* with a guess at what was meant.
    """
    finder = _Finder(CSafeLoader(text).get_single_node())
    placed = [finder.place(finding) for finding in findings]
    placed.sort(key=lambda each: (each.line, each.column, show_path(each.written)))
    return tuple(
        Problem(
            file=file,
            line=each.line,
            column=each.column,
            path=show_path(each.written),
            message=_message(each.finding, guess=index < MOST_SHOWN),
        )
        for index, each in enumerate(placed)
    )


def _message(finding: Finding, *, guess: bool) -> str:
    """Return what to say, with what is allowed and a *guess* at what was meant."""
    if finding.near is None or not guess:
        return printable(finding.message)
    near = nearest(finding.near.word, finding.near.names)
    allowed = finding.near.allowed
    short = bool(allowed) and (not near or len(allowed) <= _MOST_LISTED)
    listed = f"; allowed: {', '.join(allowed)}" if short else ""
    return printable(f"{finding.message}{listed}{near}")


class _Placed(NamedTuple):
    """A finding, where it stands, and its path in the names written there."""

    finding: Finding
    line: int
    column: int
    written: Path


class _Pair(NamedTuple):
    """A key of a mapping and its value."""

    key: ScalarNode
    value: Node


class _Finder:
    """Finds the nodes that paths lead to; each mapping is indexed once."""

    def __init__(self, root: Node | None) -> None:
        self._root = root
        self._indices: dict[int, dict[str, _Pair]] = {}

    def place(self, finding: Finding) -> _Placed:
        """Return where *finding* is: at its value or key, or as near as there is."""
        node = spot = self._root
        written: list[str | int] = []
        for step in finding.path:
            if isinstance(node, SequenceNode) and isinstance(step, int):
                node = spot = node.value[step]
                written.append(step)
                continue
            pair = self._find(node, step)
            if pair is None:
                break
            node, spot = pair.value, pair.key if finding.at_key else pair.value
            written.append(pair.key.value)
        path = (*written, *finding.path[len(written) :])
        mark = spot.start_mark if spot else None
        if mark is None:
            return _Placed(finding, 1, 1, path)
        return _Placed(finding, mark.line + 1, mark.column + 1, path)

    def _find(self, node: Node | None, step: str | int) -> _Pair | None:
        """Return the pair that *step* means in *node*, None where there is none."""
        if not isinstance(node, MappingNode) or isinstance(step, int):
            return None
        if id(node) not in self._indices:
            self._indices[id(node)] = _index(node)
        return self._indices[id(node)].get(step)


def _index(node: MappingNode) -> dict[str, _Pair]:
    """Return the keys of *node* as they are written, then as they are meant."""
    pairs = list(_pairs(node))
    index: dict[str, _Pair] = {}
    for pair in pairs:
        index.setdefault(pair.key.value, pair)
    for pair in pairs:
        for meant in _meanings(pair.key.value):
            index.setdefault(meant, pair)
    return index


def _meanings(written: str) -> tuple[str, ...]:
    """Return the names that the key *written* may stand for."""
    meant = NAMES.get(written)
    if meant is None:
        return ()
    return (meant, _JSON_SCHEMA) if meant == _IS_JSON else (meant,)


def _pairs(node: Node) -> Iterator[_Pair]:
    """Yield the keys and values of *node*, then those that `<<` brings in."""
    merged: list[Node] = []
    for key, value in node.value:
        if key.value == "<<":
            merged += value.value if isinstance(value, SequenceNode) else [value]
        yield _Pair(key, value)
    for inner in merged:
        if isinstance(inner, MappingNode):
            yield from _pairs(inner)
