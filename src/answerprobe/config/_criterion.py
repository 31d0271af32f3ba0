"""The criteria of a case: parsed once for each value that is written."""

import json

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from answerprobe import durations
from answerprobe.case import Rubric
from answerprobe.config._want import Want, criteria
from answerprobe.errors import CriterionError
from answerprobe.rules import RULES, InTurns, Rule, TurnChoice


JUDGE = "judge"
ANSWERED = "answered"
# Beside a rule's value: which of the agent's answers it looks at.
IN = "in"
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


def chooses_turns(name: str, value: object) -> bool:
    """Whether the *value* of the rule *name* says which answers it looks at."""
    return isinstance(value, dict) and IN in value and IN in criteria()[name].properties


def _make(name: str, value: object) -> Parsed | CriterionError:
    """Return the criterion, or what is wrong with it."""
    try:
        check = (
            Rubric(criterion=JUDGE, text=str(value))
            if name == JUDGE
            else _rule(name, value)
        )
    except CriterionError as exc:
        return exc
    return Parsed(check, meaning(value, criteria()[name]))


def _rule(name: str, value: object) -> Rule:
    """
    Return the rule *name* for *value*, looking at the answers that it chooses.

    Raises:
        CriterionError: the rule finds the value wrong.
    """
    want = criteria()[name]
    choice = TurnChoice.LAST
    if isinstance(value, dict) and chooses_turns(name, value):
        choice = TurnChoice(str(value[IN]))
        value = {key: item for key, item in value.items() if key != IN}
    short = _short(value, want)
    # The other options are gone: what is written for a rule without options.
    bare = True if value == {} and "boolean" in want.types else value
    rule = RULES[name].parse(bare if short is None else short)
    return rule if choice is TurnChoice.LAST else InTurns(rule=rule, turns=choice)


def _short(value: object, want: Want) -> object:
    """Return what stands for *value* where it has no further keys, else None."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in _SHORT and key in want.properties:
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
    if isinstance(value, list) and want.schema.get("uniqueItems"):
        return sorted(value)
    return value


def _meaning_of_mapping(value: Mapping[str, object], want: Want) -> object:
    """Return *value* without what goes without saying, in its shortest form."""
    left: dict[str, object] = {}
    for key, item in value.items():
        inner = want.properties.get(key)
        if inner is None:
            left[key] = item
        elif "default" not in inner.schema or item != inner.schema["default"]:
            left[key] = meaning(item, inner)
    if not left and "boolean" in want.types:
        return True
    short = _short(left, want)
    return left if short is None else short


def _seconds(text: str) -> object:
    """Return the seconds that *text* spells, or *text* where it spells none."""
    try:
        return durations.parse(text)
    except ValueError:
        return text
