"""What the samples of one run say of a case, by its quorum or threshold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from answerprobe.case import Case, Quorum, Threshold
from answerprobe.passrate import clears
from answerprobe.run._run import SampleResult, count_outcomes
from answerprobe.verdict import Outcome


class Decision(StrEnum):
    """What the samples of one run say of a case."""

    PASSING = "passing"
    FAILING = "failing"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case of a run: how its samples ended, and what that decides."""

    case_id: str
    fingerprint: str
    passed: int
    failed: int
    errors: int
    not_judged: int
    decision: Decision

    @property
    def samples(self) -> int:
        """How many samples it had."""
        return self.passed + self.failed + self.errors + self.not_judged


def pass_ratio(outcomes: Mapping[Outcome, int]) -> float | None:
    """Return passes among the samples that were judged; None where none was."""
    passed = outcomes[Outcome.PASS]
    judged = passed + outcomes[Outcome.FAIL] + outcomes[Outcome.ERROR]
    return passed / judged if judged else None


def decide(quorum: Quorum, outcomes: Mapping[Outcome, int]) -> Decision:
    """
    Return what *outcomes* say under *quorum*.

    Samples that were not judged might have passed: a case fails only if even then too
    few would have.
    """
    passed = outcomes[Outcome.PASS]
    if passed >= quorum.pass_at_least:
        return Decision.PASSING
    if passed + outcomes[Outcome.NOT_JUDGED] < quorum.pass_at_least:
        return Decision.FAILING
    return Decision.UNDECIDED


def scaled(bar: Quorum | Threshold, samples: int) -> Quorum | Threshold:
    """
    Return the bar of a run with another number of *samples*.

    A quorum is two thirds of them then, a threshold stays as high as it is.
    """
    if samples == bar.samples:
        return bar
    match bar:
        case Quorum():
            return Quorum(samples=samples, pass_at_least=-(-2 * samples // 3))
        case Threshold():
            return replace(bar, samples=samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """
    One criterion over the samples of a case.

    Of *judged* samples *passed* meet it; *not_judged* might have. A rule judges every
    sample, and an error is no pass for it; a judged criterion has only the samples that
    the judge was asked about.
    """

    label: str
    passed: int
    judged: int
    not_judged: int

    def decide(self, bar: Threshold) -> Decision:
        """Return whether its pass rate clears *bar*, as far as that is known."""
        z = bar.z
        if clears(self.passed, self.judged, bar.above, z):
            return Decision.PASSING
        passed = self.passed + self.not_judged
        if clears(passed, self.judged + self.not_judged, bar.above, z):
            return Decision.UNDECIDED
        return Decision.FAILING


def criterion_results(
    case: Case, samples: Sequence[SampleResult], *, unasked: int = 0
) -> tuple[CriterionResult, ...]:
    """Return what *samples* say of each criterion of *case*; *unasked* might pass."""
    rules = {label for label, _ in case.rules}
    return tuple(
        criterion_result(
            criterion.label, samples, rule=criterion.label in rules, unasked=unasked
        )
        for criterion in case.criteria
    )


def criterion_result(
    label: str, samples: Iterable[SampleResult], *, rule: bool, unasked: int = 0
) -> CriterionResult:
    """Return what *samples* say of one criterion, a *rule* or a judged one."""
    found = Counter(_outcome(label, sample, rule=rule) for sample in samples)
    return CriterionResult(
        label=label,
        passed=found[Outcome.PASS],
        judged=found[Outcome.PASS] + found[Outcome.FAIL],
        not_judged=found[Outcome.NOT_JUDGED] + unasked,
    )


def _outcome(label: str, sample: SampleResult, *, rule: bool) -> Outcome | None:
    """Return what *sample* says of a criterion; None where nobody was to be asked."""
    for verdict in sample.verdicts:
        if verdict.criterion == label and verdict.outcome is not Outcome.ERROR:
            return verdict.outcome
    if sample.outcome is Outcome.NOT_JUDGED:
        return Outcome.NOT_JUDGED
    return Outcome.FAIL if rule else None


def case_result(
    case: Case,
    samples: Sequence[SampleResult],
    bar: Quorum | Threshold | None = None,
    *,
    unasked: int = 0,
) -> CaseResult:
    """
    Return what *samples*, all of *case*, decide under its *bar*.

    *unasked* samples were planned and did not come about: they might have passed.
    """
    outcomes = count_outcomes(sample.outcome for sample in samples)
    outcomes[Outcome.NOT_JUDGED] += unasked
    return CaseResult(
        case_id=case.id,
        fingerprint=case.fingerprint,
        passed=outcomes[Outcome.PASS],
        failed=outcomes[Outcome.FAIL],
        errors=outcomes[Outcome.ERROR],
        not_judged=outcomes[Outcome.NOT_JUDGED],
        decision=_decision(case, bar or case.bar, samples, unasked),
    )


def _decision(
    case: Case,
    bar: Quorum | Threshold,
    samples: Sequence[SampleResult],
    unasked: int,
) -> Decision:
    """Return what *samples* say of *case* under *bar*."""
    match bar:
        case Quorum():
            outcomes = count_outcomes(sample.outcome for sample in samples)
            outcomes[Outcome.NOT_JUDGED] += unasked
            return decide(bar, outcomes)
        case Threshold():
            results = criterion_results(case, samples, unasked=unasked)
            return _decide(bar, results)


def _decide(bar: Threshold, results: Iterable[CriterionResult]) -> Decision:
    """Return what *results* say of a case all of whose criteria have a *bar*."""
    found = {result.decide(bar) for result in results}
    for decision in (Decision.FAILING, Decision.UNDECIDED):
        if decision in found:
            return decision
    return Decision.PASSING


def impossible(case: Case, samples: int) -> str | None:
    """Return why *case* cannot be decided by so many samples; None where it can."""
    bar = scaled(case.bar, samples)
    found = bar.impossible if isinstance(bar, Threshold) else None
    return f"case {case.id!r}: threshold: {found}" if found else None
