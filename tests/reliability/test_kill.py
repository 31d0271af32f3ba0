"""kill -9 at any moment, many times over, and the books after each."""

import asyncio
import json
import random

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aiohttp import web
from aiohttp.test_utils import TestServer

from answerprobe.run import RunState
from reliability.mortal import Books, Mortal, mortal


_KILLS = 25
_NAMES = ("a", "b", "c")
_SAMPLES = 4
_TOKENS = 15
_WINDOW_OF_A_CASE = 20


@dataclass
class WrongAgent:
    """Always answers wrongly, sooner or later: each finished run is below target."""

    rng: random.Random
    asked: Counter[str] = field(default_factory=Counter)
    asked_in_all: int = 0
    url: str = ""

    async def chat(self, request: web.Request) -> web.Response:
        """Answer."""
        self.asked_in_all += 1
        self.asked[(await request.json())["message"][0]] += 1
        await asyncio.sleep(self.rng.random() * 0.08)
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        return web.json_response({"answer": "Sixty.", "usage": usage})

    def config(self, folder: Path) -> Path:
        """Write the configuration of a few monitors that are always at work."""
        path = folder / "answerprobe.yml"
        path.write_text(json.dumps({"monitors": [self._monitor(n) for n in _NAMES]}))
        return path

    def _monitor(self, name: str) -> dict[str, object]:
        """Return the monitor *name*."""
        return {
            "name": name,
            "type": "agent",
            "endpoint": f"{self.url}/chat",
            "every": "1s",
            "within": "1s",
            "confirm": 0,
            "samples": 2,
            "response": {"answer": "answer", "usage": "usage"},
            "cases": [
                {
                    "id": case,
                    "ask": f"{name}: {case}?",
                    "expect": [{"contains": "30 days"}],
                }
                for case in ("x", "y")
            ],
        }


@pytest.fixture
async def agent() -> AsyncIterator[WrongAgent]:
    """Serve an agent whose delays come from a seed."""
    made = WrongAgent(rng=random.Random(9))  # noqa: S311  it is no secret
    app = web.Application()
    app.router.add_post("/chat", made.chat)
    async with TestServer(app, host="127.0.0.1") as server:
        made.url = str(server.make_url("")).rstrip("/")
        yield made


def _check(books: Books, known: dict[int, object]) -> None:
    """Check what must hold in every store that a killed daemon left."""
    for run_id, summary in known.items():
        assert books.runs.get(run_id) == summary, f"finished run {run_id} changed"
    for run in books.completed.values():
        assert run.done == run.total == _SAMPLES, f"half a run is finished: {run}"
        assert sum(run.outcomes.values()) == _SAMPLES
    for name in books.below_target:
        finished = books.completed_of(name)
        assert books.below_target[name] == finished, f"{name} counts each run once"
        window = min(2 * _WINDOW_OF_A_CASE, _SAMPLES * finished)
        assert books.window[name] == window


async def _live(daemon: Mortal, rng: random.Random) -> int | None:
    """Live for a random while, sometimes too short to be ready; then be killed."""
    await daemon.begin()
    promised = None
    if rng.random() < 0.15:
        await asyncio.sleep(rng.random())
    else:
        await daemon.until_ready()
        await asyncio.sleep(rng.random() * 0.8)
        promised = await daemon.promise(rng.choice(_NAMES))
        await asyncio.sleep(rng.random() * 0.2)
    await daemon.kill()
    return promised


async def _live_on(daemon: Mortal, agent: WrongAgent) -> None:
    """Live until every monitor ran twice more, and end in peace."""
    await daemon.begin()
    await daemon.until_ready()
    agent.asked.clear()
    async with asyncio.timeout(60):
        while any(  # noqa: ASYNC110  the condition is no event of ours
            agent.asked[name] < 2 * _SAMPLES for name in _NAMES
        ):
            await asyncio.sleep(0.05)
    assert await daemon.end() == 0


class TestKilled:
    """A daemon that dies at random moments, and the ones that come after it."""

    @pytest.mark.timeout(900)
    async def test_the_books_are_right_after_every_life(
        self, agent: WrongAgent, tmp_path: Path
    ) -> None:
        """No finished run lost or counted twice, no half one counted, none promised
        in vain; what was interrupted is done again.
        """
        rng = random.Random(2026)  # noqa: S311  it is no secret
        month = datetime.now(UTC).strftime("%Y-%m")
        known: dict[int, object] = {}
        promises = set()
        async with mortal(agent.config(tmp_path)) as daemon:
            for _ in range(_KILLS):
                promises.add(await _live(daemon, rng))
                books = await daemon.books(month)
                _check(books, known)
                known |= books.completed
            books = await daemon.books(month)
            before = {name: books.completed_of(name) for name in _NAMES}
            await _live_on(daemon, agent)
            books = await daemon.books(month)

        _check(books, known)
        assert promises - {None} <= books.runs.keys()
        states = {run.state for run in books.runs.values()}
        assert RunState.RUNNING not in states
        assert RunState.INTERRUPTED in states, "no kill hit a run: the test is too tame"
        for name in _NAMES:
            assert books.completed_of(name) > before[name], f"{name} runs no more"
        _check_spending(agent, books)
        assert "Traceback" not in daemon.log_file.read_text("utf-8")


def _check_spending(agent: WrongAgent, books: Books) -> None:
    """Check runs and ledger against what the agent was really asked."""
    asked = agent.asked_in_all
    finished = len(books.completed)
    interrupted = len(books.runs) - finished
    assert asked >= _SAMPLES * finished, "a run was invented"
    assert asked <= _SAMPLES * (finished + interrupted), "a finished run was repeated"
    assert _TOKENS * _SAMPLES * finished <= books.tokens <= _TOKENS * asked
