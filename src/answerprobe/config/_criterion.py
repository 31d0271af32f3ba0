"""The criteria of a case: parsed once for each value that is written."""

import json

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from answerprobe import durations
from answerprobe.case import Rubric
from answerprobe.config._want import Want, criteria
from answerprobe.errors import CriterionError
from answerprobe.rules import RULES, Rule


JUDGE = "judge"
ANSWERED = "answered"
# The one key that a criterion's longer form must have -> its value is the short form.
_SHORT = ("text", "pattern", "limit")


class Parsed(NamedTuple):
    """A criterion and what it means: the same for every way to write it."""

    check: Rule | Rubric
    meaning: object


@dataclass(slots=True)
class Criteria:
    """Makes criteria; cases that write the same share one object."""

    _made: dict[tuple[object, ...], Parsed | CriterionError] = field(
        default_factory=dict
    )
    _answered: dict[float, Rule] = field(default_factory=dict)

    def parse(self, name: str, value: object) -> Parsed:
        """
        Return the criterion *name* for *value*, whose shape has been checked.

        Raises:
            CriterionError: the rule finds it wrong.
        """
        if isinstance(value, str):
            key: tuple[object, ...] = (name, value)
        else:
            key = (name, json.dumps(value, sort_keys=True), None)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = _make(name, value)
        if isinstance(made, CriterionError):
            raise made
        return made

    def answered(self, within_seconds: float) -> Rule:
        """Return the rule that an answer came within so many seconds."""
        rule = self._answered.get(within_seconds)
        if rule is None:
            value = {"within": durations.show(within_seconds)}
            rule = self._answered[within_seconds] = RULES[ANSWERED].parse(value)
        return rule


def _make(name: str, value: object) -> Parsed | CriterionError:
    """Return the criterion, or what is wrong with it."""
    short = _short(value)
    try:
        check = (
            Rubric(criterion=JUDGE, text=str(value))
            if name == JUDGE
            else RULES[name].parse(value if short is None else short)
        )
    except CriterionError as exc:
        return exc
    return Parsed(check, meaning(value, criteria()[name]))


def _short(value: object) -> object:
    """Return what stands for *value* where it has no further keys, else None."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in _SHORT:
            return inner
    return None


def meaning(value: object, want: Want) -> object:
    """Return *value* as JSON that is equal wherever the meaning is."""
    if want.kind == "duration" and isinstance(value, str):
        return _seconds(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict) and want.properties:
        return _meaning_of_mapping(value, want)
    return value


def _meaning_of_mapping(value: Mapping[str, object], want: Want) -> object:
    """Return *value* without what goes without saying, in its shortest form."""
    left = {
        key: meaning(item, want.properties[key])
        for key, item in value.items()
        if "default" not in want.properties[key].schema
        or item != want.properties[key].schema["default"]
    }
    if not left and "boolean" in want.types:
        return True
    short = _short(left)
    return left if short is None else short


def _seconds(text: str) -> object:
    """Return the seconds that *text* spells, or *text* where it spells none."""
    try:
        return durations.parse(text)
    except ValueError:
        return text
