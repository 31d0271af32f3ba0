"""
Secrets: named in the configuration, read when used, shown nowhere.

A text of the configuration may name secrets as `secret.NAME`. The whole text may be one
reference, whatever the name; inside a longer text only upper-case names count, so that
the host name `secret.example.com` stays what it is.
"""

import base64
import html
import json
import os
import re
import urllib.parse

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import re2

from answerprobe.errors import SecretError


_WHOLE = re.compile(r"secret\.([A-Za-z0-9_][A-Za-z0-9_.-]*)")
_INSIDE = re.compile(r"\bsecret\.([A-Z][A-Z0-9_]*)\b")
_SHORTEST_TO_SCRUB = 4
_SHORTEST_WITHIN_BYTES = 6
_MIXED_GROUP = "[A-Za-z0-9+/_=-]{0,4}"
# RE2 refuses programs that are too big.
_BATCH_CHARACTERS = 20_000
_REMEMBERED_ROTATIONS = 4
# What cut texts end with, how much of a secret before it gives it away, and the longest
# line that is put together of texts that were cut.
_CUT = "…"
_SHORTEST_BEGINNING = 8
_LONGEST_LINE = 1000
MASK = "<secret>"


class SecretSource:
    """Where secrets come from: files of a folder, else the environment."""

    def __init__(
        self, folder: Path | None = None, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._folder = folder
        self._environment = environment
        # The values of each name, oldest first.
        self._seen: dict[str, dict[str, None]] = {}
        self._written: set[str] = set()
        self._files: dict[str, tuple[tuple[int, int, int], str]] = {}
        self._lent: dict[object, tuple[str, ...]] = {}

    def read(self, name: str) -> str:
        """
        Return the present value of *name*; a file that changed is read again.

        Raises:
            SecretError: there is no such secret, or it is empty.
        """
        value = self._read_file(name)
        if value is None:
            value = self._environment.get(name)
        if not value:
            where = f"a file of that name in {self._folder} or " if self._folder else ""
            state = "is empty" if value == "" else "is not set"
            needs = f"{where}the environment variable {name}"
            raise SecretError(name, f"secret {name} {state}: it needs {needs}")
        self._remember(name, value)
        return value

    def _remember(self, name: str, value: str) -> None:
        """Hold *value* for a secret, and the few that *name* was before."""
        seen = self._seen.setdefault(name, {})
        if not seen or next(reversed(seen)) != value:
            seen.pop(value, None)
            seen[value] = None
            # Each costs time in every text; what was long ago is no secret any more.
            while len(seen) > _REMEMBERED_ROTATIONS:
                del seen[next(iter(seen))]

    def _read_file(self, name: str) -> str | None:
        """Return the secret *name* from its file, None where there is none."""
        if self._folder is None:
            return None
        path = self._folder / name
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            known = self._files.get(name)
            if known and known[0] == stamp:
                return known[1]
            value = path.read_text("utf-8").rstrip("\r\n")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as exc:
            problem = (
                exc.strerror if isinstance(exc, OSError) else "it is no UTF-8 text"
            )
            message = f"secret {name} cannot be read from {path}: {problem}"
            raise SecretError(name, message) from exc
        self._files[name] = (stamp, value)
        return value

    def keep(self, value: str) -> None:
        """Hold *value*, written in the configuration itself, for a secret too."""
        self._written.add(value)

    def keep_lent(self, holder: object, value: str) -> None:
        """Hold what *holder* was lent for a secret, and what it was lent before."""
        self._lent[holder] = (*self._lent.get(holder, ())[-1:], value)

    def values(self) -> Iterator[str]:
        """Yield every value that is a secret, the last few of before rotations too."""
        yield from self._written
        for values in (*self._seen.values(), *self._lent.values()):
            yield from values


class Secret:
    """A text of the configuration that may name secrets. Its repr never shows one."""

    __slots__ = ("_source", "_text")

    def __init__(self, text: str, source: SecretSource | None = None) -> None:
        self._text = text
        self._source = source or _NOTHING

    @property
    def names(self) -> tuple[str, ...]:
        """The secrets this text refers to."""
        if whole := _WHOLE.fullmatch(self._text):
            return (whole[1],)
        return tuple(_INSIDE.findall(self._text))

    def reveal(self) -> str:
        """
        Return the text with every reference replaced by its present value.

        Raises:
            SecretError: a secret is missing or empty.
        """
        if whole := _WHOLE.fullmatch(self._text):
            return self._source.read(whole[1])
        return _INSIDE.sub(lambda found: self._source.read(found[1]), self._text)

    def keep_lent(self, holder: object, value: str) -> None:
        """Hold *value*, a token that *holder* got by this secret, for a secret too."""
        self._source.keep_lent(holder, value)

    @property
    def written(self) -> str:
        """The text as written in the configuration, references unresolved."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({MASK!r})"

    def __str__(self) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


_NOTHING = SecretSource(environment={})


def reveal(value: object) -> object:
    """Return the JSON-like *value* with every Secret in it replaced by its text."""
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, Mapping):
        return {key: reveal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [reveal(item) for item in value]
    return value


class Scrubber:
    """Takes secret values out of texts, also where a target echoes them."""

    def __init__(self, source: SecretSource) -> None:
        self._source = source
        self._patterns: tuple[_Pattern, ...] = ()
        self._forms: Mapping[str, Sequence[str]] = {}
        self._known: frozenset[str] = frozenset()

    def scrub(self, text: str) -> str:
        """
        Return *text* with every secret masked.

        Plain, in base64 (also in the middle of something longer, as in a header of
        basic authentication), hexadecimal, JSON-escaped (also twice), HTML-escaped,
        percent-encoded, as Python prints it, or read as Latin-1, as many servers read
        headers; also the beginning of one, where the text is cut within it.
        """
        values = frozenset(self._source.values())
        if values != self._known:
            self._known = values
            self._patterns = tuple(_patterns(values))
            self._forms = _by_start(values)
        if self._patterns and not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # lone surrogates
        for pattern in self._patterns:
            if pattern.search(text) is not None:
                text = pattern.sub(MASK, text)
        if self._patterns and _CUT in text and len(text) <= _LONGEST_LINE:
            *cut, rest = text.split(_CUT)
            text = _CUT.join([*map(self._without_beginning, cut), rest])
        return text

    def _without_beginning(self, text: str) -> str:
        """Return *text*, which is cut, without the beginning of a secret at its end."""
        for start in range(len(text) - _SHORTEST_TO_SCRUB + 1):
            end = text[start:]
            for form in self._forms.get(end[:_SHORTEST_TO_SCRUB], ()):
                enough = min(_SHORTEST_BEGINNING, len(form) // 2)
                if len(end) >= enough and form.startswith(end):
                    return f"{text[:start]}{MASK}"
        return text


class _Pattern(Protocol):
    """What this module uses of a compiled pattern."""

    def search(self, text: str) -> object | None:
        """Return the first match in *text*."""
        ...

    def sub(self, repl: str, text: str) -> str:
        """Return *text* with every match replaced."""
        ...


def _patterns(values: Iterable[str]) -> Iterator[_Pattern]:
    """Yield what matches each of *values*; RE2, since many make `re` slow."""
    values = tuple(values)
    literal = map(re2.escape, _all_forms(values))
    # The longest first: of two forms at one place the whole one is masked.
    forms = sorted(literal, key=len, reverse=True)
    within = sorted({form for value in values for form in _within(value)})
    batch: list[str] = []
    size = 0
    for form in (*forms, *within):
        batch.append(form)
        size += len(form)
        if size > _BATCH_CHARACTERS:
            yield re2.compile("|".join(batch))
            batch, size = [], 0
    if batch:
        yield re2.compile("|".join(batch))


def _by_start(values: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return every spelling of *values* by its first characters."""
    found: dict[str, list[str]] = {}
    for form in _all_forms(values):
        found.setdefault(form[:_SHORTEST_TO_SCRUB], []).append(form)
    return found


def _all_forms(values: Iterable[str]) -> set[str]:
    """Return every spelling of each of *values*, misread ones too."""
    spelled = {spelling for value in values for spelling in (value, _misread(value))}
    return {form for value in spelled for form in _forms(value)}


def _misread(value: str) -> str:
    """Return *value* as a server has it that takes its UTF-8 for Latin-1."""
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


def _forms(value: str) -> Iterator[str]:
    """Yield the spellings in which a secret might come back."""
    if len(value) < _SHORTEST_TO_SCRUB:
        return
    raw = value.encode("utf-8", "surrogateescape")
    yield raw.decode("utf-8", "replace")
    for ensure_ascii in (True, False):
        escaped = json.dumps(value, ensure_ascii=ensure_ascii)[1:-1]
        escaped = escaped.encode("utf-8", "replace").decode()
        yield escaped
        yield escaped.replace("/", "\\/")
        # JSON within a text of JSON, as in a log line that an agent passes on.
        yield json.dumps(escaped, ensure_ascii=ensure_ascii)[1:-1]
    shown = raw.decode("utf-8", "replace")
    yield shown.replace("\\", "\\\\")
    # As a program in Python prints it within something else, bytes too.
    yield repr(shown)[1:-1]
    yield repr(raw)[2:-1]
    yield html.escape(shown)
    yield html.escape(shown, quote=False)
    yield raw.hex()
    yield raw.hex().upper()
    yield urllib.parse.quote(raw)
    yield urllib.parse.quote(raw, safe="")
    yield urllib.parse.quote_plus(raw)
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(raw).decode()
        yield encoded
        yield encoded.rstrip("=")


def _within(value: str) -> Iterator[str]:
    """Yield patterns of what *value* becomes in base64 of something longer."""
    raw = value.encode("utf-8", "surrogateescape")
    for start in range(3):
        # Groups of three bytes that are wholly of the secret are always encoded so;
        # those at its ends are mixed with what stands around it.
        whole = raw[start : start + (len(raw) - start) // 3 * 3]
        if len(whole) < _SHORTEST_WITHIN_BYTES:
            continue
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            core = re2.escape(encode(whole).decode())
            yield f"{_MIXED_GROUP}{core}{_MIXED_GROUP}"
