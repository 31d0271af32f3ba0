import asyncio

from datetime import timedelta

import pytest

from answerprobe.errors import RequestError
from answerprobe.evidence import StoredMonitor
from answerprobe.run import DeployRequest, RunRequest, RunState, Trigger
from answerprobe.scheduler import Queued
from answerprobe.status import Cause, Health, MonitorStatus, Pause, advance
from answerprobe.verdict import Outcome
from builders import NOW, case, monitor, run, sample_result
from scheduler.conducting import Stage
from scripted import GOOD, ScriptedJudge, no_reply, reply, until


def by_hand(name: str = "shop") -> RunRequest:
    return RunRequest(monitor=name, trigger=Trigger.MANUAL)


class TestSchedule:
    async def test_a_monitor_that_is_due_runs(self) -> None:
        """What is overdue from before a restart runs once, at once."""
        stage = Stage()
        stored = StoredMonitor(first_seen=NOW, due_at=NOW - timedelta(days=3))

        await stage.watch(monitor(every_seconds=3600), stored={"shop": stored})
        await until(lambda: stage.board.finished)

        assert stage.journal.states == [(Trigger.SCHEDULE, RunState.COMPLETED)]
        due = stage.scheduler.watches["shop"].due
        assert due is not None
        assert NOW < due <= NOW + timedelta(hours=1)

    async def test_the_next_due_time_is_written_with_the_run(self) -> None:
        """A restart right after the run does not repeat it."""
        stage = Stage()
        stored = StoredMonitor(first_seen=NOW, due_at=NOW)

        await stage.watch(monitor(every_seconds=3600), stored={"shop": stored})
        await until(lambda: stage.journal.finished)

        assert stage.journal.finished[0].due_at == stage.board.due["shop"]

    async def test_a_new_monitor_is_written_with_its_first_due_time(self) -> None:
        """So that a crash in its first run is noticed as overdue."""
        stage = Stage()

        await stage.watch(monitor(every_seconds=3600))

        due = stage.journal.monitors["shop"].due_at
        assert due is not None
        assert due <= NOW + timedelta(seconds=30)

    async def test_a_manual_monitor_waits_to_be_asked(self) -> None:
        """`every: manual` has no due time."""
        stage = Stage()

        await stage.watch(monitor())

        assert stage.board.due == {"shop": None}
        assert not stage.target("shop").asked

    async def test_a_run_never_overlaps_itself(self) -> None:
        """What is due while a run goes on is skipped, and counted."""
        stage = Stage(live=True)
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor(every_seconds=0.02))
        await until(lambda: stage.target("shop").busy)

        await until(lambda: len(stage.board.skipped) >= 2)

        assert stage.target("shop").most == 3
        gate.set()
        await stage.scheduler.drain(5)

    async def test_a_bug_ends_one_run_and_not_the_schedule(self) -> None:
        """It is counted as our own, never as the agent's failure."""
        stage = Stage(live=True)
        answers = iter([ZeroDivisionError()])

        def say(_: str) -> object:
            for error in answers:
                raise error
            return reply(GOOD)

        stage.target("shop").say = say  # type: ignore[assignment]  # it raises once
        await stage.watch(monitor(every_seconds=0.02))
        await until(lambda: stage.board.finished)

        assert stage.board.internal_errors == 1
        assert ("shop", Trigger.SCHEDULE, RunState.INTERRUPTED) in stage.board.counted
        assert stage.board.shown["shop"].runs_down == 0
        await stage.scheduler.drain(5)

    async def test_a_scheduled_run_follows_on_an_exploratory_one(self) -> None:
        """What is due meanwhile is not skipped for something that counts nothing."""
        stage = Stage(live=True)
        gate = stage.target("shop").gate = asyncio.Event()
        # Due once: a busy machine may not keep up with more.
        due = StoredMonitor(
            first_seen=stage.clock(), due_at=stage.clock() + timedelta(seconds=0.3)
        )
        await stage.watch(monitor(every_seconds=3600), stored={"shop": due})
        await stage.scheduler.start_run(
            RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        )
        await until(lambda: stage.scheduler.watches["shop"].owed)

        gate.set()
        await until(lambda: stage.board.finished)

        assert not stage.board.skipped
        await stage.scheduler.drain(5)


