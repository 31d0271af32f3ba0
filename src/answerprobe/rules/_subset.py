"""
One JSON value within another, and where it is not.

An object is in an object that has its keys with values that its own are in; an array is
in an array that has its elements in their order, others between them or not. All else
must be equal as JSON: `true` is not 1, `"7"` is not 7, null is not absent, 1.0 is 1.
"""

import json

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from answerprobe.rules._reason import quote, shortened, visible
from answerprobe.rules._schema import json_path


Path = tuple[str | int, ...]
_LONGEST_VALUE = 60


class _Absent:
    """There is no value; null is one."""


_ABSENT = _Absent()


class Misfit(NamedTuple):
    """A part that is missing or another; *actual* is the agent's."""

    path: Path
    expected: object
    actual: object
    element: bool = False

    @property
    def where(self) -> str:
        """The path in words: `ship.city`."""
        return json_path(self.path).removeprefix("$.")

    @property
    def wanted(self) -> str:
        """What was expected, in words."""
        value = shown(self.expected)
        return f"an element {value}" if self.element else value

    @property
    def found(self) -> str | None:
        """What is there, in words; None where nothing is."""
        return None if self.actual is _ABSENT else shown(self.actual)


def misfits(expected: object, actual: object, path: Path = ()) -> Iterator[Misfit]:
    """Yield the parts of *expected*, at *path*, that are not in *actual*."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key, value in expected.items():
            yield from misfits(value, actual.get(key, _ABSENT), (*path, key))
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _in_array(expected, actual, path)
    elif not _same(expected, actual):
        yield Misfit(path, expected, actual)


def _in_array(
    expected: Sequence[object], actual: Sequence[object], path: Path
) -> Iterator[Misfit]:
    """Yield the first element of *expected* that does not follow in *actual*."""
    left = iter(actual)
    for index, element in enumerate(expected):
        if any(next(misfits(element, each), None) is None for each in left):
            continue
        if len(expected) == len(actual):
            inside = misfits(element, actual[index], (*path, index))
            if (first := next(inside, None)) is not None:
                yield first
                return
        yield Misfit(path, element, actual, element=True)
        return


def _same(expected: object, actual: object) -> bool:
    """Whether two values, not both objects or both arrays, are equal as JSON."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return expected == actual


def shown(value: object) -> str:
    """Return the beginning of a JSON *value*, as JSON on one line."""
    if isinstance(value, str):
        return quote(value, _LONGEST_VALUE)
    text = ""
    # Piece by piece: it may be a megabyte.
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += piece[: _LONGEST_VALUE + 1]
        if len(text) > _LONGEST_VALUE:
            break
    return shortened(visible(text), _LONGEST_VALUE)
