"""Targets, judges and journals that play a script, for tests of what drives them."""

import asyncio

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from answerprobe.case import Rubric
from answerprobe.evidence import Claim, FinishedRun, StoredMonitor
from answerprobe.judge import Judgement
from answerprobe.run import GradedBy, RunRequest, RunState, SampleResult, Trigger
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Reply,
    Sample,
    TokenRole,
    TokenUsage,
    ToolCall,
)
from answerprobe.targets import Dialogue
from answerprobe.verdict import Outcome, Verdict
from builders import NOW


GOOD = "Within 30 days."


def reply(answer: str, *, tokens: int = 10) -> Reply:
    """Return a reply that cost *tokens*."""
    return Reply(
        answer=answer,
        duration_seconds=0.2,
        usage=TokenUsage(input_tokens=tokens // 2, output_tokens=tokens - tokens // 2),
    )


def no_reply(reason: ErrorReason = ErrorReason.HTTP_STATUS) -> Reply:
    """Return a reply that is none."""
    failure = Failure(reason=reason, detail="HTTP 500")
    return Reply(answer="", duration_seconds=0.1, failure=failure)


@dataclass
class ScriptedTarget:
    """
    A target that answers as *say* tells; *gate*, where given, holds every answer.

    It keeps what it was asked, and how many asked at once.
    """

    say: Callable[[str], Reply] = lambda _: reply(GOOD)
    gate: asyncio.Event | None = None
    host: str = "http://scripted"
    asked: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    busy: int = 0
    most: int = 0
    closed: bool = False

    @asynccontextmanager
    async def dialogue(self, traceparent: str) -> AsyncIterator[Dialogue]:
        """Start a sample."""
        self.traces.append(traceparent)
        yield _Dialogue(self)

    async def close(self) -> None:
        """Note that nobody needs it any more."""
        self.closed = True


@dataclass
class _Dialogue:
    """One sample with a ScriptedTarget."""

    target: ScriptedTarget

    async def say(self, message: str, *, within_seconds: float) -> Reply:
        """Answer as the script says."""
        del within_seconds
        target = self.target
        target.asked.append(message)
        target.busy += 1
        target.most = max(target.most, target.busy)
        try:
            await asyncio.sleep(0)
            if target.gate:
                await target.gate.wait()
            return target.say(message)
        finally:
            target.busy -= 1

    async def resume(
        self, results: Sequence[ToolCall], *, within_seconds: float
    ) -> Reply:
        """Answer what the tools said, named one after the other."""
        said = ", ".join(call.name for call in results)
        return await self.say(said, within_seconds=within_seconds)


@dataclass
class ScriptedJudge:
    """A judge whose verdict is what *decide* says of a rubric and an answer."""

    decide: Callable[[str, str], Outcome] = lambda _rubric, _answer: Outcome.PASS
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def grade(
        self, rubric: Rubric, label: str, sample: Sample, *, votes: int | None = None
    ) -> Judgement:
        """Return the scripted verdict."""
        del votes
        self.asked.append((rubric.text, sample.answer))
        outcome = self.decide(rubric.text, sample.answer)
        return Judgement(
            verdict=Verdict(criterion=label, outcome=outcome, reason="scripted"),
            graded_by=GradedBy(model="scripted-1", prompt_version="abc"),
            usage=TokenUsage(input_tokens=5, output_tokens=2),
        )


@dataclass
class MemoryJournal:
    """A journal that keeps everything in lists."""

    begun: list[RunRequest] = field(default_factory=list)
    started: list[int] = field(default_factory=list)
    finished: list[FinishedRun] = field(default_factory=list)
    queued: dict[int, RunRequest] = field(default_factory=dict)
    monitors: dict[str, StoredMonitor] = field(default_factory=dict)
    pauses: dict[str, bool] = field(default_factory=dict)
    deploys: list[tuple[str, str]] = field(default_factory=list)
    good: dict[str, SampleResult] = field(default_factory=dict)
    not_before: list[datetime | None] = field(default_factory=list)
    ids: int = 0

    async def begin(
        self,
        request: RunRequest,
        *,
        started_at: datetime,
        total: int,
        claim: Claim | None = None,
    ) -> int:
        """Keep a run that starts."""
        del started_at, total, claim
        self.begun.append(request)
        self.ids += 1
        return self.ids

    async def enqueue(
        self,
        request: RunRequest,
        *,
        queued_at: datetime,
        total: int,
        not_before: datetime | None = None,
    ) -> int:
        """Keep a run that waits."""
        del queued_at, total
        self.not_before.append(not_before)
        self.ids += 1
        self.queued[self.ids] = request
        return self.ids

    async def start(
        self, run_id: int, started_at: datetime, *, claim: Claim | None = None
    ) -> None:
        """Keep that a run starts."""
        del started_at, claim
        self.started.append(run_id)

    async def finish(self, finished: FinishedRun) -> bool:
        """Keep a run that ended."""
        self.finished.append(finished)
        return True

    async def change_version(
        self, run_id: int, version: str | None, not_before: datetime | None = None
    ) -> None:
        """Keep another version."""
        self.not_before.append(not_before)
        waiting = self.queued[run_id]
        self.queued[run_id] = RunRequest(
            monitor=waiting.monitor, trigger=waiting.trigger, version=version
        )

    async def save_monitors(self, monitors: Mapping[str, StoredMonitor]) -> None:
        """Keep monitors."""
        self.monitors.update(monitors)

    async def save_pause(self, name: str, *, paused: bool) -> None:
        """Keep a pause."""
        self.pauses[name] = paused

    async def record_deploy(self, name: str, version: str, at: datetime) -> None:
        """Keep a deploy."""
        del at
        self.deploys.append((name, version))

    async def last_good(
        self, monitor: str, case_ids: Mapping[str, str]
    ) -> Mapping[str, SampleResult]:
        """Return what the test put there."""
        del monitor
        return {
            case_id: self.good[case_id] for case_id in case_ids if case_id in self.good
        }

    @property
    def states(self) -> list[tuple[Trigger, RunState]]:
        """How the runs ended, in order."""
        return [(f.run.request.trigger, f.run.state) for f in self.finished]


@dataclass
class Spending:
    """A RunObserver that adds up."""

    tokens: dict[TokenRole, int] = field(default_factory=dict)
    cost: float = 0.0
    internal_errors: int = 0

    def tokens_spent(
        self, monitor: str, role: TokenRole, usage: TokenUsage, cost: float | None
    ) -> None:
        """Add what was spent."""
        del monitor
        self.tokens[role] = self.tokens.get(role, 0) + usage.total
        self.cost += cost or 0.0

    def internal_error(self) -> None:
        """Count a fault of our own."""
        self.internal_errors += 1


@dataclass
class FakeClock:
    """A wall clock that moves when told."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        """Return the present instant."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)


@dataclass
class Naps:
    """A sleep that lasts until it is *over*; it keeps the seconds it was asked for."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        """Sleep."""
        self.asked.append(seconds)
        await self.over.wait()


async def until(condition: Callable[[], object]) -> None:
    """Let other tasks run until *condition* holds; fail after 5 s."""
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110  the condition is no event of ours
            await asyncio.sleep(0.001)
