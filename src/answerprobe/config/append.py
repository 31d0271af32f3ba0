"""
A case put behind the last one of a monitor, and nothing else of the file touched.

Where the file has its cases in blocks it becomes one, where they are in brackets, as in
JSON, it becomes one in brackets. What comes out is read again: unless it is the file
of before with that one case more, nothing is done.
"""

import copy
import json

from collections.abc import Callable, Mapping
from typing import NamedTuple

import yaml

from yaml import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    CSafeLoader,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from answerprobe.config._yaml import read
from answerprobe.errors import AppendError, ConfigError
from answerprobe.text import one_line


_CASES = "cases"
_WIDTH = 88
_LONGEST_NOTE = 200
_BOM = "\ufeff"


class Appended(NamedTuple):
    """A file with a case more: its *text*, what was put in, and its first line."""

    text: str
    added: str
    line: int


class _Leaf(NamedTuple):
    """The last token of a value: where it ends, and whether its line ends with it."""

    end: int
    closes_line: bool


class _Item(NamedTuple):
    """An item of a list: where it begins and its last token."""

    start: int
    leaf: _Leaf


class _Place(NamedTuple):
    """The cases of a monitor: in brackets or not, their column, the last of them."""

    flow: bool
    column: int
    last: _Item


def append_case(
    text: str, file: str, monitor: int, case: Mapping[str, object], note: str
) -> Appended:
    """
    Return *text* with *case* as the last one of the monitor at the index *monitor*.

    *text* is a configuration that loads. *note* is a comment above the case, where
    there can be one.

    Raises:
        AppendError: it cannot be put there without touching anything else.
    """
    mark, body = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    place = _find(body, monitor)
    if place is None:
        raise AppendError("its cases are not written out there, but an alias of others")
    put = _in_brackets if place.flow else _in_block
    start, added = put(body, place, case, note)
    changed = body[:start] + added + body[start:]
    if not _is_case_more(body, changed, file, monitor, case):
        raise AppendError("they are not written in a form that can be added to")
    above = len(added) - len(added.lstrip("\r\n,"))
    line = changed.count("\n", 0, start + above) + 1
    return Appended(text=mark + changed, added=added, line=line)


def _is_case_more(
    before: str, after: str, file: str, monitor: int, case: Mapping[str, object]
) -> bool:
    """Whether *after* says what *before* does, and *case* as the monitor's last."""
    try:
        wanted, found = read(before, file).root, read(after, file).root
        # Aliases are the same object in the one, so that each needs its own.
        wanted = json.loads(json.dumps(wanted))
        cases = wanted["monitors"][monitor][_CASES]
    except (ConfigError, LookupError, TypeError):
        return False
    added = json.loads(json.dumps(found))["monitors"][monitor][_CASES][-1:]
    cases += added
    return bool(wanted == found and added and _spelled(added[0]) == _spelled(case))


def _spelled(value: object) -> object:
    """Return *value* with every scalar as the text that the strict reader sees."""
    match value:
        case dict():
            return {key: _spelled(item) for key, item in value.items()}
        case list() | tuple():
            return [_spelled(item) for item in value]
        case str():
            return value
        case _:
            return json.dumps(value)


def _in_block(
    text: str, place: _Place, case: Mapping[str, object], note: str
) -> tuple[int, str]:
    """Return where to put *case* in a list of blocks, and what."""
    newline = "\r\n" if "\r\n" in text else "\n"
    start = place.last.leaf.end
    if not place.last.leaf.closes_line:
        found = text.find("\n", start)
        start = len(text) if found < 0 else found + 1
    indent = " " * place.column
    body = as_block(case).splitlines()
    lines = [f"# {one_line(note, _LONGEST_NOTE)}"] if note else []
    lines += [f"- {body[0]}", *(f"  {line}" if line else "" for line in body[1:])]
    first = "" if not start or text[start - 1] == "\n" else newline
    added = "".join(f"{indent}{line}".rstrip() + newline for line in lines)
    return start, first + added


