"""The lock as text: TOML, a block for each case, sorted, so that Git can merge it."""

import hashlib
import json
import re
import tomllib

from collections.abc import Iterable, Mapping
from typing import NoReturn

from answerprobe.case import CaseState
from answerprobe.errors import ConfigError, Problem
from answerprobe.lock._lock import Entry, Key, Lock


_VERSION = 1
_HEAD = """\
# The cases that count, as they were accepted; a case that is not in here is a draft.
# Keep this file in Git. Only `answerprobe accept`, `amend` and `retire` change it.
version = 1
"""
_BLOCK = "[[case]]"
_STATES = {state.value: state for state in (CaseState.ACCEPTED, CaseState.RETIRED)}
_KEYS = ("monitor", "id", "state", "fingerprint", "reason", "replaced_by", "checksum")
_OPTIONAL = frozenset({"reason", "replaced_by"})
_MARKERS = ("<<<<<<<", "=======", ">>>>>>>")
# What TOML wants escaped in a text and JSON does not.
_DELETE = {0x7F: "\\u007f"}
_LINE = re.compile(r"at line (\d+)")
_ADVICE = "restore it from Git; it was left as it is"


def write(lock: Lock) -> str:
    """Return *lock* as text: the same for the same lock."""
    ordered = sorted(lock.entries.items())
    return "\n".join([_HEAD, *(_block(entry) for _, entry in ordered)])


def _block(entry: Entry) -> str:
    """Return the lines of *entry*."""
    fields = _fields(entry)
    fields["checksum"] = _checksum(fields)
    return "".join(
        [f"{_BLOCK}\n", *(f"{key} = {_quoted(fields[key])}\n" for key in fields)]
    )


def _fields(entry: Entry) -> dict[str, str]:
    """Return what is written of *entry*."""
    fields = {
        "monitor": entry.key.monitor,
        "id": entry.key.case,
        "state": entry.state.value,
        "fingerprint": entry.fingerprint,
        "reason": entry.reason,
        "replaced_by": entry.replaced_by,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _quoted(text: str) -> str:
    """Return *text* as a TOML string on one line."""
    return json.dumps(text, ensure_ascii=False).translate(_DELETE)


def _checksum(fields: Mapping[str, str]) -> str:
    """Return what changes with any of *fields*: a slip of the hand, no attack."""
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def parse(text: str, file: str) -> Lock:
    """
    Return the lock that *text*, which stands in *file*, holds.

    Raises:
        ConfigError: it is not what was written, such as after a merge gone wrong.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith(_MARKERS):
            message = (
                "has the marks of an unfinished merge; keep the blocks of both sides"
            )
            _refuse(file, number, message)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        found = _LINE.search(str(exc))
        at_line = int(found[1]) if found else max(1, len(lines) - 1)
        _refuse(file, at_line, f"is damaged ({exc}); {_ADVICE}")
    blocks = _blocks(document, file)
    at = [number for number, line in enumerate(lines, 1) if line.rstrip() == _BLOCK]
    # Blocks that somebody wrote in another way are somewhere in the file.
    places = at if len(at) == len(blocks) else [1] * len(blocks)
    return _unique(map(_Reader(file).entry, blocks, places), file)


def _blocks(document: Mapping[str, object], file: str) -> list[object]:
    """Return the blocks of *document*, of which there must be one."""
    version, blocks = document.get("version"), document.get("case")
    if isinstance(version, int) and version > _VERSION:
        _refuse(file, 1, "was written by a newer answerprobe")
    if version != _VERSION or not isinstance(blocks, list) or not blocks:
        _refuse(file, 1, f"is empty or no lock of accepted cases; {_ADVICE}")
    if others := document.keys() - {"version", "case"}:
        _refuse(file, 1, f"is damaged: what is `{min(others)}`? {_ADVICE}")
    return blocks


class _Reader:
    """Reads blocks of *file*."""

    def __init__(self, file: str) -> None:
        self._file = file

    def entry(self, block: object, line: int) -> Entry:
        """Return the entry that *block*, at *line*, holds."""
        fields = self._checked(block, line)
        checksum = fields.pop("checksum")
        state = _STATES.get(fields["state"])
        if state is None or checksum != _checksum(fields):
            message = (
                f"the block of the case {fields['id']!r} of {fields['monitor']!r} was "
                f"changed by hand; {_ADVICE}"
            )
            _refuse(self._file, line, message)
        return Entry(
            key=Key(fields["monitor"], fields["id"]),
            state=state,
            fingerprint=fields["fingerprint"],
            reason=fields.get("reason"),
            replaced_by=fields.get("replaced_by"),
            line=line,
        )

    def _checked(self, block: object, line: int) -> dict[str, str]:
        """Return the texts of *block*, of which all must be there."""
        fields = block if isinstance(block, dict) else {}
        for key in sorted({*fields, *_KEYS} - _OPTIONAL):
            if key not in _KEYS or key not in fields:
                fault = "is not there" if key in _KEYS else "is none of its keys"
                message = f"the block is damaged: {key!r} {fault}; {_ADVICE}"
                _refuse(self._file, line, message)
        if not all(isinstance(value, str) for value in fields.values()):
            message = f"the block is damaged: not all in it are texts; {_ADVICE}"
            _refuse(self._file, line, message)
        return {key: str(fields[key]) for key in _KEYS if key in fields}


def _unique(entries: Iterable[Entry], file: str) -> Lock:
    """Return the lock of *entries*; a merge may have brought the same one twice."""
    found: dict[Key, Entry] = {}
    for entry in entries:
        before = found.setdefault(entry.key, entry)
        if before != entry:
            message = (
                f"has the case {entry.key} twice, at line {before.line} too, and not "
                "the same; keep one of the blocks"
            )
            _refuse(file, entry.line, message)
    return Lock(entries=found)


def _refuse(file: str, line: int, message: str) -> NoReturn:
    """Raise that *message* holds at *line* of *file*."""
    shown = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in message
    )
    problem = Problem(file=file, line=line, column=1, path="", message=shown)
    raise ConfigError((problem,))
