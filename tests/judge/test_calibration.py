"""A judge grades answers whose verdict is known."""

import asyncio

from collections.abc import Callable
from dataclasses import replace

import pytest

from aiohttp import web

from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.connection import Connection
from answerprobe.judge import PROMPT_VERSION, calibrate, definition_of
from answerprobe.judge.calibration import canaries_of
from answerprobe.judge.canaries import built_in_canaries
from answerprobe.sample import Sample, TokenUsage
from answerprobe.secret import Secret
from answerprobe.verdict import Outcome
from builders import NOW
from judge.api import Asked, completion, verdict
from judge.candidate import (
    CANARIES,
    OPEN,
    SETTINGS,
    SHUT,
    USAGE,
    Says,
    ScriptedJudge,
    always,
    honest,
)
from judge.conversing import judging


async def calibrated(
    candidate: ScriptedJudge,
    *,
    at_once: int = 2,
    spend: Callable[[TokenUsage], None] = lambda _: None,
    affordable: Callable[[], bool] = lambda: True,
) -> Calibration:
    """Return how *candidate* fared."""
    return await calibrate(
        candidate,
        slots=asyncio.Semaphore(at_once),
        clock=lambda: NOW,
        spend=spend,
        affordable=affordable,
    )


class TestCalibrate:
    """The rates."""

    @pytest.mark.parametrize(
        ("says", "passes", "fails"),
        [
            pytest.param(honest, 2, 2, id="honest"),
            pytest.param(always(Outcome.PASS), 2, 0, id="always pass"),
            pytest.param(always(Outcome.FAIL), 0, 2, id="always fail"),
        ],
    )
    async def test_each_known_verdict_has_its_own_rate(
        self, says: Says, passes: int, fails: int
    ) -> None:
        """A judge that never says no is right about every pass."""
        found = await calibrated(ScriptedJudge(says=says))

        assert found.passes == Agreement(agreed=passes, judged=2)
        assert found.fails == Agreement(agreed=fails, judged=2)

    async def test_says_who_was_calibrated_and_when(self) -> None:
        """With nothing wrong there is nothing to show."""
        assert await calibrated(ScriptedJudge(says=honest)) == Calibration(
            judge="default",
            definition=definition_of(SETTINGS),
            models=("m-1",),
            prompt_version=PROMPT_VERSION,
            at=NOW,
            passes=Agreement(agreed=2, judged=2),
            fails=Agreement(agreed=2, judged=2),
        )

    async def test_names_what_was_misjudged(self) -> None:
        """In the order of the canaries, by their numbers."""
        found = await calibrated(ScriptedJudge(says=always(Outcome.PASS)))

        assert [verdict.number for verdict in found.misjudged] == [3, 4]
        assert found.misjudged[0] == CanaryVerdict(
            number=3,
            question="Are you open, 3?",
            answer=SHUT,
            expected=Outcome.FAIL,
            outcome=Outcome.PASS,
            reason="As it happens.",
        )

    async def test_what_is_kept_has_no_personal_data(self) -> None:
        """A canary may be a real answer, and a reason may quote it."""
        canary = replace(CANARIES[2], answer="Ask john.doe@mail.io, 030 123 4567.")
        candidate = ScriptedJudge(
            says=always(Outcome.PASS),
            settings=replace(SETTINGS, canaries=(canary,)),
            reason="It names\njohn.doe@mail.io.",
        )

        found = (await calibrated(candidate)).misjudged[0]

        assert candidate.asked[0].answer == canary.answer
        assert "john" not in found.answer + found.reason
        assert found.reason == "It names [email]."

    async def test_the_most_frequent_model_comes_first(self) -> None:
        """A gateway may have several."""
        candidate = ScriptedJudge(says=honest, models=("b\n", "a", "b\n"))

        assert (await calibrated(candidate)).models == ("b", "a")

    async def test_no_more_are_asked_at_once_than_there_are_slots(self) -> None:
        """Real verdicts come first."""
        candidate = ScriptedJudge(says=honest)

        await calibrated(candidate, at_once=2)

        assert (len(candidate.asked), candidate.most_busy) == (4, 2)

    async def test_everything_spent_is_told(self) -> None:
        """What came to nothing too."""
        spent: list[TokenUsage] = []

        await calibrated(
            ScriptedJudge(says=always(Outcome.NOT_JUDGED)), spend=spent.append
        )

        assert spent == [USAGE] * 4


