"""A case: one question and what a good answer looks like."""

import hashlib
import json

from collections.abc import Mapping
from dataclasses import dataclass, field

from answerprobe.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """At least *pass_at_least* of *samples* samples must pass."""

    samples: int
    pass_at_least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """A criterion that a judge grades: the sentence that the answer must meet."""

    criterion: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One entry of `expect`; *label* is unique in its case: `contains#2`."""

    label: str
    check: Rule | Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    One question, what the answer must meet, and how many samples must meet it.

    *within_seconds* is the deadline of one exchange. *fingerprint* changes with the
    meaning of the case, never with its formatting.
    """

    id: str
    ask: str
    criteria: tuple[Criterion, ...]
    within_seconds: float
    quorum: Quorum
    fingerprint: str
    rules: tuple[tuple[str, Rule], ...] = field(init=False, repr=False, compare=False)
    rubrics: tuple[tuple[str, Rubric], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        rules = tuple(
            (c.label, c.check) for c in self.criteria if not isinstance(c.check, Rubric)
        )
        rubrics = tuple(
            (c.label, c.check) for c in self.criteria if isinstance(c.check, Rubric)
        )
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "rubrics", rubrics)


def fingerprint(meaning: Mapping[str, object]) -> str:
    """Return 32 hexadecimal digits that stand for *meaning* (JSON, order-free)."""
    canonical = json.dumps(
        meaning, sort_keys=True, ensure_ascii=True, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
