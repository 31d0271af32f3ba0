"""Recorded answers, several graded at once, told in their order."""

import asyncio

from collections.abc import AsyncIterator, Sequence

import pytest

from aiohttp import web

from answerprobe.daemon.grade import GradeOptions, Recorded, grade_recorded
from answerprobe.errors import RecordedError
from answerprobe.monitor import JudgeSettings
from answerprobe.runner import Graded
from answerprobe.sample import asked_once
from answerprobe.verdict import Outcome
from builders import case
from judge.api import Api, Asked, completion, serving, verdict
from scripted import reply, until


JUDGED = case(expect={"contains": "days", "judge": "Names the window."})


def recorded(number: int, answer: str = "30 days") -> Recorded:
    """Return the answer *number*."""
    text = f"{answer}, says {number:03d}."
    return Recorded(id=number, sample=asked_once("When?", reply(text)))


async def each(
    answers: Sequence[Recorded], error: Exception | None = None
) -> AsyncIterator[Recorded]:
    """Yield *answers*, then raise *error*."""
    for answer in answers:
        yield answer
    if error:
        raise error


class Judge:
    """A server that passes everything, each answer once its gate is open."""

    def __init__(self) -> None:
        self.gates: dict[int, asyncio.Event] = {}
        self.busy = self.most = 0

    async def __call__(self, asked: Asked) -> web.StreamResponse:
        """Answer a request."""
        self.busy += 1
        self.most = max(self.most, self.busy)
        for number, gate in self.gates.items():
            if f"says {number:03d}" in asked.contents[1]:
                await gate.wait()
        self.busy -= 1
        return web.json_response(completion(verdict("pass")))


def options(api: Api, requests: int = 4) -> GradeOptions:
    """Return what to grade by, with the judge at *api*."""
    settings = JudgeSettings(name="j", connection=api.connection, model="m", attempts=1)
    return GradeOptions(case=JUDGED, judge=settings, judge_requests=requests, scrub=str)


class Printed:
    """What was told, in order."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, Outcome]] = []

    def __call__(self, recorded: Recorded, graded: Graded) -> None:
        """Keep id and outcome."""
        self.lines.append((recorded.id, graded.outcome))


class TestOrder:
    async def test_is_kept_whoever_is_judged_first(self) -> None:
        """One that takes long holds back the lines behind it, not their judging."""
        script, printed = Judge(), Printed()
        script.gates[0] = asyncio.Event()
        async with serving(script) as api:
            answers = each([recorded(number) for number in range(6)])
            task = asyncio.create_task(grade_recorded(options(api), answers, printed))
            await until(lambda: len(api.asked) == 6 and script.busy == 1)
            assert not printed.lines

            script.gates[0].set()
            await task

        assert printed.lines == [(number, Outcome.PASS) for number in range(6)]

    async def test_what_is_graded_is_told_at_once(self) -> None:
        """Also while more answers are waited for."""
        script, printed, more = Judge(), Printed(), asyncio.Event()

        async def answers() -> AsyncIterator[Recorded]:
            yield recorded(1)
            await more.wait()
            yield recorded(2)

        async with serving(script) as api:
            task = asyncio.create_task(grade_recorded(options(api), answers(), printed))
            await until(lambda: printed.lines)
            assert printed.lines == [(1, Outcome.PASS)]

            more.set()
            await task

        assert [name for name, _ in printed.lines] == [1, 2]


class TestBounds:
    async def test_the_judges_limit_is_kept(self) -> None:
        """`limits.judge` requests at once, and all of them are used."""
        script, printed = Judge(), Printed()
        script.gates = {number: asyncio.Event() for number in range(30)}
        async with serving(script) as api:
            answers = each([recorded(number) for number in range(30)])
            task = asyncio.create_task(
                grade_recorded(options(api, requests=3), answers, printed)
            )
            await until(lambda: script.busy == 3)
            for gate in script.gates.values():
                gate.set()
            await task

        assert script.most == 3
        assert len(printed.lines) == 30

    async def test_answers_are_not_read_far_ahead(self) -> None:
        """A file of any size takes no memory to speak of."""
        script, printed, read = Judge(), Printed(), 0
        script.gates[0] = asyncio.Event()

        async def answers() -> AsyncIterator[Recorded]:
            nonlocal read
            for number in range(500):
                read += 1
                yield recorded(number)

        async with serving(script) as api:
            task = asyncio.create_task(
                grade_recorded(options(api, requests=2), answers(), printed)
            )
            await until(lambda: len(api.asked) == 6 and script.busy == 1)
            assert read <= 8
            script.gates[0].set()
            await task

        assert len(printed.lines) == 500


class TestErrors:
    async def test_of_the_input_come_after_what_stood_before_them(self) -> None:
        """As what they are, in no group."""
        printed, error = Printed(), RecordedError("line 3: no JSON")
        async with serving(Judge()) as api:
            answers = each([recorded(1), recorded(2, "no")], error)

            with pytest.raises(RecordedError, match="line 3: no JSON"):
                await grade_recorded(options(api), answers, printed)

        assert printed.lines == [(1, Outcome.PASS), (2, Outcome.FAIL)]

    async def test_of_who_is_told_end_it(self) -> None:
        """A closed pipe stops all that is under way."""
        script = Judge()
        script.gates[1] = asyncio.Event()

        def told(_recorded: Recorded, _graded: Graded) -> None:
            raise BrokenPipeError

        async with serving(script) as api:
            answers = each([recorded(0), recorded(1)])

            with pytest.raises(BrokenPipeError):
                await grade_recorded(options(api), answers, told)
            script.gates[1].set()
