"""
Whose change it was that a case regressed.

Where a judged criterion fails a case that always passed, either the agent's answers got
worse or the judge got stricter. The last good answer tells: it has not changed, so if
today's judge fails it too, the judge has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from answerprobe.case import Rubric
from answerprobe.judge._base import Judgement
from answerprobe.run import SampleResult
from answerprobe.sample import Reply, Sample, Speaker, TokenUsage
from answerprobe.status import Cause
from answerprobe.verdict import Outcome


VOTES = 3


class Grader(Protocol):
    """What is needed of a judge."""

    async def grade(
        self, rubric: Rubric, label: str, sample: Sample, *, votes: int | None = None
    ) -> Judgement:
        """Return the verdict on *sample*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """Whose change it was, and what it cost to find out."""

    cause: Cause
    usage: TokenUsage = field(default_factory=TokenUsage)


async def at_fault(
    grader: Grader,
    rubrics: Sequence[tuple[str, Rubric]],
    last_good: SampleResult,
) -> Blame:
    """
    Return whose change it was that the criteria *rubrics* now fail.

    The judge's only where it now fails *last_good* by every one of them, by a majority
    of three votes. A text that is not whole proves nothing.
    """
    usage = TokenUsage()
    if not rubrics or not last_good.whole or last_good.answer is None:
        return Blame(cause=Cause.AGENT)
    sample = _sample(last_good, last_good.answer)
    for label, rubric in rubrics:
        judgement = await grader.grade(rubric, label, sample, votes=VOTES)
        usage += judgement.usage
        if judgement.verdict.outcome is not Outcome.FAIL:
            return Blame(cause=Cause.AGENT, usage=usage)
    return Blame(cause=Cause.JUDGE, usage=usage)


def _sample(kept: SampleResult, answer: str) -> Sample:
    """Return the sample that *kept* was."""
    last = next((t for t in reversed(kept.turns) if t.speaker is Speaker.AGENT), None)
    return Sample(
        turns=kept.turns,
        termination=kept.termination,
        reply=Reply(
            answer=answer,
            duration_seconds=kept.duration_seconds,
            tool_calls=last.tool_calls if last else (),
        ),
    )
