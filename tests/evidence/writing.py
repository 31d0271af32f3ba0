"""Stores and what is written into them, for the tests of the evidence."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from answerprobe.evidence import FinishedRun, Store, StoredTokens
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Speaker,
    TokenRole,
    TokenUsage,
    ToolCall,
    Turn,
)
from answerprobe.status import MonitorStatus
from answerprobe.verdict import Outcome, Verdict
from builders import NOW


MONTH = "2026-11"
SCHEDULED = RunRequest(monitor="shop", trigger=Trigger.SCHEDULE)


@dataclass(slots=True)
class Clock:
    """A clock that stands until it is moved."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        """Return the present instant."""
        return self.now

    def advance(self, **span: float) -> None:
        """Let time go by."""
        self.now += timedelta(**span)


@dataclass(slots=True)
class Observer:
    """Remembers what it was told of the store, and lets others wait for it."""

    ups: list[bool] = field(default_factory=list)
    failures: int = 0
    told: asyncio.Event = field(default_factory=asyncio.Event)

    def storage_up(self, *, up: bool) -> None:
        """Remember that the store works, or doesn't."""
        self.ups.append(up)
        self.told.set()

    def storage_failed(self) -> None:
        """Count a failure."""
        self.failures += 1
        self.told.set()

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Return once *condition* holds, looked at whenever something is told."""
        async with asyncio.timeout(20):
            while not condition():
                self.told.clear()
                await self.told.wait()


def names(folder: Path) -> set[str]:
    """Return what lies in *folder*."""
    return {path.name for path in folder.iterdir()}


def contents(file: Path) -> bytes:
    """Return every byte of *file*."""
    return file.read_bytes()


def overwrite(file: Path, data: bytes) -> None:
    """Make *data* all that is in *file*."""
    file.write_bytes(data)


def sample(
    outcome: Outcome = Outcome.PASS,
    *,
    case_id: str = "refund",
    fingerprint: str = "f1",
    answer: str = "Within 30 days.",
    at: datetime = NOW,
) -> SampleResult:
    """Return a sample with everything that a simple one has."""
    return SampleResult(
        case_id=case_id,
        fingerprint=fingerprint,
        outcome=outcome,
        started_at=at,
        duration_seconds=0.25,
        trace_id="0af7651916cd43dd8448eb211c80319c",
        answer=answer,
        turns=(
            Turn(speaker=Speaker.USER, text="When can I return it?"),
            Turn(speaker=Speaker.AGENT, text=answer, duration_seconds=0.25),
        ),
        verdicts=(
            Verdict(criterion="contains", outcome=outcome, reason='has "30 days"'),
        ),
        tokens={TokenRole.AGENT: TokenUsage(input_tokens=7, output_tokens=5)},
    )


def broken_sample() -> SampleResult:
    """Return a sample with everything that a simple one has not."""
    call = ToolCall(
        name="get_order",
        arguments={"id": 7, "tags": ["a", None, True]},
        result={"état": "payé 💶"},
        error="timed out",
    )
    return replace(
        sample(Outcome.ERROR),
        failure=Failure(reason=ErrorReason.EMPTY_ANSWER, detail="only blanks"),
        answer=None,
        turns=(Turn(speaker=Speaker.AGENT, text="", tool_calls=(call,)),),
        first_token_seconds=0.1,
        whole=False,
        tools_missing=("send_mail",),
        tools_unexpected=("get_order",),
    )


def ended(
    run_id: int,
    samples: Sequence[SampleResult],
    *,
    request: RunRequest = SCHEDULED,
    state: RunState = RunState.COMPLETED,
    at: datetime = NOW,
) -> Run:
    """Return a run of *samples* that started at *at* and ended a second later."""
    return Run(
        id=run_id,
        request=request,
        state=state,
        queued_at=at,
        started_at=at,
        finished_at=at + timedelta(seconds=1),
        total=len(samples),
        done=len(samples),
        samples=tuple(samples),
    )


def spent(
    tokens: int, *, monitor: str = "shop", role: TokenRole = TokenRole.AGENT
) -> StoredTokens:
    """Return *tokens* spent on input, and one on output."""
    return StoredTokens(
        month=MONTH,
        monitor=monitor,
        role=role,
        estimated=False,
        input_tokens=tokens,
        output_tokens=1,
    )


async def write_run(
    store: Store,
    samples: Sequence[SampleResult] | None = None,
    *,
    request: RunRequest = SCHEDULED,
    at: datetime = NOW,
    status: MonitorStatus | None = None,
    state: RunState = RunState.COMPLETED,
) -> Run:
    """Write a run of *samples*, from its beginning to its end, and return it."""
    given = (sample(),) if samples is None else samples
    run_id = await store.begin(request, started_at=at, total=len(given))
    run = ended(run_id, given, request=request, at=at, state=state)
    await store.finish(FinishedRun(run=run, status=status, ledger=(spent(10),)))
    return run