class TestChange:
    async def test_what_did_not_change_keeps_state_and_phase(self) -> None:
        """A reload neither resets a monitor nor moves its due time."""
        stage = Stage()
        await stage.watch(monitor(every_seconds=3600))
        watch = stage.scheduler.watches["shop"]
        before = (watch.due_at, watch.timer)

        stage.time.advance(5)
        await stage.watch(monitor(every_seconds=3600), monitor("new"))

        assert stage.scheduler.watches["shop"] is watch
        assert (watch.due_at, watch.timer) == before
        await stage.scheduler.drain(0)

    async def test_a_monitor_that_left_shows_nothing_more(self) -> None:
        """Its run is interrupted, and late answers bring nothing back."""
        stage = Stage()
        stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        await stage.watch(monitor("other"))
        await until(lambda: stage.journal.finished)

        assert stage.journal.states == [(Trigger.MANUAL, RunState.INTERRUPTED)]
        assert list(stage.board.shown) == ["other"]
        assert not stage.board.counted

    async def test_a_run_that_has_not_begun_is_interrupted_too(self) -> None:
        """Nobody may find it queued for ever."""
        stage = Stage()
        await stage.watch(monitor())
        run_id = await stage.scheduler.start_run(by_hand())

        await stage.watch(monitor("other"))

        ended = {f.run.id: f.run.state for f in stage.journal.finished}
        assert ended == {run_id: RunState.INTERRUPTED}

    async def test_another_interval_takes_effect(self) -> None:
        """The due time is one of the new grid."""
        stage = Stage()
        await stage.watch(monitor(every_seconds=86_400))

        await stage.watch(monitor(every_seconds=60, definition="d2"))

        due = stage.scheduler.watches["shop"].due
        assert due is not None
        assert due <= NOW + timedelta(seconds=61)
        await stage.scheduler.drain(0)

    async def test_the_order_is_that_of_the_configuration(self) -> None:
        """Also after a reload that turns it round."""
        stage = Stage()
        await stage.watch(monitor("a"), monitor("b"))

        await stage.watch(monitor("c"), monitor("b"), monitor("a"))

        assert list(stage.scheduler.watches) == ["c", "b", "a"]


class TestOnDemand:
    async def test_a_run_that_is_asked_for_starts_at_once(self) -> None:
        """Its id is that of the run that ends."""
        stage = Stage()
        await stage.watch(monitor())

        run_id = await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.board.finished)

        assert stage.board.finished[0].id == run_id
        assert stage.board.shown["shop"].health is Health.UP

    async def test_one_more_is_queued_while_a_run_goes_on(self) -> None:
        """Asked twice for the same, it is one run; it starts when the first ends."""
        stage = Stage()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        first = await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        second = await stage.scheduler.start_run(by_hand())
        third = await stage.scheduler.start_run(by_hand())
        gate.set()
        await until(lambda: len(stage.board.finished) == 2)

        assert second == third != first
        assert stage.target("shop").most == 3

    async def test_the_same_asked_for_at_once_is_one_run(self) -> None:
        """Also before the first of them has its id."""
        stage = Stage()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        ids = await asyncio.gather(
            *(stage.scheduler.start_run(by_hand()) for _ in range(40))
        )

        assert len(set(ids)) == 1
        gate.set()
        await stage.scheduler.drain(5)

    async def test_unknown_names_are_told(self) -> None:
        """Neither a monitor nor a case that isn't there can be run."""
        stage = Stage()
        await stage.watch(monitor())
        request = RunRequest(
            monitor="shop", trigger=Trigger.MANUAL, case_ids=("refund", "nope")
        )

        with pytest.raises(RequestError, match="nope"):
            await stage.scheduler.start_run(request)
        with pytest.raises(RequestError, match="other"):
            await stage.scheduler.start_run(by_hand("other"))
        assert not stage.journal.queued

    async def test_an_exploratory_run_moves_no_status(self) -> None:
        """A dry run is counted and shown nowhere else."""
        stage = Stage()
        await stage.watch(monitor())

        await stage.scheduler.start_run(
            RunRequest(monitor="shop", trigger=Trigger.DRY_RUN)
        )
        await until(lambda: stage.board.counted)

        assert stage.board.counted == [("shop", Trigger.DRY_RUN, RunState.COMPLETED)]
        assert stage.board.shown["shop"] == MonitorStatus()

    async def test_a_promised_run_survives_a_restart(self) -> None:
        """What was queued before is taken up under its id."""
        stage = Stage()
        await stage.watch(monitor())

        await stage.scheduler.requeue(
            [
                Queued(id=7, request=by_hand(), queued_at=NOW),
                Queued(id=8, request=by_hand("gone"), queued_at=NOW),
            ]
        )
        await until(lambda: len(stage.journal.finished) == 2)

        states = {f.run.id: f.run.state for f in stage.journal.finished}
        assert states == {7: RunState.COMPLETED, 8: RunState.INTERRUPTED}


