"""Grading one sample: rules first, the judge only if every one of them passed."""

import asyncio

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from answerprobe.case import Case
from answerprobe.conversation import Talk
from answerprobe.rules import Rule, check_all, costly
from answerprobe.run import GradedBy
from answerprobe.runner._assignment import Grader
from answerprobe.runner._rule_threads import RULE_SECONDS, RuleThreads
from answerprobe.sample import Sample, TokenUsage
from answerprobe.verdict import Outcome, Verdict


_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What rules and judge say of one sample."""

    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    judge: GradedBy | None = None
    judge_usage: TokenUsage | None = None


@dataclass(slots=True, kw_only=True)
class _Checks:
    """The rules of one sample, checked one after the other; it tells how far."""

    rules: tuple[tuple[str, Rule], ...]
    sample: Sample
    verdicts: list[Verdict] = field(default_factory=list)

    def __call__(self) -> None:
        """Check them."""
        for rule in self.rules:
            self.verdicts += check_all((rule,), self.sample)


class Grading:
    """
    Grades samples.

    *internal_error* is called for each sample whose rules took longer than
    *rule_seconds*: that is our fault, and no verdict on the answer.
    """

    def __init__(
        self,
        *,
        internal_error: Callable[[], None],
        rule_seconds: float = RULE_SECONDS,
    ) -> None:
        self._internal_error = internal_error
        self._threads = RuleThreads(deadline_seconds=rule_seconds)

    async def grade(self, judge: Grader | None, case: Case, sample: Sample) -> Graded:
        """
        Return what the criteria of *case* say of *sample*.

        Judged criteria are not judged where *judge* is None.
        """
        if sample.reply.failure:
            detail = sample.reply.failure.detail
            verdict = Verdict(
                criterion="answered", outcome=Outcome.ERROR, reason=detail
            )
            return Graded(outcome=Outcome.ERROR, verdicts=(verdict,))
        verdicts = await self._check(case, sample)
        passed = all(verdict.outcome is Outcome.PASS for verdict in verdicts)
        if not passed or not case.rubrics:
            return Graded(outcome=_outcome(verdicts), verdicts=verdicts)
        if judge is None:
            verdicts += _unjudged(case)
            return Graded(outcome=_outcome(verdicts), verdicts=verdicts)
        return await _judged(judge, case, sample, verdicts)

    async def grade_talk(self, judge: Grader | None, case: Case, talk: Talk) -> Graded:
        """Return what the criteria of *case* say of *talk*, once it has ended."""
        if talk.problem is None:
            return await self.grade(judge, case, talk.sample)
        # The simulated user's fault is no verdict on the agent.
        verdict = Verdict(
            criterion="conversation",
            outcome=Outcome.NOT_JUDGED,
            reason=talk.problem,
            unquoted=talk.unquoted_problem,
        )
        return Graded(outcome=Outcome.NOT_JUDGED, verdicts=(verdict,))

    async def _check(self, case: Case, sample: Sample) -> tuple[Verdict, ...]:
        """Return the verdicts of all rules of *case*."""
        if not costly(case.rules, sample):
            return check_all(case.rules, sample)
        checks = _Checks(rules=case.rules, sample=sample)
        if await self._threads.run(checks):
            return tuple(checks.verdicts)
        return self._overrun(case, tuple(checks.verdicts))

    def _overrun(self, case: Case, done: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        """Return *done* and, for the rules that gave none in time, why they did not."""
        left = [label for label, _ in case.rules[len(done) :]]
        if not left:
            return done
        first, *others = left
        limit = f"{self._threads.deadline_seconds:g} s"
        self._internal_error()
        _log.error("rule.overran", case=case.id, rule=first, limit=limit)
        return (
            *done,
            _not_judged(first, f"internal error: {first} did not end within {limit}"),
            *(
                _not_judged(label, f"not checked: {first} before it did not end")
                for label in others
            ),
        )


async def _judged(
    judge: Grader, case: Case, sample: Sample, verdicts: tuple[Verdict, ...]
) -> Graded:
    """Ask *judge* about every judged criterion of *case*, all at once."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(judge.grade(rubric, label, sample))
            for label, rubric in case.rubrics
        ]
    judgements = [task.result() for task in tasks]
    verdicts += tuple(judgement.verdict for judgement in judgements)
    return Graded(
        outcome=_outcome(verdicts),
        verdicts=verdicts,
        judge=next((j.graded_by for j in judgements if j.graded_by), None),
        judge_usage=sum((j.usage for j in judgements), TokenUsage()),
    )


def _unjudged(case: Case) -> tuple[Verdict, ...]:
    """Return that nobody was asked about the judged criteria of *case*."""
    return tuple(_not_judged(label, "no judge was asked") for label, _ in case.rubrics)


def _not_judged(label: str, reason: str) -> Verdict:
    """Return the lack of a verdict."""
    return Verdict(criterion=label, outcome=Outcome.NOT_JUDGED, reason=reason)


def _outcome(verdicts: tuple[Verdict, ...]) -> Outcome:
    """Return how a sample with these *verdicts* ended: one fail fails it."""
    outcomes = {verdict.outcome for verdict in verdicts}
    for outcome in (Outcome.FAIL, Outcome.NOT_JUDGED):
        if outcome in outcomes:
            return outcome
    return Outcome.PASS
