"""A fault of ours is contained, counted, logged once, and never the agent's failure."""

import asyncio
import sqlite3

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from structlog.testing import capture_logs

from answerprobe.case import Case, Criterion, Quorum
from answerprobe.evidence import FinishedRun
from answerprobe.run import RunRequest, RunState, Trigger
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict
from builders import monitor
from cli.program import Agent
from daemon.watching import Watching, watching
from scheduler.conducting import Stage
from scripted import MemoryJournal, until


_INTERNAL = "answerprobe_internal_errors_total"
_BY_HAND = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
Log = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buggy:
    """A rule with a bug."""

    @property
    def criterion(self) -> str:
        """What it is called in a configuration."""
        return "buggy"

    def check(self, sample: Sample) -> Verdict:
        """Divide by the nothing that is left of *sample*."""
        del sample
        raise ZeroDivisionError


@dataclass
class ForgetfulJournal(MemoryJournal):
    """A journal with a bug: it cannot write the end of the first runs."""

    bugs: int = 1

    async def finish(self, finished: FinishedRun) -> bool:
        """Keep a run that ended, but not every one."""
        if finished.run.state is RunState.COMPLETED and self.bugs:
            self.bugs -= 1
            raise KeyError(finished.run.id)
        return await super().finish(finished)


def _tracebacks(log: Log) -> list[object]:
    """Return the names of the events of *log* that have a traceback."""
    return [event["event"] for event in log if event.get("exc_info")]


def _buggy_case() -> Case:
    """Return a case whose rule has a bug."""
    return Case(
        id="refund",
        ask="What about refund?",
        criteria=(Criterion(label="buggy", check=Buggy()),),
        within_seconds=20,
        bar=Quorum(samples=2, pass_at_least=1),
        fingerprint="f1",
    )


class TestRule:
    """A rule raises what no rule should."""

    async def test_the_run_counts_for_nobody(self) -> None:
        """Interrupted, not failed; one event, though every sample met the bug."""
        stage = Stage()
        with capture_logs() as log:
            await stage.watch(monitor(cases=[_buggy_case()]))
            await stage.scheduler.start_run(_BY_HAND)
            await until(lambda: stage.board.counted)

        assert stage.board.counted == [("shop", Trigger.MANUAL, RunState.INTERRUPTED)]
        assert stage.board.internal_errors == 1
        assert _tracebacks(log) == ["run.failed"]
        assert stage.board.shown["shop"].runs_down == 0
        assert not stage.board.finished


class TestStoreCall:
    """Writing a run fails by a bug, not by an outage."""

    async def test_the_next_run_is_written(self) -> None:
        """The schedule goes on; the one that was not is no failure."""
        stage = Stage(live=True)
        journal = ForgetfulJournal()
        stage.scheduler._runs._executor._journal = journal
        with capture_logs() as log:
            await stage.watch(monitor(every_seconds=0.02))
            await until(lambda: len(stage.board.finished) >= 3)
            await stage.scheduler.drain(5)

        assert stage.board.internal_errors == 1
        assert _tracebacks(log) == ["run.failed"]
        assert stage.board.shown["shop"].runs_down == 0
        states = [finished.run.state for finished in journal.finished]
        assert states[0] is RunState.INTERRUPTED
        assert set(states[1:]) == {RunState.COMPLETED}

    async def test_a_table_that_is_gone_ends_nothing(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A real store with a real hole: told, and over when it is mended."""
        async with watching(agent.config(tmp_path)) as world:
            await world.run("shop")
            _alter(tmp_path, "ALTER TABLE samples RENAME TO mislaid")
            await world.post("/v1/monitors/shop/runs")
            await _until_counted(world)
            _alter(tmp_path, "ALTER TABLE mislaid RENAME TO samples")
            await world.run("shop")

            assert await world.metric("answerprobe_up") == 1
            assert await world.metric("answerprobe_consecutive_runs_down") == 0
            assert await world.status("/-/healthy") == 200


def _alter(folder: Path, statement: str) -> None:
    """Carry out *statement* in the daemon's store, behind its back."""
    store = sqlite3.connect(folder / "kept.db", timeout=10.0)
    store.execute(statement)
    store.close()


async def _until_counted(world: Watching) -> None:
    """Wait until an internal error is counted."""
    async with asyncio.timeout(20):
        while not await world.metric(_INTERNAL):  # noqa: ASYNC110  no event of ours
            await asyncio.sleep(0.02)


async def _fail() -> None:
    """Do what a task of the daemon must not do."""
    raise ZeroDivisionError


class TestTask:
    """A task that must go on for ever ends."""

    @pytest.mark.parametrize(
        "harm",
        [
            pytest.param(
                lambda world: world.daemon._chores._tasks[0].cancel(), id="upkeep"
            ),
            pytest.param(
                lambda world: world.daemon._parts.scheduler._disarm(
                    world.daemon._parts.scheduler.watches["shop"]
                ),
                id="a monitor's timer",
            ),
        ],
    )
    async def test_the_daemon_is_unhealthy(
        self, agent: Agent, tmp_path: Path, harm: Callable[[Watching], object]
    ) -> None:
        """So that who watches it starts it anew; it goes on exporting meanwhile."""
        config = agent.config(tmp_path, agent.monitor(every="1h"))
        async with watching(config) as world:
            assert await world.status("/-/healthy") == 200

            harm(world)
            await asyncio.sleep(0)

            assert await world.status("/-/healthy") == 503
            assert await world.status("/metrics") == 200

    async def test_its_end_is_counted_and_logged_once(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """With its traceback."""
        async with watching(agent.config(tmp_path)) as world:
            task = asyncio.create_task(_fail())
            with capture_logs() as log:
                task.add_done_callback(world.daemon._chores._report)
                await asyncio.wait([task])

            assert _tracebacks(log) == ["task.failed"]
            assert await world.metric(_INTERNAL) == 1

    async def test_a_callback_of_the_loop_is_counted(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """Nobody waits for a timer's exception: the loop's handler has it."""
        async with watching(agent.config(tmp_path)) as world:
            asyncio.get_running_loop().call_soon(lambda: 1 // 0)
            await _until_counted(world)

            assert await world.metric(_INTERNAL) == 1


class TestPage:
    """A request meets a bug: see tests/web/test_errors.py for the answer."""

    async def test_metrics_and_other_requests_go_on(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        """A store without its runs is a 503 or 500 there, and nowhere else."""
        async with watching(agent.config(tmp_path)) as world:
            await world.run("shop")
            _alter(tmp_path, "ALTER TABLE runs RENAME TO mislaid")
            status = await world.status("/v1/runs")
            _alter(tmp_path, "ALTER TABLE mislaid RENAME TO runs")

            assert status in {500, 503}
            assert await world.status("/metrics") == 200
            assert await world.status("/v1/runs") == 200
            assert await world.metric("answerprobe_up") == 1