def _in_brackets(
    text: str, place: _Place, case: Mapping[str, object], note: str
) -> tuple[int, str]:
    """Return where to put *case* in a list in brackets, and what."""
    del note
    begin = text.rfind("\n", 0, place.last.start) + 1
    before = text[begin : place.last.start]
    start = place.last.leaf.end
    if before.strip():
        return start, f", {_as_json(case, None)}"
    newline = "\r\n" if "\r\n" in text else "\n"
    tall = "\n" in text[place.last.start : start]
    lines = _as_json(case, 2 if tall else None).split("\n")
    return start, "," + "".join(f"{newline}{before}{line}" for line in lines)


def _as_json(case: Mapping[str, object], indent: int | None) -> str:
    """Return *case* as JSON that is YAML too."""
    written = json.dumps(case, ensure_ascii=False, indent=indent)
    return "".join(
        char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]
        for char in written
    )


class _Dumper(yaml.SafeDumper):
    """Writes lists in mappings one level further in, as people do."""

    def increase_indent(
        self,
        flow: bool = False,  # noqa: FBT001,FBT002  its caller passes them so
        indentless: bool = False,  # noqa: FBT001,FBT002  as above
    ) -> None:
        """Go one level in, also for a list."""
        del indentless
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:
        """Write everything out."""
        del data
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Return *text*, as lines where it has several."""
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def as_block(value: object) -> str:
    """Return *value*, made of what JSON has, as YAML in blocks."""
    return yaml.dump(
        copy.deepcopy(value),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDTH,
    )


def _find(text: str, monitor: int) -> _Place | None:
    """Return where the cases of *monitor* are; None where they are not written out."""
    walk = _Walk(CSafeLoader(text).get_event)
    return walk.find(("monitors", monitor, _CASES))


class _Walk:
    """Goes through the events of one document to a list in it."""

    def __init__(self, following: Callable[[], Event | None]) -> None:
        self._following = following

    def find(self, path: tuple[str | int, ...]) -> _Place | None:
        """Return the list at *path*, None where there is none or it is an alias."""
        self._next()
        self._next()
        event = self._next()
        for step in path:
            found = (
                self._value(event, step)
                if isinstance(step, str)
                else self._item(event, step)
            )
            if found is None:
                return None
            event = found
        return self._place(event)

    def _next(self) -> Event:
        """Return the next event; the document has been read once and is whole."""
        event = self._following()
        if event is None:
            raise AppendError("the document ended early")
        return event

    def _value(self, event: Event, key: str) -> Event | None:
        """Return the event that the value at *key* begins with."""
        if not isinstance(event, MappingStartEvent):
            return None
        while not isinstance(event := self._next(), MappingEndEvent):
            value = self._next()
            if isinstance(event, ScalarEvent) and event.value == key:
                return value
            self._skip(value)
        return None

    def _item(self, event: Event, index: int) -> Event | None:
        """Return the event that the item at *index* begins with."""
        if not isinstance(event, SequenceStartEvent):
            return None
        while not isinstance(event := self._next(), SequenceEndEvent):
            if index == 0:
                return event
            self._skip(event)
            index -= 1
        return None

    def _place(self, event: Event) -> _Place | None:
        """Return the list that *event* begins."""
        if not isinstance(event, SequenceStartEvent) or event.start_mark is None:
            return None
        last: _Item | None = None
        while not isinstance(inner := self._next(), SequenceEndEvent):
            start = inner.start_mark.index if inner.start_mark else 0
            last = _Item(start, self._skip(inner))
        if last is None:
            return None
        flow = bool(event.flow_style)
        return _Place(flow, event.start_mark.column, last)

    def _skip(self, event: Event) -> _Leaf:
        """Go to the end of the value that *event* begins, and return its last token."""
        if isinstance(event, AliasEvent | ScalarEvent):
            return _leaf(event)
        assert isinstance(event, CollectionStartEvent)  # noqa: S101  # all that is left
        last = _leaf(event)
        while not isinstance(inner := self._next(), CollectionEndEvent):
            last = self._skip(inner)
        return _leaf(inner) if event.flow_style else last


def _leaf(event: Event) -> _Leaf:
    """Return *event* as a last token."""
    end = event.end_mark.index if event.end_mark else 0
    block = isinstance(event, ScalarEvent) and event.style in ("|", ">")
    return _Leaf(end, closes_line=block)
