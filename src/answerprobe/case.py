"""A case: one question and what a good answer looks like."""

import hashlib
import json
import math

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from answerprobe.passrate import best_bound, smallest_number, z_of
from answerprobe.rules import Rule
from answerprobe.tool import Response


# The most that a case may be asked in a run.
MOST_SAMPLES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """At least *pass_at_least* of *samples* samples must pass."""

    samples: int
    pass_at_least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """
    The pass rate of every criterion over *samples* must be surely *above* a ratio.

    That is, the lower bound of its Wilson interval of this *confidence*, two-sided.
    """

    samples: int
    above: float = 0.5
    confidence: float = 0.95

    @property
    def z(self) -> float:
        """The quantile of its confidence."""
        return z_of(self.confidence)

    @property
    def impossible(self) -> str | None:
        """Why no outcome of its samples could clear it; None where one could."""
        best = best_bound(self.samples, self.z)
        if best > self.above:
            return None
        message = (
            f"no outcome of {_counts(self.samples)} is surely above {self.above:g}: if "
            f"all passed, the lower bound would be {_down(best)}, at "
            f"{self.confidence * 100:g}% confidence"
        )
        enough = smallest_number(self.above, self.z, MOST_SAMPLES)
        if enough is not None:
            return f"{message}; {_counts(enough)} would do, or a lower bar"
        most = _down(best_bound(MOST_SAMPLES, self.z))
        return f"{message}, and {most} of {MOST_SAMPLES}, the most there are; lower it"


# Criteria of their own name that a judge grades, and what it grades them by. Another
# word in here is another judge: they go into its prompt version.
BUILT_IN_RUBRICS: Mapping[str, str] = {
    "does_not_hallucinate": (
        "The answer states no particulars (names, numbers, dates, prices, conditions, "
        "sources, actions taken) that neither the reference material nor the results "
        "of tool calls nor the question contain, and nothing that these contradict. "
        "Greetings, offers of help, common knowledge that nobody would look up, and "
        "saying that something is not known need no support."
    ),
    "stays_in_character": (
        "The answer is one that the character in the reference material would give: it "
        "keeps that identity, role, tone, language and those rules, does not give "
        "itself out as somebody else, does not drop the role when asked to, and does "
        "nothing that the character is told not to do. What the character leaves open "
        "is free."
    ),
    "grounded_in_knowledge": (
        "Every statement of the answer about the subject of the question follows from "
        "the knowledge in the reference material, and none contradicts it; what the "
        "knowledge does not cover, the answer leaves out or says that it does not "
        "know. Greetings, offers of help and repeating the question need no support."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A text that a rubric refers to, by its *name*: `knowledge`, `character`."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """
    A criterion that a judge grades: the sentence that the answer must meet.

    *material* is what the sentence refers to, shown to the judge beside the answer.
    """

    criterion: str
    text: str
    material: tuple[Material, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All that the judge has to read of it."""
        return (self.text, *(material.text for material in self.material))


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One entry of `expect`; *label* is unique in its case: `contains#2`."""

    label: str
    check: Rule | Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """
    What a simulated user talks to the agent about.

    *opening* is its first message, word for word; None lets it find one. A turn is one
    message to the agent: there are at most *max_turns*, and it may end the conversation
    after *min_turns*.
    """

    persona: str
    goal: str
    opening: str | None = None
    min_turns: int = 1
    max_turns: int = 8


class CaseState(StrEnum):
    """Where a case is in its life: only an accepted one counts."""

    ACCEPTED = "accepted"
    DRAFT = "draft"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    One question or conversation, what it must meet, and how many samples must meet it.

    Either *ask* or *conversation* is there. *within_seconds* is the deadline of one
    turn. *actions* answer in place of the tools' own responses, by name. *fingerprint*
    changes with the meaning of the case, never with its formatting. *reason* and
    *replaced_by* (an id) are those of a retired one.
    """

    id: str
    ask: str | None
    criteria: tuple[Criterion, ...]
    within_seconds: float
    bar: Quorum | Threshold
    fingerprint: str
    conversation: Conversation | None = None
    actions: Mapping[str, Response] = field(default_factory=dict)
    state: CaseState = CaseState.ACCEPTED
    reason: str | None = None
    replaced_by: str | None = None
    rules: tuple[tuple[str, Rule], ...] = field(init=False, repr=False, compare=False)
    rubrics: tuple[tuple[str, Rubric], ...] = field(
        init=False, repr=False, compare=False
    )

    @property
    def samples(self) -> int:
        """How many times it is asked in a run."""
        return self.bar.samples

    @property
    def confidence(self) -> float:
        """How sure the lower bound of its pass rate is to be."""
        return self.bar.confidence if isinstance(self.bar, Threshold) else 0.95

    @property
    def turns(self) -> int:
        """How many messages to the agent a sample has at most."""
        return self.conversation.max_turns if self.conversation else 1

    @property
    def texts(self) -> tuple[str, ...]:
        """What it says to the agent, as far as that is known beforehand."""
        if self.conversation:
            return (self.conversation.opening or "",)
        return (self.ask or "",)

    def __post_init__(self) -> None:
        rules = tuple(
            (c.label, c.check) for c in self.criteria if not isinstance(c.check, Rubric)
        )
        rubrics = tuple(
            (c.label, c.check) for c in self.criteria if isinstance(c.check, Rubric)
        )
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "rubrics", rubrics)


def _counts(samples: int) -> str:
    """Return *samples* in words."""
    return f"{samples} sample" if samples == 1 else f"{samples} samples"


def _down(bound: float) -> str:
    """Return *bound* in three digits, never as more than it is."""
    return f"{math.floor(bound * 1000) / 1000:.3f}"


def fingerprint(meaning: Mapping[str, object]) -> str:
    """Return 32 hexadecimal digits that stand for *meaning* (JSON, order-free)."""
    canonical = json.dumps(
        meaning, sort_keys=True, ensure_ascii=True, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]