class TestNotJudged:
    """Canaries without a verdict."""

    async def test_are_in_no_rate(self) -> None:
        """An outage says nothing about agreement."""

        def says(sample: Sample) -> Outcome:
            return honest(sample) if sample.answer == OPEN else Outcome.NOT_JUDGED

        found = await calibrated(ScriptedJudge(says=says))

        assert found.passes == Agreement(agreed=2, judged=2)
        assert found.fails == Agreement(agreed=0, judged=0)
        assert [verdict.number for verdict in found.not_judged] == [3, 4]
        assert found.misjudged == ()

    async def test_a_judge_that_is_out_is_left_alone(self) -> None:
        """After five in a row, whoever they are."""
        candidate = ScriptedJudge(
            says=always(Outcome.NOT_JUDGED),
            settings=replace(SETTINGS, canaries=None),
        )

        found = await calibrated(candidate, at_once=1)

        assert len(candidate.asked) == 5
        assert len(found.not_judged) == len(built_in_canaries())
        assert not found.complete

    async def test_refused_attacks_are_no_outage(self) -> None:
        """Those that pass come between them."""
        candidate = ScriptedJudge(
            says=lambda sample: (
                Outcome.PASS if sample.answer == OPEN else Outcome.NOT_JUDGED
            ),
            settings=replace(
                SETTINGS, canaries=(CANARIES[0],) * 20 + (CANARIES[2],) * 20
            ),
        )

        found = await calibrated(candidate)

        assert (len(candidate.asked), found.complete) == (40, True)

    async def test_nothing_is_asked_that_is_not_affordable(self) -> None:
        """Where the budget ends, it ends."""
        candidate = ScriptedJudge(says=honest)

        found = await calibrated(
            candidate, at_once=1, affordable=lambda: len(candidate.asked) < 3
        )

        assert len(candidate.asked) == 3
        assert found.not_judged[0].reason == "not asked: the token budget is used up"


class TestDefinition:
    """What an earlier calibration says nothing of."""

    @pytest.mark.parametrize(
        "changed",
        [
            pytest.param({"model": "other"}, id="model"),
            pytest.param({"votes": 3}, id="votes"),
            pytest.param({"canaries": CANARIES[:3]}, id="canaries"),
            pytest.param({"canaries": None}, id="built-in canaries"),
            pytest.param(
                {"connection": Connection(url=Secret("http://127.0.0.1:8/v1"))},
                id="address",
            ),
        ],
    )
    def test_changes_with_what_matters(self, changed: dict[str, object]) -> None:
        """Another judge, or other questions to it."""
        other = replace(SETTINGS, **changed)  # type: ignore[arg-type]  # any of them

        assert definition_of(other) != definition_of(SETTINGS)

    def test_stays_with_what_does_not(self) -> None:
        """A longer timeout makes no other judge."""
        other = replace(SETTINGS, timeout_seconds=1.0, attempts=9, name="x")

        assert definition_of(other) == definition_of(SETTINGS)

    def test_own_canaries_replace_the_built_in_ones(self) -> None:
        """They are not added."""
        assert canaries_of(SETTINGS) == CANARIES
        assert canaries_of(replace(SETTINGS, canaries=None)) == built_in_canaries()


class TestRealJudge:
    """A real judge over a real socket."""

    async def test_canaries_are_graded_like_any_answer(self) -> None:
        """The same prompt, the rubric and the answer quoted in it."""

        async def script(asked: Asked) -> web.StreamResponse:
            word = "pass" if "until six" in asked.contents[1] else "fail"
            return web.json_response(completion(verdict(word)))

        async with judging(script) as bench:
            judge = bench.judge
            judge._settings = replace(judge.settings, canaries=CANARIES)
            found = await calibrate(
                judge,
                slots=asyncio.Semaphore(2),
                clock=lambda: NOW,
                spend=lambda _: None,
            )

        assert found.wrong == ()
        assert found.models == ("fake-2026-01-01",)
        assert "RUBRIC" in bench.api.asked[0].contents[1]

    async def test_an_unreachable_judge_is_no_error(self) -> None:
        """It is not judged, and says why."""

        async def script(asked: Asked) -> web.StreamResponse:
            return web.json_response({"error": {"message": "down"}}, status=503)

        async with judging(script) as bench:
            found = await calibrate(
                bench.judge,
                slots=asyncio.Semaphore(2),
                clock=lambda: NOW,
                spend=lambda _: None,
            )

        assert found.judged == 0
        assert "503" in found.not_judged[0].reason
