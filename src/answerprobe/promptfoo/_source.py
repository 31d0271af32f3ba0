"""A promptfoo configuration as values that know their line, and notes on them."""

import itertools
import re

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from yaml import CSafeLoader, MappingNode, Node, ScalarNode, SequenceNode

from answerprobe.config import read_bytes, read_yaml
from answerprobe.errors import ConfigError, ImportRefused
from answerprobe.text import one_line


_LONGEST_NOTE = 300
_LONGEST_FILE_BYTES = 1024 * 1024
_NUMBER = re.compile(
    r"[-+]?(?:\d{1,18}|\d{0,18}\.\d{1,18}|\d{1,18}\.)(?:[eE][-+]?\d{1,3})?"
)
_WORDS: Mapping[str, object] = {"true": True, "false": False, "null": None, "~": None}
_FILE = "file://"
DATA = frozenset({".yaml", ".yml", ".json"})
_PATTERN = re.compile(r"[*?\[]")
_MOST_FILES = 1000
TEXT = frozenset({".txt", ".md", ".j2", ".njk"})


class Lost(ValueError):
    """Why something has no counterpart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """
    A value: a mapping or list of Items, or a scalar; where it stands.

    A mapping's keys stand at *keys*, which has their lines.
    """

    value: object
    file: str
    line: int
    keys: Mapping[str, int] = field(default_factory=dict)

    @property
    def mapping(self) -> Mapping[str, "Item"]:
        """The mapping that it is, else an empty one."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple["Item", ...]:
        """The list that it is; anything else is a list of itself."""
        if isinstance(self.value, list):
            return tuple(self.value)
        return () if self.value is None else (self,)

    @property
    def text(self) -> str | None:
        """The text that it is; a number or truth value as JavaScript spells it."""
        match self.value:
            case bool():
                return "true" if self.value else "false"
            case str():
                return self.value
            case int():
                return str(self.value)
            case float():
                return f"{self.value:.15g}"
            case _:
                return None

    @property
    def plain(self) -> object:
        """What it is without lines."""
        if isinstance(self.value, dict):
            return {key: item.plain for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain for item in self.value]
        return self.value

    def get(self, *names: str) -> "Item | None":
        """Return what is at the first of *names* that is there and not null."""
        found = (self.mapping[name] for name in names if name in self.mapping)
        return next((item for item in found if item.value is not None), None)

    def key_line(self, name: str) -> int:
        """Return the line of the key *name*."""
        return self.keys.get(name, self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that came over changed, or not at all."""

    file: str
    line: int
    what: str
    why: str

    def __str__(self) -> str:
        told = f"{self.what}: {self.why}"
        return f"{self.file}:{self.line}: {one_line(told, _LONGEST_NOTE)}"


@dataclass(slots=True, kw_only=True)
class Notes:
    """Collects notes; the same one is kept once."""

    _kept: dict[Note, None] = field(default_factory=dict)

    def add(self, at: Item, what: str, why: str, *, line: int | None = None) -> None:
        """Keep that *what*, at *at* or *line* of its file, is as *why* says."""
        self._kept[
            Note(
                file=at.file, line=at.line if line is None else line, what=what, why=why
            )
        ] = None

    def unknown(self, at: Item, known: Mapping[str, str] | frozenset[str]) -> None:
        """Keep which keys of *at* are none of *known*."""
        for key in at.mapping:
            if key not in known:
                self.add(at, key, "has no counterpart", line=at.key_line(key))

    def no_mapping(self, at: Item | None, what: str) -> None:
        """Keep that *what* is left out where *at* is something else than a mapping."""
        if at is not None and not isinstance(at.value, dict):
            self.add(at, what, "is left out: it is no mapping")

    def __iter__(self) -> Iterator[Note]:
        """Yield them in the order of the lines."""
        return iter(sorted(self._kept, key=lambda note: (note.file, note.line)))


def read_source(path: Path) -> Item:
    """
    Return what is in the YAML or JSON file at *path*.

    Raises:
        ImportRefused: it cannot be read.
    """
    try:
        content = read_bytes(path)
        text = content.decode("utf-8-sig")
        # It bounds depth and aliases, and refuses tags, which name code elsewhere.
        problems = read_yaml(text, str(path)).problems
    except ConfigError as exc:
        raise ImportRefused(str(exc)) from exc
    except UnicodeDecodeError as exc:
        raise ImportRefused(f"{path}: is no UTF-8 text") from exc
    if problems:
        raise ImportRefused("\n".join(map(str, problems)))
    node = CSafeLoader(text).get_single_node()
    if node is None:
        raise ImportRefused(f"{path}: is empty")
    return _Reader(str(path)).item(node)


class _Reader:
    """Makes Items of nodes; what an alias repeats is the same Item."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._known: dict[int, Item] = {}

    def item(self, node: Node) -> Item:
        """Return *node* with its line."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._make(node)
        return known

    def _make(self, node: Node) -> Item:
        """Return *node* as a value."""
        line = node.start_mark.line + 1 if node.start_mark else 1
        if isinstance(node, MappingNode):
            pairs = list(_pairs(node))
            return Item(
                value={key.value: self.item(value) for key, value in pairs},
                file=self._file,
                line=line,
                keys={
                    key.value: key.start_mark.line + 1
                    for key, _ in pairs
                    if key.start_mark
                },
            )
        if isinstance(node, SequenceNode):
            items = [self.item(inner) for inner in node.value]
            return Item(value=items, file=self._file, line=line)
        quoted = isinstance(node, ScalarNode) and bool(node.style)
        value = node.value if quoted else _scalar(node.value)
        return Item(value=value, file=self._file, line=line)


def _pairs(node: MappingNode) -> Iterator[tuple[ScalarNode, Node]]:
    """Yield what `<<` brings into *node*, and then its own pairs, which win."""
    for key, value in node.value:
        if key.value == "<<":
            merged = value.value if isinstance(value, SequenceNode) else [value]
            for inner in reversed(merged):
                if isinstance(inner, MappingNode):
                    yield from _pairs(inner)
    for key, value in node.value:
        if key.value != "<<":
            yield key, value


def _scalar(text: str) -> object:
    """Return what *text*, not in quotes, is by YAML 1.2's core schema."""
    if not text or text.lower() in _WORDS:
        return _WORDS.get(text.lower())
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def is_file(text: str) -> bool:
    """Whether *text* names a file."""
    return text.startswith(_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Where files may be that a configuration names: below its own *path*."""

    path: Path

    def data(self, at: Item) -> Item | str:
        """Return what the YAML or JSON file that *at* names holds, or why not."""
        found = self._find(at.text or "", DATA)
        if isinstance(found, str):
            return found
        try:
            return read_source(found)
        except ImportRefused as exc:
            return f"cannot be read: {exc}"

    def words(self, at: Item) -> tuple[str, None] | tuple[None, str]:
        """Return the text in the file that *at* names, or why there is none."""
        found = self._find(at.text or "", TEXT | DATA)
        return (None, found) if isinstance(found, str) else self.words_in(found)

    def words_in(self, path: Path) -> tuple[str, None] | tuple[None, str]:
        """Return the text in the file at *path*, or why there is none."""
        try:
            content = path.read_bytes()[: _LONGEST_FILE_BYTES + 1]
            if len(content) > _LONGEST_FILE_BYTES:
                return None, "the file is larger than 1 MiB"
            return content.decode("utf-8-sig"), None
        except (OSError, UnicodeDecodeError):
            return None, "the file cannot be read as text"

    def files(self, at: Item, wanted: frozenset[str]) -> tuple[Path, ...] | str:
        """Return the files that *at* names, with a pattern perhaps, or why not."""
        name = (at.text or "").removeprefix(_FILE)
        if not _PATTERN.search(name):
            found = self._find(name, wanted)
            return found if isinstance(found, str) else (found,)
        if Path(name).is_absolute() or ".." in Path(name).parts:
            return "files outside of the configuration's folder, which are not followed"
        matches = sorted(itertools.islice(self.path.glob(name), _MOST_FILES))
        below = (
            self._find(str(path.relative_to(self.path)), wanted) for path in matches
        )
        return tuple(p for p in below if isinstance(p, Path)) or "there is no such file"

    def _find(self, name: str, wanted: frozenset[str]) -> Path | str:
        """Return the file that *name* means, or why it is not followed."""
        path = (self.path / name.removeprefix(_FILE)).resolve()
        if path.suffix.lower() not in wanted:
            return f"a file that is not followed; only {', '.join(sorted(wanted))} are"
        if not path.is_relative_to(self.path.resolve()):
            return "a file outside of the configuration's folder, which is not followed"
        return path if path.is_file() else "there is no such file"