class TestDeploy:
    async def test_runs_what_matches(self) -> None:
        """Names and labels must both match."""
        stage = Stage()
        await stage.watch(
            monitor("a", labels={"team": "x"}),
            monitor("b", labels={"team": "y"}),
            monitor("c", labels={"team": "x"}),
        )

        runs = await stage.scheduler.deploy(
            DeployRequest(version="2", monitors=("a", "b"), labels={"team": "x"})
        )
        await until(lambda: stage.board.finished)

        assert list(runs) == ["a"]
        assert stage.board.versions == {"a": "2"}

    async def test_deploys_that_pile_up_become_one_run_of_the_last_version(
        self,
    ) -> None:
        """Three deploys during a run are one run more."""
        stage = Stage()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        for version in ("1", "2", "3"):
            await stage.scheduler.deploy(DeployRequest(version=version))
        gate.set()
        await until(lambda: len(stage.board.finished) == 2)

        assert stage.board.finished[1].request.version == "3"
        assert list(stage.journal.queued.values())[1].version == "3"

    @pytest.mark.parametrize("delay", [0.0, 0.05])
    async def test_deploys_at_once_are_one_run(self, delay: float) -> None:
        """However close together they come; the last version counts."""
        stage = Stage()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        runs = await asyncio.gather(
            *(
                stage.scheduler.deploy(
                    DeployRequest(version=str(n), delay_seconds=delay)
                )
                for n in range(5)
            )
        )
        gate.set()
        await until(lambda: len(stage.board.finished) == 2)

        assert len({run["shop"] for run in runs}) == 1
        assert stage.board.finished[1].request.version == "4"

    async def test_a_delay_is_written_down_and_kept_over_a_restart(self) -> None:
        """The run starts no sooner, whoever takes it up."""
        stage = Stage()
        await stage.watch(monitor())
        await stage.scheduler.deploy(DeployRequest(version="1", delay_seconds=60))
        (not_before,) = stage.journal.not_before

        again = Stage()
        await again.watch(monitor())
        request = RunRequest(monitor="shop", trigger=Trigger.DEPLOY, version="1")
        await again.scheduler.requeue(
            [Queued(id=7, request=request, queued_at=NOW, not_before=not_before)]
        )
        assert not_before == NOW + timedelta(seconds=60)
        assert set(again.scheduler.watches["shop"].delayed) == {7}
        await again.scheduler.drain(0)

    async def test_a_pause_ends_what_a_deploy_promised(self) -> None:
        """A delayed run does not start behind the pause's back."""
        stage = Stage()
        await stage.watch(monitor())
        await stage.scheduler.deploy(DeployRequest(version="1", delay_seconds=60))

        await stage.scheduler.pause("shop")

        assert stage.journal.states == [(Trigger.DEPLOY, RunState.INTERRUPTED)]
        assert not stage.scheduler.watches["shop"].delayed

    async def test_a_delayed_run_is_promised_at_once(self) -> None:
        """It has its id before its delay is over, and starts after it."""
        stage = Stage()
        await stage.watch(monitor())

        runs = await stage.scheduler.deploy(
            DeployRequest(version="1", delay_seconds=0.05)
        )

        assert not stage.target("shop").asked
        await until(lambda: stage.board.finished)
        assert stage.board.finished[0].id == runs["shop"]


