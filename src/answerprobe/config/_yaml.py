"""
YAML made strict: duplicate keys, tags, endless aliases and deep nesting are errors.

Nothing is guessed from the looks of a scalar here. What is written without quotes and
might be more than a text is kept as `Plain`, to be resolved by what is wanted there.
"""

import re

from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from yaml import (
    AliasEvent,
    CollectionStartEvent,
    CSafeLoader,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
)
from yaml.error import MarkedYAMLError
from yaml.reader import ReaderError

from answerprobe.config._show import printable, quote, show_path
from answerprobe.errors import ConfigError, Problem


DEEPEST = 100
MOST_ALIASED = 250_000
_NOT_PLAIN_WORD = re.compile(
    r"[0-9+\-.].*|~?|null|true|false|yes|no|on|off", re.IGNORECASE | re.DOTALL
)
_FIRST_OF_NOT_PLAIN = frozenset("0123456789+-.~nNtTfFyYoO")
_TEXT_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str"})
_TAGS = {
    MappingStartEvent: frozenset({None, "!", "tag:yaml.org,2002:map"}),
    SequenceStartEvent: frozenset({None, "!", "tag:yaml.org,2002:seq"}),
}
_MERGE = "<<"


class Plain(str):
    """An unquoted scalar that may mean a number, a truth value or nothing at all."""

    __slots__ = ()


class Spot(NamedTuple):
    """A place in the file, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    A YAML document as str, Plain, dict and list, and its duplicate keys.

    What an alias repeats is the same object, so nothing in it may be changed in place.
    """

    root: object
    problems: tuple[Problem, ...]


class _Anchored(NamedTuple):
    """An anchor's value, how many nodes it has and how many levels."""

    value: object
    nodes: int
    height: int


def read(text: str, file: str) -> Document:
    """
    Return the one document in *text*; *file* names it in problems.

    Raises:
        ConfigError: it is no YAML, or YAML that is refused as a whole.
    """
    reader = _Reader(text, file)
    try:
        return reader.read()
    except MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        spot = Spot(mark.line + 1, mark.column + 1) if mark else Spot(1, 1)
        reader.refuse(spot, f"no YAML: {_explain(exc)}", cause=exc)
    except ReaderError as exc:
        before = text[: exc.position] if isinstance(exc.position, int) else ""
        spot = Spot(before.count("\n") + 1, len(before) - before.rfind("\n"))
        reader.refuse(spot, f"no YAML: {exc.reason}", cause=exc)
    except YAMLError as exc:
        reader.refuse(Spot(1, 1), f"no YAML: {exc}", cause=exc)


def _explain(exc: MarkedYAMLError) -> str:
    """Return what libyaml has to say, in one line."""
    return ", ".join(part for part in (exc.problem, exc.context) if part)


