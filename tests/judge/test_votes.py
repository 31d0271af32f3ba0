"""Several votes on one answer."""

import pytest

from answerprobe.sample import TokenUsage
from answerprobe.verdict import Outcome
from judge.api import sends, verdict
from judge.conversing import RUBRIC, judging, sample


PASS, FAIL, PROSE = verdict("pass", "It does."), verdict("fail", "No day."), "Hm."


class TestVotes:
    @pytest.mark.parametrize(
        ("replies", "votes", "outcome", "asked", "disagreements"),
        [
            pytest.param([PASS], 1, Outcome.PASS, 1, 0, id="one"),
            pytest.param([PASS, PASS], 3, Outcome.PASS, 2, 0, id="clear pass"),
            pytest.param([FAIL, FAIL], 3, Outcome.FAIL, 2, 0, id="clear fail"),
            pytest.param([PASS, FAIL, PASS], 3, Outcome.PASS, 3, 1, id="close pass"),
            pytest.param([FAIL, PASS, FAIL], 3, Outcome.FAIL, 3, 1, id="close fail"),
            pytest.param([PASS, PROSE, PASS], 3, Outcome.PASS, 3, 0, id="one lost"),
            pytest.param(
                [PASS, PROSE, FAIL], 3, Outcome.NOT_JUDGED, 3, 1, id="no majority"
            ),
            pytest.param([PROSE, PROSE], 3, Outcome.NOT_JUDGED, 2, 0, id="two lost"),
            pytest.param([FAIL, FAIL, FAIL], 5, Outcome.FAIL, 3, 0, id="three of five"),
            pytest.param(
                [FAIL, PASS, PASS, FAIL, PASS], 5, Outcome.PASS, 5, 1, id="all five"
            ),
        ],
    )
    async def test_the_majority_decides(
        self,
        replies: list[str],
        votes: int,
        outcome: Outcome,
        asked: int,
        disagreements: int,
    ) -> None:
        """Nobody is asked whose vote could change nothing."""
        async with judging(sends(*replies, "end"), votes=votes) as bench:
            judged = await bench.judge.grade(RUBRIC, "judge", sample("On Monday."))

        assert judged.verdict.outcome is outcome
        assert len(bench.api.asked) == asked
        assert bench.notes.disagreements == disagreements

    async def test_the_reason_is_the_majoritys(self) -> None:
        """With how many they were."""
        async with judging(sends(FAIL, PASS, FAIL), votes=3) as bench:
            judged = await bench.judge.grade(RUBRIC, "judge", sample("On Monday."))

        assert judged.verdict.reason == "No day. (2 of 3 votes)"

    async def test_without_a_majority_the_count_is_told(self) -> None:
        """And why a vote was lost."""
        async with judging(sends(PASS, PROSE, FAIL), votes=3) as bench:
            judged = await bench.judge.grade(RUBRIC, "judge", sample("On Monday."))

        assert judged.verdict.reason == (
            "no majority of 3 votes: 1 pass, 1 fail; "
            "judge default: no JSON object in the judge's reply"
        )

    async def test_the_caller_may_want_more_votes(self) -> None:
        """Also where one is configured; all are paid for."""
        async with judging(sends(PASS)) as bench:
            judged = await bench.judge.grade(
                RUBRIC, "judge", sample("On Monday."), votes=3
            )

        assert len(bench.api.asked) == 2
        assert judged.usage == TokenUsage(input_tokens=180, output_tokens=18)
