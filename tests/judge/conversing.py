"""Judges to test with, and what they are asked about."""

import asyncio

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from answerprobe.case import Rubric
from answerprobe.judge import Ambient, Judge, JudgeOutcome
from answerprobe.monitor import JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.sample import Reply, Sample, ToolCall, asked_once
from judge.api import Api, Script, serving


RUBRIC = Rubric(criterion="judge", text="Names the day on which the shop is closed.")
QUESTION = "When is the shop closed?"


def sample(answer: str, *tool_calls: ToolCall) -> Sample:
    """Return the sample of QUESTION and *answer*."""
    reply = Reply(answer=answer, duration_seconds=1.0, tool_calls=tool_calls)
    return asked_once(QUESTION, reply)


@dataclass(kw_only=True)
class Notes:
    """A JudgeObserver that writes everything down."""

    outcomes: list[JudgeOutcome] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    models: list[GradedBy] = field(default_factory=list)
    disagreements: int = 0
    judges: set[str] = field(default_factory=set)

    def requested(self, judge: str, outcome: JudgeOutcome, seconds: float) -> None:
        """Note how a request ended."""
        self.judges.add(judge)
        self.outcomes.append(outcome)
        self.seconds.append(seconds)

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """Note who graded."""
        self.judges.add(judge)
        self.models.append(graded_by)

    def disagreed(self, judge: str) -> None:
        """Note that votes differed."""
        self.judges.add(judge)
        self.disagreements += 1


@dataclass(kw_only=True)
class Bench:
    """A judge, the server it asks, what it told its observer, how long it waited."""

    judge: Judge
    api: Api
    notes: Notes
    slept: list[float]


@asynccontextmanager
async def judging(
    script: Script,
    *,
    attempts: int = 1,
    votes: int = 1,
    timeout_seconds: float = 20.0,
    slots: asyncio.Semaphore | None = None,
    scrub: Callable[[str], str] = str,
) -> AsyncIterator[Bench]:
    """Open a judge that asks a server playing *script*, and does not really wait."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with serving(script) as api:
        settings = JudgeSettings(
            name="default",
            connection=api.connection,
            model="fake",
            attempts=attempts,
            votes=votes,
            timeout_seconds=timeout_seconds,
        )
        notes = Notes()
        judge = Judge(
            settings,
            slots=slots or asyncio.Semaphore(8),
            observer=notes,
            scrub=scrub,
            ambient=Ambient(sleep=sleep, jitter=lambda: 0.5),
        )
        try:
            yield Bench(judge=judge, api=api, notes=notes, slept=slept)
        finally:
            await judge.close()
