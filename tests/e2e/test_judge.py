"""A judge as the real program sees it: how good it is, and whether it is sure."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestServer

from e2e.program import daemon
from judge.api import completion, verdict


CANARIES = [
    {"question": "Open?", "answer": answer, "rubric": "Says so.", "verdict": known}
    for answer, known in (
        *(("CANARY yes, until six.", "pass"), ("CANARY until noon.", "pass")),
        *(("CANARY no idea.", "fail"), ("CANARY we sell shoes.", "fail")),
    )
]
RATIO = "answerprobe_judge_canary_agreement_ratio"
SAMPLES = "answerprobe_judge_canary_samples"
DISAGREEMENTS = "answerprobe_judge_disagreements_total"
_SECONDS = 20.0


@dataclass(kw_only=True)
class World:
    """An agent, and a judge that is sure of canaries that say until when."""

    url: str = ""
    canaries: int = 0
    unsure: Iterator[str] = field(default_factory=lambda: cycle(["pass", "fail"]))

    async def chat(self, _request: web.Request) -> web.Response:
        """Answer as the agent."""
        return web.json_response({"answer": "Within 30 days."})

    async def judge(self, request: web.Request) -> web.Response:
        """Judge canaries by a word, and anything else by the toss of a coin."""
        text = (await request.json())["messages"][1]["content"]
        if "CANARY" in text:
            self.canaries += 1
            said = "pass" if "until" in text else "fail"
        else:
            said = next(self.unsure)
        return web.json_response(completion(verdict(said)))

    def config(self, votes: int) -> dict[str, object]:
        """Return a configuration with one judged case."""
        judge = {
            "base_url": f"{self.url}/v1",
            "model": "fake",
            "votes": votes,
            "canaries": CANARIES,
        }
        case = {
            "id": "refund",
            "ask": "What is the refund window?",
            "expect": [{"judge": "Names the refund window."}],
        }
        monitor = {
            "name": "shop",
            "type": "agent",
            "endpoint": f"{self.url}/chat",
            "every": "manual",
            "cases": [case],
        }
        return {"judges": {"default": judge}, "monitors": [monitor]}


@asynccontextmanager
async def serving() -> AsyncIterator[World]:
    """Serve agent and judge on 127.0.0.1."""
    world = World()
    app = web.Application()
    app.router.add_post("/chat", world.chat)
    app.router.add_post("/v1/chat/completions", world.judge)
    async with TestServer(app, host="127.0.0.1") as server:
        world.url = str(server.make_url("")).rstrip("/")
        yield world


async def test_votes_that_differ_are_counted(tmp_path: Path) -> None:
    """Each of the three samples had two votes of one kind and one of the other."""
    async with serving() as world, daemon(tmp_path, world.config(3)) as running:
        before = (await running.metrics()).total(DISAGREEMENTS, judge="default")
        await running.run("shop")
        metrics = await running.until(
            *("answerprobe_runs_total", 1), seconds=_SECONDS, state="completed"
        )

    assert before == 0
    assert metrics.total(DISAGREEMENTS, judge="default") == 3


async def test_a_calibration_outlives_the_process(
    tmp_path: Path,
) -> None:
    """It is kept in the store; the canaries are no samples and no monitor's tokens."""
    async with serving() as world:
        config = world.config(1)
        async with daemon(tmp_path, config) as running:
            metrics = await running.until(SAMPLES, 4, seconds=_SECONDS, judge="default")
        asked = world.canaries
        async with daemon(tmp_path, config) as running:
            restored = await running.metrics()
            await running.run("shop")
            await running.until(
                *("answerprobe_runs_total", 1), seconds=_SECONDS, state="completed"
            )

        assert (asked, world.canaries) == (4, 4)
    for found in (metrics, restored):
        assert found.total(RATIO, verdict="pass") == 1
        assert found.total(RATIO, verdict="fail") == 1
        assert found.total("answerprobe_samples_total") == 0
        assert found.total("answerprobe_tokens_total") == 0