class TestPause:
    async def test_a_paused_monitor_starts_nothing(self) -> None:
        """Until it is resumed; both are written down."""
        stage = Stage(live=True)
        await stage.watch(monitor(every_seconds=0.02))
        await stage.scheduler.pause("shop")
        await asyncio.sleep(0)
        watch = stage.scheduler.watches["shop"]
        await until(lambda: watch.going is None)
        asked = len(stage.target("shop").asked)
        due = watch.due_at
        await until(lambda: watch.due_at != due)

        assert len(stage.target("shop").asked) == asked
        assert watch.health is Health.PAUSED

        await stage.scheduler.resume("shop")
        await until(lambda: len(stage.target("shop").asked) > asked)
        assert stage.journal.pauses == {"shop": False}
        await stage.scheduler.drain(5)

    async def test_a_used_up_budget_pauses(self) -> None:
        """The run is interrupted, and resuming by hand names the numbers."""
        stage = Stage()
        stage.target("shop").say = lambda _: reply(GOOD, tokens=100)
        await stage.watch(monitor(token_budget=150))

        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.board.counted)

        assert stage.board.pauses["shop", Pause.BUDGET]
        with pytest.raises(RequestError, match="200 of 150 tokens"):
            await stage.scheduler.resume("shop")

    async def test_the_months_turn_resumes(self) -> None:
        """Nobody has to do anything."""
        stage = Stage()
        stage.target("shop").say = lambda _: reply(GOOD, tokens=100)
        await stage.watch(monitor(token_budget=150))
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.board.counted)

        stage.time.advance(86_400)
        await stage.scheduler.resume("shop")

        assert not stage.board.pauses["shop", Pause.BUDGET]


class TestDrain:
    async def test_lets_runs_end_within_the_grace(self) -> None:
        """A run that can end is finished."""
        stage = Stage()
        gate = stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        asyncio.get_running_loop().call_later(0.02, gate.set)
        await stage.scheduler.drain(5)

        assert stage.journal.states == [(Trigger.MANUAL, RunState.COMPLETED)]

    async def test_interrupts_what_does_not_end(self) -> None:
        """It stays due, so that a restart repeats it."""
        stage = Stage()
        stage.target("shop").gate = asyncio.Event()
        await stage.watch(monitor())
        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.target("shop").busy)

        await stage.scheduler.drain(0.01)

        assert stage.journal.states == [(Trigger.MANUAL, RunState.INTERRUPTED)]
        assert stage.journal.finished[0].due_at is None


class TestWhoseFault:
    @pytest.mark.parametrize(
        ("today", "cause"),
        [
            pytest.param(Outcome.FAIL, Cause.JUDGE, id="judge-fails-it-now"),
            pytest.param(Outcome.PASS, Cause.AGENT, id="judge-still-passes-it"),
            pytest.param(Outcome.NOT_JUDGED, Cause.AGENT, id="judge-cannot-say"),
        ],
    )
    async def test_todays_judge_judges_the_last_good_answer(
        self, today: Outcome, cause: Cause
    ) -> None:
        """If it fails that too, the judge changed and not the agent."""
        stage = Stage()
        judged = case(expect={"judge": "Names the window."})
        watched = monitor(cases=(judged,))
        status = MonitorStatus()
        for run_id in (1, 2, 3):
            good = [sample_result(Outcome.PASS)] * 3
            status = advance(status, watched, run(good, run_id=run_id))
        stage.journal.good["refund"] = sample_result(Outcome.PASS, answer="good one")
        judge = ScriptedJudge(
            decide=lambda _, answer: today if answer == "good one" else Outcome.FAIL
        )
        stored = StoredMonitor(first_seen=NOW, status=status)
        await stage.watch(watched, stored={"shop": stored}, judge=judge)

        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.board.finished)

        assert stage.board.shown["shop"].cases["refund"].regressed is cause

    async def test_a_down_agent_regresses_nothing(self) -> None:
        """No answer says nothing about answers."""
        stage = Stage()
        stage.target("shop").say = lambda _: no_reply()
        await stage.watch(monitor())

        await stage.scheduler.start_run(by_hand())
        await until(lambda: stage.board.finished)

        assert stage.board.shown["shop"].health is Health.DOWN
        assert stage.board.shown["shop"].cases["refund"].regressed is None
