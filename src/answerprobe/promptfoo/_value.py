"""The value of one assertion, in the form that a criterion wants."""

import json

from collections.abc import Mapping

from answerprobe.promptfoo._source import Item, Lost, is_file
from answerprobe.promptfoo._template import fill


class Value:
    """The value of an assertion, with its variables filled in."""

    def __init__(self, entry: Item, variables: Mapping[str, object]) -> None:
        self._entry = entry
        self._variables = variables

    @property
    def item(self) -> Item | None:
        """The value as it is written."""
        return self._entry.get("value")

    @property
    def text(self) -> str:
        """The one text that it is."""
        item = self.item
        text = item.text if item else None
        if text is None:
            raise Lost("has no text as its `value`")
        return self._filled(text)

    @property
    def texts(self) -> list[str]:
        """The texts that it lists, or that commas part."""
        item = self.item
        if item is None:
            raise Lost("has no `value`")
        if isinstance(item.value, str) and not is_file(item.value):
            found = [part.strip() for part in self._filled(item.value).split(",")]
        else:
            found = [self._filled(each.text or "") for each in item.items]
        if not all(found):
            raise Lost("has something else than texts in its `value`")
        return found

    @property
    def data(self) -> object:
        """The JSON value that it is, a text of JSON too; None where it has none."""
        item = self.item
        if item is None:
            return None
        if not isinstance(item.value, str):
            return item.plain
        try:
            return json.loads(self._filled(item.value))
        except (ValueError, RecursionError) as exc:
            raise Lost("its `value` is no JSON") from exc

    @property
    def threshold(self) -> float:
        """The number at `threshold`, or the value where it is one."""
        item = self._entry.get("threshold", "value")
        number = item.value if item else None
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise Lost("has no number as its `threshold`")
        return float(number)

    def _filled(self, text: str) -> str:
        """Return *text* with its variables filled in."""
        if is_file(text):
            raise Lost("takes its value from a file; write it out")
        filled = fill(text, self._variables)
        if not filled.strip():
            raise Lost("has a blank `value`")
        return filled