class _Reader:
    """Builds one document from the parser's events."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._next = CSafeLoader(text).get_event
        self._path: list[str | int] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._problems: list[Problem] = []
        self._nodes = 0
        self._aliased = 0
        self._deepest = 0

    def read(self) -> Document:
        """Return the document; there must be no second one."""
        self._event()
        event = self._event()
        if isinstance(event, StreamEndEvent):
            return Document(root=None, problems=())
        root = self._node(self._event())
        self._event()
        event = self._event()
        if isinstance(event, DocumentStartEvent):
            self.refuse(_spot(event), "a second document begins, only one is allowed")
        return Document(root=root, problems=tuple(self._problems))

    def refuse(
        self, spot: Spot, message: str, *, cause: Exception | None = None
    ) -> NoReturn:
        """Give up on the document as a whole."""
        problem = self._problem(spot, message)
        raise ConfigError((*self._problems, problem)) from cause

    def _problem(self, spot: Spot, message: str) -> Problem:
        """Return a problem at *spot*, with the path that was reached."""
        return Problem(
            file=self._file,
            line=spot.line,
            column=spot.column,
            path=show_path(tuple(self._path)),
            message=printable(message),
        )

    def _event(self) -> Event:
        """Return the parser's next event."""
        event = self._next()
        if event is None:
            message = "the document ended early"
            raise YAMLError(message)
        return event

    def _node(self, event: Event) -> object:
        """Return the value that *event* begins."""
        self._nodes += 1
        if isinstance(event, ScalarEvent):
            value = self._scalar(event)
            if event.anchor is not None:
                self._refuse_second(event, event.anchor)
                self._anchors[event.anchor] = _Anchored(value, 1, 0)
            return value
        if isinstance(event, AliasEvent):
            return self._alias(event)
        assert isinstance(event, CollectionStartEvent)  # noqa: S101  # all that is left
        return self._collection(event)

    def _refuse_second(self, event: Event, anchor: str) -> None:
        """Refuse an *anchor* that stands for something already: which one is meant?"""
        if anchor in self._anchors:
            message = f"the anchor {quote(anchor)} stands in front of two things"
            self.refuse(_spot(event), message)

    def _collection(self, event: CollectionStartEvent) -> object:
        """Return the mapping or list that *event* begins, within bounds."""
        if event.tag not in _TAGS[event.__class__]:
            self._refuse_tag(event, event.tag)
        nodes, deepest, depth = self._nodes, self._deepest, len(self._path)
        if depth >= DEEPEST:
            self.refuse(_spot(event), f"nested deeper than {DEEPEST} levels")
        self._deepest = depth
        if event.anchor is not None:
            self._refuse_second(event, event.anchor)
            self._anchors[event.anchor] = None
        mapping = isinstance(event, MappingStartEvent)
        value = self._mapping() if mapping else self._sequence()
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(
                value, self._nodes - nodes + 1, self._deepest - depth + 1
            )
        self._deepest = max(deepest, self._deepest)
        return value

    def _scalar(self, event: ScalarEvent) -> str:
        """Return the text of *event*; Plain where it may be more than text."""
        value: str = event.value
        if event.tag not in _TEXT_TAGS:
            self._refuse_tag(event, event.tag)
        if not event.implicit[0]:
            if "\0" in value:
                self.refuse(_spot(event), "holds a NUL character")
            return value
        if value and value[0] not in _FIRST_OF_NOT_PLAIN:
            return value
        return Plain(value) if _NOT_PLAIN_WORD.fullmatch(value) else value

    def _sequence(self) -> list[object]:
        """Return the list whose start was read."""
        items: list[object] = []
        path = self._path
        while True:
            event = self._event()
            if event.__class__ is SequenceEndEvent:
                return items
            path.append(len(items))
            items.append(self._node(event))
            path.pop()

    def _mapping(self) -> dict[str, object]:
        """Return the mapping whose start was read; a second key is a problem."""
        items: dict[str, object] = {}
        merged: list[object] = []
        path = self._path
        while True:
            event = self._event()
            if event.__class__ is MappingEndEvent:
                return _merge(items, merged) if merged else items
            key = self._key(event)
            path.append(key)
            if key in items:
                message = "is written twice; this key is already there"
                self._problems.append(self._problem(_spot(event), message))
                self._node(self._event())
            elif key == _MERGE:
                merged.append(self._mergeable(self._event()))
            else:
                items[key] = self._node(self._event())
            path.pop()

    def _key(self, event: Event) -> str:
        """Return the key that *event* is."""
        if not isinstance(event, ScalarEvent) or event.anchor is not None:
            self.refuse(_spot(event), "a key must be a text")
        return str(self._scalar(event))

    def _mergeable(self, event: Event) -> object:
        """Return the mappings that `<<` brings in."""
        value = self._node(event)
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            self.refuse(_spot(event), "only mappings can be merged in")
        return parts

    def _alias(self, event: AliasEvent) -> object:
        """Return what an alias stands for, if that is neither endless nor too much."""
        name = event.anchor or ""
        if name not in self._anchors:
            self.refuse(_spot(event), f"the alias {quote(name)} stands for nothing")
        anchored = self._anchors[name]
        if anchored is None:
            self.refuse(_spot(event), "the alias is part of what it stands for")
        self._nodes += anchored.nodes
        self._aliased += anchored.nodes
        if self._aliased > MOST_ALIASED:
            limit = f"limit {MOST_ALIASED:,} values"
            self.refuse(_spot(event), f"aliases repeat too much ({limit})")
        self._deepest = max(self._deepest, len(self._path) + anchored.height)
        if self._deepest >= DEEPEST:
            message = f"with its aliases nested deeper than {DEEPEST} levels"
            self.refuse(_spot(event), message)
        return anchored.value

    def _refuse_tag(self, event: Event, tag: str | None) -> NoReturn:
        """Give up on a document with the tag *tag*."""
        self.refuse(_spot(event), f"the tag {quote(tag or '')} is not allowed")


def _spot(event: Event) -> Spot:
    """Return where *event* begins."""
    mark = event.start_mark
    if mark is None:
        return Spot(1, 1)
    return Spot(mark.line + 1, mark.column + 1)


def _merge(items: dict[str, object], merged: list[object]) -> dict[str, object]:
    """Return *items* with what `<<` brings in; what is written wins."""
    for parts in merged:
        assert isinstance(parts, list)  # noqa: S101  # made by _mergeable
        for part in parts:
            for key, value in part.items():
                items.setdefault(key, value)
    return items
