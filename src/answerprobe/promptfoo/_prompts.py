"""promptfoo's prompts: the templates of what is asked."""

import json
import re

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from answerprobe.config import read_yaml
from answerprobe.errors import ConfigError
from answerprobe.promptfoo._source import (
    DATA,
    TEXT,
    Folder,
    Item,
    Notes,
    is_file,
)
from answerprobe.promptfoo._template import Unfollowable, fill


# Of several prompts in one text file.
_SEPARATOR = re.compile(r"^---\s*$", re.MULTILINE)
_PROMPT = frozenset({"id", "label", "raw", "description", "display"})
_SYSTEM = ("system", "developer")
# A file's name without `file://`; `make.py:prompt` is a function in one.
_NAMED = re.compile(
    r"[^\s{}<>]+\.(?:txt|md|j2|njk|json|jsonl|ya?ml|csv|[cm]?[jt]s|py|sh|rb)(?::\w+)?"
)
_ELSEWHERE = ("exec:", "langfuse://", "portkey://", "helicone://")
# Messages, also where they cannot be read.
_MESSAGES = re.compile(r"""\s*(?:\[\s*\{\s*"role"|-\s+["']?role["']?\s*:)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """
    A template of what is asked, with a system message or without.

    *labels* are the names that it goes by.
    """

    template: str
    system: str | None
    labels: frozenset[str]
    at: Item

    @property
    def can_be_filled(self) -> bool:
        """Whether it has nothing but variables in it."""
        try:
            fill(self.template, {})
        except Unfollowable:
            return False
        return True

    def is_among(self, wanted: Collection[str]) -> bool:
        """Whether one of *wanted* means it: a label, `group` or `group:*`."""
        return any(
            label == each or label.startswith(f"{each.removesuffix(':*')}:")
            for each in wanted
            for label in self.labels
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """Reads prompts."""

    folder: Folder
    notes: Notes

    def read(self, listed: Item) -> Iterator[Prompt]:
        """Yield the prompts of *listed* that can be followed."""
        for entry in listed.items:
            yield from self._prompts(entry)

    def _prompts(self, entry: Item) -> Iterator[Prompt]:
        """Yield the prompts that *entry* is; a text file may have several."""
        labels = {item.text for k in ("id", "label") if (item := entry.get(k))}
        self.notes.unknown(entry, _PROMPT)
        raw = entry.get("raw", "id") if entry.mapping else entry
        template = raw.text if raw else None
        if raw is None or template is None:
            self.notes.add(entry, "prompt", "left out: it is no text")
            return
        templates = [template]
        if template.startswith(_ELSEWHERE):
            self.notes.add(entry, f"prompt {template}", "left out: write it out")
            return
        if is_file(template) or _NAMED.fullmatch(template):
            labels |= {template, template.removeprefix("file://")}
            templates = list(self._in_files(raw))
        for each in templates:
            system, asked = _parted(each)
            if asked is None:
                why = (
                    "left out: it is a conversation, or no messages that can be read; "
                    "write a case with `conversation`"
                )
                self.notes.add(entry, "prompt", why)
                continue
            names = frozenset(name for name in (*labels, each) if name)
            yield Prompt(template=asked, system=system, labels=names, at=entry)

    def _in_files(self, at: Item) -> Iterator[str]:
        """Yield the templates in the files that *at* names."""
        found = self.folder.files(at, TEXT | DATA)
        if isinstance(found, str):
            self.notes.add(at, f"prompt {at.text}", f"left out: {found}")
            return
        for path in found:
            words, why = self.folder.words_in(path)
            if words is None:
                self.notes.add(at, f"prompt {at.text}", f"left out: {why}")
            else:
                yield from (part.strip() for part in _SEPARATOR.split(words))


def _parted(template: str) -> tuple[str | None, str | None]:
    """Return system message and question of *template*; no question: it is a talk."""
    if not _MESSAGES.match(template):
        return None, template
    said = [(m.get("role"), m.get("content")) for m in _messages(template)]
    if not all(isinstance(content, str) for _, content in said):
        return None, None
    match said:
        case [(role, system), ("user", asked)] if role in _SYSTEM:
            return str(system), str(asked)
        case [("user", asked)]:
            return None, str(asked)
        case _:
            return None, None


def _messages(template: str) -> list[dict[str, object]]:
    """Return the messages that *template* lists as JSON or YAML, if it can be read."""
    try:
        if template.lstrip().startswith("["):
            found = json.loads(template)
        else:
            found = read_yaml(template, "").root
    except (ValueError, RecursionError, ConfigError):
        return []
    listed = isinstance(found, list) and all(isinstance(each, dict) for each in found)
    return found if listed else []
