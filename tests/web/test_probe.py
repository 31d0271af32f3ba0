"""/probe over a real socket."""

import asyncio

from dataclasses import replace

import pytest

from aiohttp import web

from answerprobe.evidence import RunPage, RunQuery, summary
from answerprobe.run import Run, RunRequest, RunState, Trigger
from answerprobe.verdict import Outcome
from builders import case, monitor, run, sample_result
from scripted import until
from web.serving import FakeEvidence, FakeFleet, World, said, serving, view


TWO = {"shop": view(monitor=monitor(cases=[case(), case("greeting")]))}


def kept(*runs: Run) -> World:
    """Return a world that keeps *runs*, the newest first."""
    page = RunPage(runs=tuple(map(summary, runs)), next=None)
    evidence = FakeEvidence(kept={run.id: run for run in runs}, page=page)
    return World(fleet=FakeFleet(views=TWO), evidence=evidence)


PASSED = run([sample_result(Outcome.PASS)], run_id=4)
FAILED = run([sample_result(Outcome.FAIL)], run_id=3)


class TestGet:
    async def test_it_shows_the_last_run(self) -> None:
        """In the text format, whatever is accepted."""
        async with serving(kept(PASSED, FAILED)) as client:
            response = await client.get(
                "/probe?monitor=shop", headers={"Accept": "image/png"}
            )
            text = await response.text()

        assert response.status == 200
        kind = "text/plain; version=0.0.4; charset=utf-8"
        assert response.headers["Content-Type"] == kind
        assert 'answerprobe_last_run_id{monitor="shop"} 4\n' in text

    @pytest.mark.parametrize(
        "newer",
        [
            pytest.param(replace(PASSED, state=RunState.RUNNING), id="running"),
            pytest.param(replace(PASSED, state=RunState.INTERRUPTED), id="interrupted"),
            pytest.param(
                replace(
                    PASSED,
                    request=RunRequest(monitor="shop", trigger=Trigger.EXPERIMENT),
                ),
                id="experiment",
            ),
        ],
    )
    async def test_what_says_nothing_of_it_is_passed_over(self, newer: Run) -> None:
        """Only a run that ended, with the monitor as it is configured."""
        async with serving(kept(newer, FAILED)) as client:
            text = await (await client.get("/probe?monitor=shop")).text()

        assert 'answerprobe_last_run_id{monitor="shop"} 3\n' in text

    async def test_a_case_is_looked_for_in_a_run_that_asked_it(self) -> None:
        """A newer run of other cases does not hide it."""
        some = RunRequest(
            monitor="shop", trigger=Trigger.MANUAL, case_ids=("greeting",)
        )
        async with serving(kept(replace(PASSED, request=some), FAILED)) as client:
            text = await (await client.get("/probe?monitor=shop&case=refund")).text()

        assert 'answerprobe_last_run_id{monitor="shop"} 3\n' in text

    async def test_it_looks_on_further_pages(self) -> None:
        """Where the newest ones are all of another kind."""
        world = kept(replace(PASSED, state=RunState.QUEUED))
        world.evidence.page = replace(world.evidence.page, next=4)
        async with serving(world) as client:
            response = await client.get("/probe?monitor=shop")

        assert response.status == 200
        first, second, *_ = world.evidence.queries
        assert (first, second.before) == (RunQuery(monitor="shop", limit=100), 4)

    async def test_debug_shows_log_metrics_and_configuration(self) -> None:
        """As blackbox_exporter does."""
        async with serving(kept(PASSED)) as client:
            response = await client.get("/probe?monitor=shop&debug=true")
            text = await response.text()

        assert 'msg="Sample ended" case=refund sample=1 outcome=pass' in text
        assert "answerprobe_last_run_id" in text
        assert "\nname: shop\n" in text
        assert response.headers["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize("debug", ["", "&debug=true"], ids=["metrics", "debug"])
    async def test_one_that_never_ran_is_no_error(self, debug: str) -> None:
        """And it asks nobody anything."""
        world = kept()
        async with serving(world) as client:
            response = await client.get(f"/probe?monitor=shop{debug}")

            assert response.status == 200
            assert "last_run_id" not in await response.text()
        assert world.fleet.untouched

    @pytest.mark.parametrize(
        ("query", "status", "words"),
        [
            pytest.param("", 400, "monitor is missing", id="nothing"),
            pytest.param("?monitor=no", 404, "'no'", id="unknown-monitor"),
            pytest.param("?monitor=shop&case=no", 404, "'no'", id="unknown-case"),
            pytest.param("?monitor=shop&debug=maybe", 400, "debug", id="debug"),
            pytest.param("?monitor=shop&monitor=b", 400, "monitor", id="twice"),
            pytest.param("?monitor=shop&module=x", 400, "module", id="unknown-key"),
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST"])
    async def test_bad_queries_are_refused_with_the_reason(
        self, method: str, query: str, status: int, words: str
    ) -> None:
        """And nothing runs."""
        world = kept(PASSED)
        async with serving(world) as client:
            response = await client.request(method, f"/probe{query}")

            assert response.status == status
            assert words in await said(response)
        assert world.fleet.untouched


class TestPost:
    async def test_it_runs_the_case_first_and_shows_that_run(self) -> None:
        """As a dry run, which moves nothing."""
        world = kept()
        dry = replace(PASSED, id=1)
        world.evidence.kept = {1: dry}
        async with serving(world) as client:
            response = await client.post("/probe?monitor=shop&case=refund")
            text = await response.text()

        assert world.fleet.ordered == [
            RunRequest(monitor="shop", trigger=Trigger.DRY_RUN, case_ids=("refund",))
        ]
        assert 'answerprobe_last_run_id{monitor="shop"} 1\n' in text

    async def test_one_that_is_interrupted_is_an_error(self) -> None:
        """It says how far it came."""
        world = kept()
        cut = replace(PASSED, id=1, state=RunState.INTERRUPTED, done=1, total=3)
        world.evidence.kept = {1: cut}
        async with serving(world) as client:
            response = await client.post("/probe?monitor=shop")

            assert response.status == 409
            assert "1 of 3 samples" in await said(response)

    async def test_it_waits_no_longer_than_its_caller(self) -> None:
        """The run goes on; a handler would too, and look for its end for ever."""
        world = kept()
        world.fleet.progress = {1: 0}
        runner = web.AppRunner(world.app(), shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        _, port = runner.addresses[0]
        before = asyncio.all_tasks()
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        asked = f"POST /probe?monitor=shop HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
        writer.write(asked.encode())
        await until(lambda: bool(world.fleet.ordered))
        during = asyncio.all_tasks() - before
        writer.close()
        await writer.wait_closed()
        await until(lambda: all(task.done() for task in during))
        await runner.cleanup()

        assert during, "somebody waited"

    async def test_another_site_may_not(self) -> None:
        """It spends tokens like any other run that is asked for."""
        world = kept()
        async with serving(world) as client:
            response = await client.post(
                "/probe?monitor=shop", headers={"Origin": "https://evil.example"}
            )

            assert response.status == 403
        assert world.fleet.untouched
