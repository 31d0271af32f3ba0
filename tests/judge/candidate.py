"""A judge that says what it is told to, and canaries for it."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from answerprobe.case import Rubric
from answerprobe.connection import Connection
from answerprobe.judge import Judgement
from answerprobe.monitor import Canary, JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.sample import Sample, TokenUsage
from answerprobe.secret import Secret
from answerprobe.verdict import Outcome, Verdict


OPEN, SHUT = "Yes, until six.", "We sell shoes."
CANARIES = tuple(
    Canary(
        question=f"Are you open, {number}?",
        answer=OPEN if passes else SHUT,
        rubric="Says whether it is open.",
        passes=passes,
    )
    for number, passes in enumerate((True, True, False, False), 1)
)
SETTINGS = JudgeSettings(
    name="default",
    connection=Connection(url=Secret("http://127.0.0.1:9/v1")),
    model="m",
    canaries=CANARIES,
)
USAGE = TokenUsage(input_tokens=90, output_tokens=9)
Says = Callable[[Sample], Outcome]


@dataclass(kw_only=True)
class ScriptedJudge:
    """A judge that says what it is told to, and remembers what it was asked."""

    says: Says
    settings: JudgeSettings = SETTINGS
    reason: str = "As it happens."
    models: Sequence[str] = ("m-1",)
    asked: list[Sample] = field(default_factory=list)
    busy: int = 0
    most_busy: int = 0

    async def grade(self, rubric: Rubric, label: str, sample: Sample) -> Judgement:
        """Say it."""
        del rubric
        self.asked.append(sample)
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        await asyncio.sleep(0)
        self.busy -= 1
        outcome = self.says(sample)
        model = self.models[len(self.asked) % len(self.models)]
        judged = outcome is not Outcome.NOT_JUDGED
        return Judgement(
            verdict=Verdict(criterion=label, outcome=outcome, reason=self.reason),
            graded_by=GradedBy(model=model, prompt_version="p") if judged else None,
            usage=USAGE,
        )


def honest(sample: Sample) -> Outcome:
    """Return what is true."""
    return Outcome.PASS if sample.answer == OPEN else Outcome.FAIL


def always(outcome: Outcome) -> Says:
    """Return who always says *outcome*."""
    return lambda _: outcome
