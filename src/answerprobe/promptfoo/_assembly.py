"""Monitors put together to a configuration that loads."""

import re

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from answerprobe.config import as_block, parse
from answerprobe.errors import ConfigError
from answerprobe.promptfoo._source import Item, Notes
from answerprobe.secret import SecretSource


_DEFAULT_JUDGE = "default"
_MOST_ROUNDS = 20
_LONGEST_NAME = 100
_IN_CASE = re.compile(r"monitors\[(\d+)\]\.cases\[(\d+)\]\.?(.*)")
_IN_MONITOR = re.compile(r"monitors\[(\d+)\]\.?(.*)")


@dataclass(slots=True, kw_only=True)
class Draft:
    """A monitor that is being made: its keys, its cases and where all that stands."""

    keys: dict[str, object]
    at: Item
    cases: list[dict[str, object]] = field(default_factory=list)
    places: list[Item] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Puts monitors together; *judge* grades. What is taken out is in *notes*."""

    judge: Mapping[str, object]
    notes: Notes

    def settled(self, monitors: list[Draft]) -> str | None:
        """
        Return *monitors* as a configuration that loads; None where none is left.

        What the loader refuses even so is taken out of them, and noted.
        """
        _name_apart(monitors)
        for _ in range(_MOST_ROUNDS):
            monitors[:] = [monitor for monitor in monitors if monitor.cases]
            if not monitors:
                return None
            text = self._written(monitors)
            try:
                parse(
                    text.encode(),
                    Path("answerprobe.yml"),
                    secrets=SecretSource(environment={}),
                    allow_missing_secrets=True,
                    environment={},
                )
            except ConfigError as exc:
                self._take_out(exc, monitors)
            else:
                return text
        return None

    def _written(self, monitors: list[Draft]) -> str:
        """Return the configuration of *monitors*."""
        document: dict[str, object] = {}
        judged = any(
            "judge" in criterion
            for monitor in monitors
            for case in monitor.cases
            for criterion in _list(case["expect"])
        )
        if judged:
            document["judges"] = {_DEFAULT_JUDGE: dict(self.judge)}
        document["monitors"] = [
            {
                **monitor.keys,
                **self._self_judge(monitor, judged),
                "cases": monitor.cases,
            }
            for monitor in monitors
        ]
        return as_block(document)

    def _self_judge(self, monitor: Draft, judged: bool) -> dict[str, object]:  # noqa: FBT001
        """Return the key that lets the agent's own model grade it, where it does."""
        keys = monitor.keys
        same = (keys.get("endpoint"), keys.get("model")) == (
            self.judge["base_url"],
            self.judge["model"],
        )
        if not judged or not same:
            return {}
        why = "its own model grades it; a better one is another in `judges`"
        self.notes.add(monitor.at, f"provider {keys['name']}", why)
        return {"allow_self_judge": True}

    def _take_out(self, exc: ConfigError, monitors: list[Draft]) -> None:
        """Take out of *monitors* what *exc* is about."""
        cases: set[tuple[int, int]] = set()
        whole: set[int] = set()
        for problem in exc.problems:
            if found := _IN_CASE.match(problem.path):
                place = int(found[1]), int(found[2])
                cases.add(place)
                at, what = monitors[place[0]].places[place[1]], "test"
            elif found := _IN_MONITOR.match(problem.path):
                whole.add(int(found[1]))
                at, what = monitors[int(found[1])].at, "provider"
            else:
                continue
            detail = found[found.re.groups]
            told = (
                f"left out: {detail}: {problem.message}" if detail else problem.message
            )
            self.notes.add(at, what, told)
        for monitor, case in sorted(cases, reverse=True):
            del monitors[monitor].cases[case]
            del monitors[monitor].places[case]
        for monitor in whole:
            monitors[monitor].cases.clear()
        if not cases and not whole:
            for left in monitors:
                left.cases.clear()


def _list(value: object) -> list[dict[str, object]]:
    """Return *value*, the criteria of a case."""
    return value if isinstance(value, list) else []


def unlike(taken: Collection[str], wanted: str) -> str:
    """Return *wanted*, with a number where it is *taken*."""
    number, found = 1, wanted
    while found in taken:
        number += 1
        found = f"{wanted}-{number}"
    return found


def printable(name: str) -> str:
    """Return *name* as one of a monitor: printable and not too long."""
    plain = "".join(char if char.isprintable() else " " for char in name)
    return " ".join(plain.split())[: _LONGEST_NAME - 5].strip() or "agent"


def _name_apart(monitors: Iterable[Draft]) -> None:
    """Give *monitors* names that differ."""
    taken: set[str] = set()
    for monitor in monitors:
        name = unlike(taken, str(monitor.keys["name"]))
        monitor.keys["name"] = name
        taken.add(name)
