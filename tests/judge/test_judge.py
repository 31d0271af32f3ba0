"""One judge: its verdicts, and what becomes of everything else."""

import pytest

from aiohttp import web

from answerprobe.judge import PROMPT_VERSION, Judgement, JudgeOutcome
from answerprobe.run import GradedBy
from answerprobe.sample import TokenUsage
from answerprobe.verdict import Outcome, Verdict
from judge.api import Asked, completion, finished, sends, verdict
from judge.conversing import RUBRIC, Bench, judging, sample


GRADED_BY = GradedBy(model="fake-2026-01-01", prompt_version=PROMPT_VERSION)


async def grade(bench: Bench, answer: str = "On Monday.") -> Judgement:
    """Have *answer* graded."""
    return await bench.judge.grade(RUBRIC, "judge#2", sample(answer))


class TestVerdict:
    @pytest.mark.parametrize("word", ["pass", "fail"])
    async def test_it_is_the_judges_with_its_reason(self, word: str) -> None:
        """It carries the criterion's label, and who gave it."""
        async with judging(sends(verdict(word))) as bench:
            judged = await grade(bench)

        assert judged == Judgement(
            verdict=Verdict(
                criterion="judge#2",
                outcome=Outcome(word),
                reason="It names the day.",
                unquoted=f"the judge says {word}",
            ),
            graded_by=GRADED_BY,
            usage=TokenUsage(input_tokens=90, output_tokens=9),
        )

    async def test_the_observer_learns_of_it(self) -> None:
        """How the request ended, and which model with which prompt it was."""
        async with judging(sends(verdict("fail"))) as bench:
            await grade(bench)

        assert bench.notes.outcomes == [JudgeOutcome.FAIL]
        assert bench.notes.models == [GRADED_BY]

    async def test_the_request_asks_for_structured_output(self) -> None:
        """At temperature 0, with the configured limit."""
        async with judging(sends(verdict("pass"))) as bench:
            await grade(bench)

        body = bench.api.asked[0].body
        assert (body["temperature"], body["max_tokens"]) == (0.0, 1024)
        assert body["response_format"] == {
            "type": "json_schema",
            "json_schema": {
                "name": "verdict",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "reason": {"type": "string"},
                        "verdict": {"type": "string", "enum": ["pass", "fail"]},
                    },
                    "required": ["reason", "verdict"],
                    "additionalProperties": False,
                },
            },
        }

    async def test_each_request_has_a_fresh_boundary(self) -> None:
        """Also for the same answer, and on another attempt."""
        script = sends("prose", verdict("pass"))
        async with judging(script, attempts=2) as bench:
            await grade(bench)
            await grade(bench)

        assert len({asked.contents[1] for asked in bench.api.asked}) == 3
        assert len({asked.contents[0] for asked in bench.api.asked}) == 1

    async def test_the_reason_is_scrubbed(self) -> None:
        """A judge may repeat a secret that the answer echoed in another form."""

        def scrub(text: str) -> str:
            return text.replace("sk-planted-key", "<secret>")

        script = sends(verdict("fail", "x" * 290 + " sk-planted-key"))
        async with judging(script, scrub=scrub) as bench:
            judged = await grade(bench)

        assert "sk-" not in judged.verdict.reason
        assert judged.verdict.reason.endswith(" <secret>")

    async def test_a_refused_response_format_uses_no_attempt(self) -> None:
        """The judge is asked for JSON in text instead."""

        async def script(asked: Asked) -> web.StreamResponse:
            if "response_format" in asked.body:
                error = {"error": {"message": "no response_format here"}}
                return web.json_response(error, status=400)
            return web.json_response(completion(f"Sure!\n{verdict('pass')}"))

        async with judging(script, attempts=1) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.PASS
        assert bench.notes.outcomes == [JudgeOutcome.PASS]


UNUSABLE = [
    pytest.param("I like it.", "invalid", "no JSON object", id="prose"),
    pytest.param(b"<p>", "invalid", "is no JSON object", id="page"),
    pytest.param(b"x" * 1_100_000, "invalid", "longer than 1024 KiB", id="huge"),
    pytest.param({"error": {"message": "no"}}, "invalid", "an error", id="error"),
    pytest.param(finished(verdict("pass"), "length"), "truncated", "was cut", id="cut"),
    pytest.param(
        completion(None, refusal="No."), "refused", "refused to judge", id="refusal"
    ),
    pytest.param(
        finished("", "content_filter"), "refused", "refused to judge", id="filter"
    ),
    pytest.param(503, "unreachable", "HTTP 503: scripted", id="503"),
    pytest.param(429, "unreachable", "HTTP 429: scripted", id="429"),
    pytest.param(401, "unreachable", "HTTP 401: scripted", id="401"),
    pytest.param(None, "unreachable", "no reply within 0.5 s", id="hangs"),
]


class TestUnusable:
    @pytest.mark.parametrize(("reply", "outcome", "reason"), UNUSABLE)
    async def test_it_is_not_judged_with_its_reason(
        self, reply: object, outcome: str, reason: str
    ) -> None:
        """Never a pass, never a fail, never an exception; it is counted by its kind."""
        async with judging(sends(reply), timeout_seconds=0.5) as bench:
            judged = await grade(bench)

        assert judged.verdict.outcome is Outcome.NOT_JUDGED
        assert judged.verdict.reason.startswith("judge default: ")
        assert reason in judged.verdict.reason
        assert judged.verdict.unquoted == f"judge default: {outcome}"
        assert judged.graded_by is None
        assert bench.notes.outcomes == [JudgeOutcome(outcome)]
        assert bench.notes.models == []

    async def test_what_it_cost_is_counted(self) -> None:
        """A reply that was cut has been paid for."""
        async with judging(sends(finished("{", "length"))) as bench:
            judged = await grade(bench)

        assert judged.usage == TokenUsage(input_tokens=90, output_tokens=9)
