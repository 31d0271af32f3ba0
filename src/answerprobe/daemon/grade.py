"""Recorded answers graded without asking any agent."""

import asyncio
import contextlib

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from answerprobe.case import Case
from answerprobe.errors import AnswerprobeError
from answerprobe.judge import Judge, Unobserved
from answerprobe.monitor import JudgeSettings
from answerprobe.runner import Graded, Grading
from answerprobe.sample import Sample


# So many more answers are read ahead than the judge is asked about at once, so that
# one that takes long keeps none of the others waiting.
_AHEAD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An answer from elsewhere; *id*, a JSON value, is its name there."""

    id: str | int | float | bool | None
    sample: Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeOptions:
    """
    What to grade by.

    *judge* is None to ask none. *judge_requests* bounds the requests to it at once.
    """

    case: Case
    judge: JudgeSettings | None
    judge_requests: int
    scrub: Callable[[str], str]


Told = Callable[[Recorded, Graded], None]


async def grade_recorded(
    options: GradeOptions, answers: AsyncIterator[Recorded], told: Told
) -> None:
    """
    Grade *answers*, several at once, and call *told* with each in their order.

    It is called as soon as an answer and all before it are graded. Where *answers* or
    *told* raise, so does this, after telling of what came before a bad answer.
    """
    async with contextlib.AsyncExitStack() as stack:
        judge = None
        if options.judge and options.case.rubrics:
            judge = _judge(options, options.judge)
            stack.push_async_callback(judge.close)
        try:
            await _grade_all(_Desk(options.case, judge), options, answers, told)
        except ExceptionGroup as exc:
            # The first one is what went wrong; others only followed.
            raise exc.exceptions[0] from exc


def _judge(options: GradeOptions, settings: JudgeSettings) -> Judge:
    """Return the judge of *settings*."""
    return Judge(
        settings,
        slots=asyncio.Semaphore(options.judge_requests),
        observer=Unobserved(),
        scrub=options.scrub,
    )


class _Desk:
    """Grades by one case."""

    def __init__(self, case: Case, judge: Judge | None) -> None:
        self._case = case
        self._judge = judge
        # The log has it, and the answer's line of the result.
        self._grading = Grading(internal_error=lambda: None)

    async def grade(self, recorded: Recorded) -> tuple[Recorded, Graded]:
        """Return *recorded* with what the criteria say of it."""
        graded = await self._grading.grade(self._judge, self._case, recorded.sample)
        return recorded, graded


_Going = asyncio.Task[tuple[Recorded, Graded]]


async def _grade_all(
    desk: _Desk, options: GradeOptions, answers: AsyncIterator[Recorded], told: Told
) -> None:
    """Grade *answers* at *desk*; the queue bounds how many are at it."""
    going: asyncio.Queue[_Going | AnswerprobeError | None] = asyncio.Queue(
        maxsize=_AHEAD * options.judge_requests
    )

    async def start_all() -> None:
        """Start to grade each answer as its turn comes."""
        # What is wrong with an answer waits in line behind those before it.
        try:
            async for recorded in answers:
                await going.put(group.create_task(desk.grade(recorded)))
        except AnswerprobeError as exc:
            await going.put(exc)
        else:
            await going.put(None)

    async with asyncio.TaskGroup() as group:
        group.create_task(start_all())
        while (task := await going.get()) is not None:
            if isinstance(task, AnswerprobeError):
                raise task
            told(*await task)
