"""Reads our Dockerfile: as much of the format as it uses, and nothing else."""

import json
import re
import string

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy" / "docker" / "Dockerfile"
DOCKERIGNORE = ROOT / "deploy" / "docker" / "Dockerfile.dockerignore"
# What a command finds where no ENV says otherwise.
PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
_FROM = re.compile(r"(?P<base>\S+)(?: AS (?P<name>\S+))?")
_PAIR = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A line of a Dockerfile; *value* is what follows its *name*, on one line."""

    name: str
    value: str

    @property
    def words(self) -> tuple[str, ...]:
        """The value's words, flags apart; of the exec form, its texts."""
        if self.value.startswith("["):
            return tuple(json.loads(self.value))
        return tuple(word for word in self.value.split() if not word.startswith("--"))

    @property
    def pairs(self) -> Mapping[str, str]:
        """What an ENV, ARG or LABEL sets."""
        return {key: text.strip('"') for key, text in _PAIR.findall(self.value)}

    def flag(self, name: str) -> str | None:
        """Return the value of the flag *name*; None where it is not given."""
        found = re.match(rf"(?:--\S+ )*?--{name}=(\S+)", self.value)
        return found[1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A FROM and what follows it; *name* is empty where it has none."""

    base: str
    name: str
    instructions: tuple[Instruction, ...]

    def all(self, name: str) -> tuple[Instruction, ...]:
        """Return the instructions called *name*."""
        return tuple(step for step in self.instructions if step.name == name)

    def last(self, name: str) -> Instruction:
        """Return the last instruction called *name*, which is the one that counts."""
        return self.all(name)[-1]

    @property
    def environment(self) -> dict[str, str]:
        """What its ENV sets, with a usual PATH before it."""
        found = {"PATH": PATH}
        for step in self.all("ENV"):
            for key, text in step.pairs.items():
                found[key] = string.Template(text).substitute(found)
        return found


def stages() -> tuple[Stage, ...]:
    """Return the stages of our Dockerfile, in order."""
    arguments: dict[str, str] = {}
    parts: list[tuple[str, list[Instruction]]] = []
    for step in _instructions(DOCKERFILE.read_text("utf-8")):
        if step.name == "FROM":
            base = string.Template(step.value).substitute(arguments)
            parts.append((base, []))
        elif parts:
            parts[-1][1].append(step)
        else:
            arguments.update(step.pairs)
    return tuple(_stage(base, steps) for base, steps in parts)


def _instructions(text: str) -> list[Instruction]:
    """Return the instructions of *text*, each on one line."""
    kept = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(kept))
    split = (line.partition(" ") for line in joined.splitlines() if line.strip())
    return [Instruction(name=name, value=value.strip()) for name, _, value in split]


def _stage(base: str, steps: list[Instruction]) -> Stage:
    """Return the stage that begins with FROM *base*."""
    found = _FROM.fullmatch(base)
    assert found, base
    return Stage(
        base=found["base"], name=found["name"] or "", instructions=tuple(steps)
    )


def allowed() -> frozenset[str]:
    """Return what of the repository's root is sent to the builder."""
    lines = DOCKERIGNORE.read_text("utf-8").splitlines()
    return frozenset(line[1:] for line in lines if line.startswith("!"))
