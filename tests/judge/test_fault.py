"""Whose change it was that a case regressed."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from answerprobe.judge import Blame, at_fault
from answerprobe.run import SampleResult
from answerprobe.sample import TokenUsage
from answerprobe.status import Cause
from answerprobe.verdict import Outcome
from judge.api import sends, verdict
from judge.conversing import RUBRIC, judging, sample


PASS, FAIL, PROSE = verdict("pass"), verdict("fail"), "Hm."
RUBRICS = [("judge", RUBRIC), ("judge#2", replace(RUBRIC, text="Is polite."))]
LAST_GOOD = SampleResult(
    case_id="closed",
    fingerprint="f",
    outcome=Outcome.PASS,
    started_at=datetime(2026, 3, 4, tzinfo=UTC),
    duration_seconds=1.0,
    trace_id="t",
    answer="On Monday.",
    turns=sample("On Monday.").turns,
)


class TestAtFault:
    @pytest.mark.parametrize(
        ("replies", "rubrics", "cause"),
        [
            pytest.param([FAIL, FAIL], 1, Cause.JUDGE, id="fails today"),
            pytest.param([FAIL, PASS, FAIL], 1, Cause.JUDGE, id="mostly fails"),
            pytest.param([PASS, PASS], 1, Cause.AGENT, id="passes still"),
            pytest.param([PASS, FAIL, PASS], 1, Cause.AGENT, id="mostly passes"),
            pytest.param([PROSE], 1, Cause.AGENT, id="judge unusable"),
            pytest.param([FAIL, PROSE, PASS], 1, Cause.AGENT, id="no majority"),
            pytest.param([503], 1, Cause.AGENT, id="judge down"),
            pytest.param([FAIL] * 4, 2, Cause.JUDGE, id="fails by both"),
            pytest.param([FAIL, FAIL, PASS], 2, Cause.AGENT, id="passes by one"),
        ],
    )
    async def test_the_last_good_answer_tells(
        self, replies: list[object], rubrics: int, cause: Cause
    ) -> None:
        """A judge that fails now what passed then has changed."""
        async with judging(sends(*replies)) as bench:
            blame = await at_fault(bench.judge, RUBRICS[:rubrics], LAST_GOOD)

        assert blame.cause is cause

    async def test_the_stored_question_and_answer_are_judged(self) -> None:
        """Not those of today."""
        async with judging(sends(FAIL)) as bench:
            await at_fault(bench.judge, RUBRICS[:1], LAST_GOOD)

        message = bench.api.asked[0].contents[1]
        assert '{"answer": "On Monday."}' in message
        assert "When is the shop closed?" in message

    async def test_it_costs_what_the_votes_cost(self) -> None:
        """Tokens of the judge, like any other."""
        async with judging(sends(FAIL)) as bench:
            blame = await at_fault(bench.judge, RUBRICS[:1], LAST_GOOD)

        assert blame.usage == TokenUsage(input_tokens=180, output_tokens=18)

    @pytest.mark.parametrize(
        "kept",
        [
            pytest.param(replace(LAST_GOOD, whole=False), id="cut or redacted"),
            pytest.param(replace(LAST_GOOD, answer=None), id="not kept"),
        ],
    )
    async def test_a_text_that_is_not_whole_proves_nothing(
        self, kept: SampleResult
    ) -> None:
        """It is the agent's then, and nobody is asked."""
        async with judging(sends(FAIL)) as bench:
            blame = await at_fault(bench.judge, RUBRICS, kept)

        assert blame == Blame(cause=Cause.AGENT)
        assert bench.api.asked == []
