"""What a provider is: whom a monitor asks."""

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

from answerprobe.promptfoo._source import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    Whom to ask: the keys of a monitor, what it is called, and its prompts.

    *variable* is what is sent in place of the prompt, None for the prompt itself;
    *prompts* are the labels of those that are for it, None for all.
    """

    name: str
    keys: dict[str, object]
    at: Item
    variable: str | None = None
    prompts: frozenset[str] | None = None
    takes_system: bool = False

    def is_among(self, wanted: Collection[str]) -> bool:
        """Whether one of *wanted* means it: label or id, `openai:*`, or `openai`."""
        names = (item.text for key in ("id", "label") if (item := self.at.get(key)))
        return any(
            fnmatchcase(name, each) or name.startswith(f"{each}:")
            for name in names
            if name
            for each in wanted
        )
