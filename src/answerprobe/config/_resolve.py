"""From what was written to what it means, by what is wanted at each place."""

import math
import re

from collections.abc import Mapping

from answerprobe.config._aliases import REFUSED, canonical
from answerprobe.config._findings import Findings
from answerprobe.config._want import Want, wanted
from answerprobe.config._yaml import Plain


_NOTHING = frozenset({"", "~", "null"})
_JSON_WORDS = {"true": True, "false": False}
_WORDS = {**_JSON_WORDS, "yes": True, "on": True, "no": False, "off": False}
_NUMBERS = frozenset({"number", "integer"})
_ANYTHING = frozenset({"boolean", "number"})
_INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:_[0-9]{3})+")
_FLOAT = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
)
_LONGEST_NUMBER = 40


def resolve(root: object, findings: Findings) -> object:
    """
    Return a copy of *root* as JSON values, every key under its canonical name.

    An unquoted scalar becomes a number or truth value only where one may stand, and
    stays the text that was written elsewhere. Keys of later versions go to *findings*
    and are left out.
    """
    return _Resolver(findings).value(root, wanted())


class _Resolver:
    """Walks a document along with what is wanted."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._path: list[str | int] = []

    def value(self, value: object, want: Want | None) -> object:
        """Return *value* as it is meant where *want* is wanted."""
        kind = value.__class__
        if kind is str:
            return value
        if kind is Plain:
            return scalar(str(value), want)
        if isinstance(value, dict):
            return self._mapping(value, want)
        if isinstance(value, list):
            return self._sequence(value, want.items if want else None)
        return value

    def _sequence(self, items: list[object], want: Want | None) -> list[object]:
        """Return *items* as they are meant."""
        path = self._path
        resolved: list[object] = []
        for index, item in enumerate(items):
            path.append(index)
            resolved.append(self.value(item, want))
            path.pop()
        return resolved

    def _mapping(
        self, items: Mapping[str, object], want: Want | None
    ) -> dict[str, object]:
        """Return *items* as they are meant, without what is refused."""
        if want is None:
            return {key: self.value(item, None) for key, item in items.items()}
        if want.kind == "criterion":
            items = canonical(items)
        path = self._path
        resolved: dict[str, object] = {}
        for key, item in items.items():
            path.append(key)
            inner = want.properties.get(key, want.others)
            if inner is not None and inner.later:
                self._refuse(inner.later)
            elif key in REFUSED and want.kind == "criterion":
                self._refuse(REFUSED[key])
            else:
                resolved[key] = self.value(item, inner)
            path.pop()
        return resolved

    def _refuse(self, message: str) -> None:
        """Make a finding of the key that is being looked at."""
        self._findings.add(tuple(self._path), message, at_key=True)


def scalar(text: str, want: Want | None) -> object:
    """
    Return what *text*, written without quotes, means where *want* is wanted.

    Where anything may stand only JSON's own spellings are more than text. Where a truth
    value or a number is wanted, `yes`, `off` and `1_000` are understood too.
    """
    certain = want is not None and bool(want.types)
    types = want.types if want is not None and want.types else _ANYTHING
    if text.lower() in _NOTHING:
        return None
    if "boolean" in types:
        truth = (_WORDS if certain else _JSON_WORDS).get(text.lower())
        if truth is not None:
            return truth
    if types & _NUMBERS and len(text) <= _LONGEST_NUMBER:
        number = _number(text, grouped=certain)
        only_whole = "number" not in types
        if only_whole and isinstance(number, float) and number.is_integer():
            return int(number)
        return number
    return text


def _number(text: str, *, grouped: bool) -> int | float | str:
    """Return the number that *text* spells in decimal, else *text*."""
    if _INTEGER.fullmatch(text) or (grouped and _GROUPED.fullmatch(text)):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
