"""Every panel shows something, on a real Prometheus that scrapes the demo."""

import re
import time

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
import yaml

from aiohttp.test_utils import TestServer

from answerprobe.demo.__main__ import AGENT_PORT, CONFIG_FILE
from answerprobe.demo.launch import moved_config
from boards import FILES, Asked, filled, load, mapping, objects
from e2e.program import Daemon, daemon, eventually
from e2e.test_prometheus import prometheus


SECONDS = 60
CANARIES = [
    {
        "question": "How long is the warranty?",
        "answer": answer,
        "rubric": "Promises a warranty of 2 years.",
        "verdict": verdict,
    }
    for answer, verdict in (("A warranty of 2 years.", "pass"), ("No idea.", "fail"))
]
# What the variables are set to that do not depend on what is there.
ANY = {"window": "1h", "judge": ".*", "instance": ".*"}


def config(demo: Path) -> dict[str, object]:
    """Return the config in *demo*, with canaries, budgets and thresholds."""
    document = dict(mapping(yaml.safe_load(demo.read_text(encoding="utf-8"))))
    judge = mapping(mapping(document["judges"])["default"])
    tested = {**judge, "calibrate": "1h", "canaries": CANARIES}
    monitors = objects(document["monitors"])
    return {
        **document,
        "judges": {"default": tested},
        "token_budget": "10M",
        "monitors": [
            {**monitor, "token_budget": "1M", "cases": barred(monitor["cases"])}
            for monitor in monitors
        ],
    }


def barred(cases: object) -> list[Mapping[str, object]]:
    """Return *cases*, the first of them with a threshold."""
    first, *others = objects(cases)
    return [{**first, "threshold": {"above": 0.2}}, *others]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prometheus:
    """A Prometheus that has seen everything of ours since it was started."""

    url: str
    began: float

    async def history(self, expr: str) -> list[Mapping[str, object]]:
        """Return all series that *expr* ever had."""
        now = time.time()
        step = max(1, int((now - self.began) / 60))
        form = {"query": expr, "start": self.began, "end": now, "step": step}
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{self.url}/api/v1/query_range", data=form) as response,
        ):
            answer = mapping(await response.json())
        assert answer.get("status") == "success", f"{expr}: {answer}"
        return objects(mapping(answer["data"])["result"])

    async def has(self, expr: str) -> None:
        """Wait until *expr* has series."""

        async def look() -> bool | None:
            try:
                return bool(await self.history(expr)) or None
            except aiohttp.ClientError:
                return None

        await eventually(look, SECONDS)

    async def labels(self, expr: str, name: str) -> list[str]:
        """Return the values of the label *name* that the series of *expr* ever had."""
        found = {str(mapping(s["metric"])[name]) for s in await self.history(expr)}
        return sorted(found)


@pytest.fixture
async def watching(shop: TestServer, tmp_path: Path) -> AsyncIterator[Daemon]:
    """Run the demo."""
    assert shop.port is not None
    demo = moved_config(CONFIG_FILE, tmp_path, AGENT_PORT, shop.port)
    async with daemon(tmp_path, config(demo)) as running:
        yield running


@pytest.fixture
async def seen(
    watching: Daemon, shop: TestServer, tmp_path: Path
) -> AsyncIterator[Prometheus]:
    """Let the demo live through all that dashboards tell of, before a Prometheus."""
    began = time.time()
    async with prometheus(tmp_path, watching) as url:
        seen = Prometheus(url=url, began=began)
        await seen.has("answerprobe_judge_canary_samples > 0")
        await announce(watching, "1.1")
        await seen.has("answerprobe_conversations_total > 0")
        await misbehave(shop, "wrong")
        await seen.has("answerprobe_case_answer_info")
        await misbehave(shop, "down")
        await seen.has("answerprobe_sample_errors_total > 0")
        yield seen


async def misbehave(shop: TestServer, mode: str) -> None:
    """Tell the agent how to behave."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(shop.make_url("/misbehave"), json={"mode": mode}) as response,
    ):
        assert response.status == 200


async def announce(running: Daemon, version: str) -> None:
    """Announce a deploy of every agent."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{running.url}/v1/deploys", json={"version": version}) as done,
    ):
        assert done.status == 202


async def choices(seen: Prometheus) -> list[dict[str, str]]:
    """Return what people can choose, one monitor at a time."""
    return [
        {**ANY, "job": "answerprobe", "monitor": monitor}
        for monitor in await seen.labels("answerprobe_up", "monitor")
    ]


@dataclass(slots=True, kw_only=True)
class Shown:
    """What is *asked* and has shown nothing yet, whichever *values* are chosen."""

    asked: list[Asked]
    values: Sequence[Mapping[str, str]]
    seen: Prometheus

    async def all_there(self) -> bool | None:
        """Return whether everything has shown something; None is not yet."""
        self.asked = [each for each in self.asked if not await self._is_there(each)]
        return None if self.asked else True

    async def _is_there(self, asked: Asked) -> bool:
        for values in self.values:
            if await self.seen.history(filled(asked.expr, values)):
                return True
        return False


class TestDashboards:
    """The shipped dashboards."""

    async def test_every_query_of_every_panel_shows_something(
        self, seen: Prometheus
    ) -> None:
        """Also those of annotations; and none is refused."""
        values = await choices(seen)
        for board in map(load, FILES):
            shown = Shown(asked=list(board.queries()), values=values, seen=seen)
            try:
                await eventually(shown.all_there, SECONDS)
            except TimeoutError:
                left = "\n".join(f"{each.where}: {each.expr}" for each in shown.asked)
                pytest.fail(f"{board.text('title')}: these show nothing:\n{left}")

    async def test_every_variable_offers_something(self, seen: Prometheus) -> None:
        """And links to evidence begin where Prometheus reaches the daemon."""
        (values, *_) = await choices(seen)
        for board in map(load, FILES):
            for variable in board.variables():
                if variable["type"] == "query":
                    assert await offered(variable, values, seen), variable["name"]


async def offered(
    variable: Mapping[str, object], values: Mapping[str, str], seen: Prometheus
) -> list[str]:
    """Return what *variable* offers, as Grafana finds it."""
    query = filled(str(variable["query"]), values)
    if found := re.fullmatch(r"label_values\((.+), (\w+)\)", query):
        return await seen.labels(found[1], found[2])
    (expr,) = re.findall(r"^query_result\((.+)\)$", query)
    pattern = str(variable["regex"]).strip("/")
    # Grafana writes a result as Prometheus writes a series, then looks with the regex.
    lines = [
        "{" + ",".join(f'{k}="{v}"' for k, v in mapping(s["metric"]).items()) + "} 1"
        for s in await seen.history(expr)
    ]
    texts = [found[1] for line in lines if (found := re.search(pattern, line))]
    assert all(re.fullmatch(r"http://127\.0\.0\.1:\d+", text) for text in texts)
    return texts
