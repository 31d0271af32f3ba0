"""A provider's options, whichever of several ways they are written."""

import re

from dataclasses import dataclass

from answerprobe.promptfoo._source import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A provider's options, whichever way they are written."""

    at: Item

    @property
    def config(self) -> Item:
        """Its `config`."""
        return self.at.get("config") or Item(
            value={}, file=self.at.file, line=self.at.line
        )

    @property
    def prompts(self) -> frozenset[str] | None:
        """The labels of the prompts that are for it, None for all."""
        found = self.at.get("prompts")
        return frozenset(i.text or "" for i in found.items) if found else None

    def text(self, key: str) -> str | None:
        """Return the text at *key*."""
        found = self.at.get(key)
        return found.text if found else None


def options_of(entry: Item) -> Options:
    """Return the options of a provider: a name, a mapping, or one by its name."""
    if entry.text is not None:
        at = Item(value={"id": entry}, file=entry.file, line=entry.line)
        return Options(at=at)
    if "id" not in entry.mapping and len(entry.mapping) == 1:
        ((name, inner),) = entry.mapping.items()
        item = Item(value=name, file=entry.file, line=entry.line)
        return Options(
            at=Item(
                value={"id": item, **inner.mapping},
                file=entry.file,
                line=entry.line,
                keys=inner.keys,
            )
        )
    return Options(at=entry)


def without_key(name: str) -> str:
    """Return a provider's *name* without the query and password of a URL."""
    shown = name.partition("?")[0]
    return re.sub(r"//[^/@]*@", "//", shown)
