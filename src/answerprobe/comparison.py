"""
Two setups of one agent compared: what was planned, counted, and may be said. Pure.

A sample counts for each criterion by that criterion's own verdict. One without a
usable answer is no pass for every rule; a judged criterion counts the samples that were
judged.
"""

import math

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from answerprobe.case import Case, Rubric
from answerprobe.monitor import Price
from answerprobe.passrate import (
    Change,
    Counted,
    Difference,
    newcombe,
    runs_to_separate,
)
from answerprobe.run import RunState, SampleResult, criterion_result
from answerprobe.sample import TokenRole, TokenUsage


# Each criterion is looked at by itself: so many differ where nothing does.
FALSE_FINDINGS = 0.05
_ANSWERED = "answered"
_P95 = 0.95


class Setup(StrEnum):
    """Which of the two."""

    CURRENT = "current"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCase:
    """A case as it was when the experiment was planned."""

    id: str
    fingerprint: str
    rules: tuple[str, ...]
    rubrics: tuple[str, ...]

    @classmethod
    def of(cls, case: Case) -> "ComparedCase":
        """Return what is kept of *case*; `answered`, implied in every case, is last."""
        written = [criterion.label for criterion in case.criteria]
        judged = {c.label for c in case.criteria if isinstance(c.check, Rubric)}
        rules = [label for label in written if label not in judged]
        rules.sort(key=lambda label: label == _ANSWERED)
        return cls(
            id=case.id,
            fingerprint=case.fingerprint,
            rules=tuple(rules),
            rubrics=tuple(label for label in written if label in judged),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentPlan:
    """
    What an experiment is to find out.

    *settings* are those that the changed setup has otherwise, as they may be shown;
    those in *masked* are not kept. *samples* are asked of each case and setup.
    *definition* is a fingerprint of both setups and of all that grades them.
    """

    monitor: str
    reason: str
    settings: Mapping[str, str]
    samples: int
    cases: tuple[ComparedCase, ...]
    definition: str
    prices: Mapping[TokenRole, Price]
    masked: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many samples both setups have together."""
        return len(Setup) * self.samples * len(self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionComparison:
    """
    One criterion of one case under both setups.

    *not_judged* are the samples of both that nobody could judge by it.
    """

    case_id: str
    criterion: str
    current: Counted
    changed: Counted
    not_judged: int = 0

    @property
    def difference(self) -> Difference | None:
        """By how much the pass rate changed; None where a setup was not judged."""
        if not (self.current.judged and self.changed.judged):
            return None
        return newcombe(self.current, self.changed)

    @property
    def undecided(self) -> bool:
        """Whether nothing can be said because a setup could not be judged."""
        return self.difference is None and self.not_judged > 0

    @property
    def result(self) -> Change:
        """What that allows to say."""
        found = self.difference
        return Change.of(found) if found else Change.NO_DETECTABLE_DIFFERENCE

    @property
    def runs_to_separate(self) -> int | None:
        """How many samples a setup would tell these two rates apart; None at equal."""
        if not (self.current.judged and self.changed.judged):
            return None
        before, after = self.current, self.changed
        return runs_to_separate(
            before.passed / before.judged, after.passed / after.judged
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupSpend:
    """
    What one setup took.

    *dollars* is None where no price is set; *unpriced* are those who spent tokens that
    it leaves out. Durations are those of answered samples, None without any.
    """

    samples: int
    tokens: Mapping[TokenRole, TokenUsage] = field(default_factory=dict)
    dollars: float | None = None
    unpriced: tuple[TokenRole, ...] = ()
    median_seconds: float | None = None
    p95_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What both setups came to."""

    criteria: tuple[CriterionComparison, ...]
    spend: Mapping[Setup, SetupSpend]

    @property
    def expected_by_chance(self) -> float:
        """How many criteria would be told apart on average if nothing differed."""
        compared = sum(criterion.difference is not None for criterion in self.criteria)
        return FALSE_FINDINGS * compared

    @property
    def undecided(self) -> tuple[CriterionComparison, ...]:
        """Of which nothing can be said because a setup could not be judged."""
        return tuple(criterion for criterion in self.criteria if criterion.undecided)

    def found(self, change: Change) -> int:
        """Return how many criteria changed that way."""
        return sum(criterion.result is change for criterion in self.criteria)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment as it stands. *run_ids* are the runs of the two setups."""

    id: int
    epoch: int
    plan: ExperimentPlan
    state: RunState
    started_at: datetime
    finished_at: datetime | None
    run_ids: Mapping[Setup, int]
    done: int
    comparison: Comparison


def compare(
    plan: ExperimentPlan, samples: Mapping[Setup, Iterable[SampleResult]]
) -> Comparison:
    """Return what *samples* of both setups come to under *plan*."""
    kept = {setup: tuple(samples.get(setup, ())) for setup in Setup}
    current, changed = (_by_case(kept[setup]) for setup in Setup)
    criteria = tuple(
        _compared(case, label, current.get(case.id, ()), changed.get(case.id, ()))
        for case in plan.cases
        for label in _labels(case)
    )
    spend = {setup: _spend(plan, kept[setup]) for setup in Setup}
    return Comparison(criteria=criteria, spend=spend)


def _by_case(
    samples: Iterable[SampleResult],
) -> Mapping[str, Sequence[SampleResult]]:
    """Return *samples* by the ids of their cases."""
    found: dict[str, list[SampleResult]] = {}
    for sample in samples:
        found.setdefault(sample.case_id, []).append(sample)
    return found


def _compared(
    case: ComparedCase,
    label: str,
    current: Sequence[SampleResult],
    changed: Sequence[SampleResult],
) -> CriterionComparison:
    """Return how often a criterion of *case* passed, and was judged."""
    rule = label in case.rules
    before, after = (
        criterion_result(label, samples, rule=rule) for samples in (current, changed)
    )
    return CriterionComparison(
        case_id=case.id,
        criterion=label,
        current=Counted(before.passed, before.judged),
        changed=Counted(after.passed, after.judged),
        not_judged=before.not_judged + after.not_judged,
    )


def _labels(case: ComparedCase) -> tuple[str, ...]:
    """Return the criteria of *case*, those that a person wrote first."""
    written = [label for label in case.rules if label != _ANSWERED]
    return (*written, *case.rubrics, _ANSWERED)


def _spend(plan: ExperimentPlan, samples: tuple[SampleResult, ...]) -> SetupSpend:
    """Return what *samples* of one setup took."""
    tokens: dict[TokenRole, TokenUsage] = {}
    for sample in samples:
        for role, usage in sample.tokens.items():
            tokens[role] = tokens.get(role, TokenUsage()) + usage
    costs = {
        role: price.cost_dollars(usage.input_tokens, usage.output_tokens)
        for role, usage in tokens.items()
        if (price := plan.prices.get(role))
    }
    spent = [role for role, usage in tokens.items() if usage.total]
    seconds = sorted(s.duration_seconds for s in samples if s.answered)
    return SetupSpend(
        samples=len(samples),
        tokens=tokens,
        dollars=sum(costs.values()) if plan.prices else None,
        unpriced=tuple(role for role in spent if role not in costs),
        median_seconds=percentile(seconds, 0.5),
        p95_seconds=percentile(seconds, _P95),
    )


def percentile(ascending: list[float], share: float) -> float | None:
    """Return the value that *share* of *ascending* lie at or below; None of none."""
    if not ascending:
        return None
    # By interpolation between ranks, as Prometheus' quantile() does.
    rank = share * (len(ascending) - 1)
    low, high = math.floor(rank), math.ceil(rank)
    return ascending[low] + (ascending[high] - ascending[low]) * (rank - low)
