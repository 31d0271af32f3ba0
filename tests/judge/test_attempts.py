"""How often a judge is asked, and when."""

import asyncio

import pytest

from aiohttp import web

from answerprobe.judge import Judgement
from answerprobe.sample import TokenUsage
from answerprobe.verdict import Outcome
from judge.api import Asked, completion, finished, sends, verdict
from judge.conversing import RUBRIC, Bench, judging, sample


async def grade(bench: Bench) -> Judgement:
    """Have an answer graded."""
    return await bench.judge.grade(RUBRIC, "judge", sample("On Monday."))


class TestAttempts:
    @pytest.mark.parametrize(
        "fault",
        [
            pytest.param(429, id="429"),
            pytest.param(408, id="408"),
            pytest.param(500, id="500"),
            pytest.param(503, id="503"),
            pytest.param("prose", id="prose"),
            pytest.param(b"<p>", id="page"),
            pytest.param(None, id="hangs"),
        ],
    )
    async def test_what_may_pass_is_asked_again(self, fault: object) -> None:
        """The verdict that comes in the end counts like any other."""
        script = sends(fault, fault, verdict("pass"))
        async with judging(script, attempts=3, timeout_seconds=0.5) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.PASS
        assert len(bench.api.asked) == 3

    @pytest.mark.parametrize(
        "fault",
        [
            pytest.param(400, id="400"),
            pytest.param(401, id="401"),
            pytest.param(404, id="404"),
            pytest.param(finished("{", "length"), id="cut"),
            pytest.param(completion(None, refusal="No."), id="refusal"),
        ],
    )
    async def test_what_will_not_pass_is_asked_once(self, fault: object) -> None:
        """Money is not spent on the same error again."""
        async with judging(sends(fault, verdict("pass")), attempts=3) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.NOT_JUDGED
        assert len(bench.api.asked) == 1

    async def test_attempts_are_the_limit(self) -> None:
        """And the reason says how many there were."""
        async with judging(sends(503), attempts=3) as bench:
            judged = await grade(bench)

        assert len(bench.api.asked) == 3
        assert judged.verdict.reason == (
            "judge default: HTTP 503: scripted (3 attempts)"
        )

    async def test_waits_grow_and_jitter(self) -> None:
        """Half of each wait is by chance, and none is longer than eight seconds."""
        async with judging(sends(503), attempts=8) as bench:
            await grade(bench)

        assert bench.slept == [0.375, 0.75, 1.5, 3.0, 6.0, 6.0, 6.0]

    async def test_all_attempts_are_paid_for(self) -> None:
        """Usage adds up."""
        async with judging(sends("prose", verdict("pass")), attempts=2) as bench:
            judged = await grade(bench)

        assert judged.usage == TokenUsage(input_tokens=180, output_tokens=18)


class TestRetryAfter:
    async def test_it_is_obeyed(self) -> None:
        """The next request comes no sooner than asked."""
        script = sends(429, verdict("pass"), headers={"Retry-After": "11"})
        async with judging(script, attempts=2) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.PASS
        assert bench.slept == [pytest.approx(11.125)]

    async def test_beyond_the_timeout_it_ends_at_once(self) -> None:
        """Nobody waits an hour for a verdict."""
        script = sends(429, headers={"Retry-After": "3600"})
        async with judging(script, attempts=3) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.NOT_JUDGED
        assert judged.verdict.reason.endswith(": scripted, which asks to wait 3600 s")
        assert (len(bench.api.asked), bench.slept) == (1, [])


class TestSlots:
    async def test_no_more_requests_than_slots_at_once(self) -> None:
        """Whoever comes later waits for a slot."""
        under_way, most = 0, 0

        async def script(asked: Asked) -> web.StreamResponse:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.01)
            under_way -= 1
            return web.json_response(completion(verdict("pass")))

        async with (
            judging(script, slots=asyncio.Semaphore(2)) as bench,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(8):
                group.create_task(grade(bench))

        assert most == 2

    async def test_a_slot_is_free_while_backing_off(self) -> None:
        """A judge that is down does not keep another one from being asked."""
        slots = asyncio.Semaphore(1)
        async with judging(sends(503), attempts=2, slots=slots) as bench:
            free = []

            async def sleep(seconds: float) -> None:
                free.append(not slots.locked())

            object.__setattr__(bench.judge._ambient, "sleep", sleep)
            await grade(bench)

        assert free == [True]
