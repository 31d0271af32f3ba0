"""A scheduled run with bad news, looked at again before it counts."""

import asyncio
import random

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from answerprobe.case import Case
from answerprobe.ledger import Ledger
from answerprobe.monitor import Monitor
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.runner import (
    Executed,
    Executor,
    Grader,
    Job,
    Progress,
    Runner,
    Slots,
)
from answerprobe.sample import Reply, TokenRole
from answerprobe.status import Cause, MonitorStatus, advance
from answerprobe.verdict import Outcome
from builders import NOW, case, monitor, run, sample_result
from scripted import (
    GOOD,
    MemoryJournal,
    Naps,
    ScriptedJudge,
    ScriptedTarget,
    Spending,
    no_reply,
    reply,
    until,
)


DUE = NOW + timedelta(hours=1)
JUDGED: Mapping[str, object] = {"judge": "Names the window."}


def well(watched: Monitor) -> MonitorStatus:
    """Return the status of a monitor whose cases have always passed."""
    status = MonitorStatus()
    for run_id in (1, 2, 3):
        samples = [
            sample_result(Outcome.PASS, case_id=case.id)
            for case in watched.cases
            for _ in range(case.samples)
        ]
        status = advance(status, watched, run(samples, run_id=run_id))
    return status


@dataclass
class Bench:
    """An executor, and what it needs for scheduled runs of one monitor."""

    watched: Monitor = field(default_factory=monitor)
    target: ScriptedTarget = field(default_factory=ScriptedTarget)
    judge: Grader | None = None
    trigger: Trigger = Trigger.SCHEDULE
    may_look_again: Callable[[], bool] = lambda: True
    naps: Naps = field(default_factory=Naps)
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    spending: Spending = field(default_factory=Spending)
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        """Put everything together."""
        self.ledger = Ledger((), clock=lambda: NOW)
        self.slots = Slots(in_flight=50, per_host=50, monotonic=lambda: 0.0)
        self.executor = Executor(
            runner=Runner(
                slots=self.slots,
                per_monitor=5,
                ledger=self.ledger,
                observer=self.spending,
                scrub=str,
                clock=lambda: NOW,
                monotonic=lambda: 0.0,
                rng=random.Random(1),  # noqa: S311  a seed makes it repeatable
            ),
            journal=self.journal,
            ledger=self.ledger,
            clock=lambda: NOW,
            sleep=self.naps,
        )

    def start(self) -> asyncio.Task[Executed]:
        """Carry a run out."""
        job = Job(
            monitor=self.watched,
            target=self.target,
            judge=self.judge,
            prices={},
            request=RunRequest(monitor="shop", trigger=self.trigger),
            previous=well(self.watched),
            progress=self.progress,
            queued_at=NOW,
            due_at=lambda: DUE,
            may_look_again=self.may_look_again,
        )
        return asyncio.create_task(self.executor.execute(job))

    async def waiting(self) -> asyncio.Task[Executed]:
        """Carry a run out until it waits for its second look."""
        task = self.start()
        await until(lambda: self.progress.waiting)
        return task


def says(first: Reply, second: Reply, naps: Naps) -> Callable[[str], Reply]:
    """Return an agent that says *first*, and *second* once the *naps* are over."""
    return lambda _: second if naps.over.is_set() else first


def looks(found: Run) -> tuple[list[Outcome], list[Outcome]]:
    """Return how the samples of both looks of *found* ended."""
    first, second = found.samples, found.second_look
    return [s.outcome for s in first], [s.outcome for s in second]


class TestSecondLook:
    async def test_a_blip_is_in_the_evidence_and_in_no_count(self) -> None:
        """Down for a moment: the run completes, and the monitor is up."""
        bench = Bench()
        bench.target.say = says(no_reply(), reply(GOOD), bench.naps)
        task = await bench.waiting()

        bench.naps.over.set()
        ended = await task

        assert bench.naps.asked == [30.0]
        assert looks(ended.run) == ([Outcome.ERROR] * 3, [Outcome.PASS] * 3)
        assert all(sample.second_look for sample in ended.run.second_look)
        assert not any(sample.second_look for sample in ended.run.samples)
        assert (ended.run.done, ended.run.total) == (3, 3)
        assert ended.run.outcomes[Outcome.PASS] == 0
        assert ended.status is not None
        assert (ended.status.up, ended.status.runs_down) == (True, 0)
        (kept,) = bench.journal.finished
        assert (kept.run, kept.status, kept.due_at) == (ended.run, ended.status, DUE)

    async def test_what_is_confirmed_counts(self) -> None:
        """Still down."""
        bench = Bench(target=ScriptedTarget(say=lambda _: no_reply()))
        task = await bench.waiting()

        bench.naps.over.set()
        ended = await task

        assert ended.status is not None
        assert (ended.status.up, ended.status.runs_down) == (False, 1)

    async def test_only_the_affected_cases_are_asked(self) -> None:
        """As often as their quorum says; their tokens count."""
        cases = (case("a"), case("b", samples=5, pass_at_least=3))
        bench = Bench(watched=monitor(cases=cases))
        bench.target.say = lambda asked: reply(GOOD if "a?" in asked else "Sixty.")
        task = await bench.waiting()
        before = len(bench.target.asked)
        spent = bench.spending.tokens[TokenRole.AGENT]

        bench.naps.over.set()
        ended = await task

        assert bench.target.asked[before:] == ["What about b?"] * 5
        assert bench.spending.tokens[TokenRole.AGENT] == spent + 50
        ledger = bench.journal.finished[0].ledger
        assert sum(e.input_tokens + e.output_tokens for e in ledger) == spent + 50
        assert ended.status is not None
        assert ended.status.cases["b"].regressed is Cause.AGENT

    async def test_meanwhile_it_holds_nothing_and_says_so(self) -> None:
        """No slot, no reservation; how far it is stays that of the first look."""
        bench = Bench(target=ScriptedTarget(say=lambda _: no_reply()))

        task = await bench.waiting()

        assert (bench.slots.in_flight, bench.slots.waiting) == (0, 0)
        assert bench.progress.done == 3
        look = bench.progress.second_look
        assert look is not None
        assert (look.at, look.total) == (NOW + timedelta(seconds=30), 3)
        assert bench.journal.finished == []
        bench.naps.over.set()
        await task
        assert look.progress.done == 3

    @pytest.mark.parametrize(
        ("watched", "trigger"),
        [
            pytest.param(monitor(), Trigger.MANUAL, id="by hand"),
            pytest.param(monitor(), Trigger.DEPLOY, id="after a deploy"),
            pytest.param(monitor(confirm_seconds=0), Trigger.SCHEDULE, id="off"),
        ],
    )
    async def test_others_count_at_once(
        self, watched: Monitor, trigger: Trigger
    ) -> None:
        """Where somebody asked, or nobody wants it."""
        target = ScriptedTarget(say=lambda _: no_reply())
        bench = Bench(watched=watched, trigger=trigger, target=target)

        ended = await bench.start()

        assert bench.naps.asked == []
        assert ended.status is not None
        assert ended.status.up is False


class TestCutShort:
    async def test_by_the_budget(self) -> None:
        """Nothing is confirmed, so nothing counts; it is not repeated."""
        watched = monitor(cases=[case(samples=1, pass_at_least=1)], token_budget=50)
        bench = Bench(watched=watched)
        bench.target.say = lambda _: reply("Sixty.", tokens=50)
        task = await bench.waiting()

        bench.naps.over.set()
        ended = await task

        assert (ended.run.state, ended.status) == (RunState.INTERRUPTED, None)
        assert looks(ended.run) == ([Outcome.FAIL], [])
        assert bench.journal.finished[0].due_at == DUE

    async def test_by_the_end(self) -> None:
        """It stays due: whoever comes next repeats it; both looks are evidence."""
        bench = Bench(target=ScriptedTarget(say=lambda _: no_reply()))
        task = await bench.waiting()

        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        (kept,) = bench.journal.finished
        assert (kept.run.state, kept.status) == (RunState.INTERRUPTED, None)
        assert kept.due_at is None
        assert looks(kept.run) == ([Outcome.ERROR] * 3, [])

    async def test_where_it_may_not_wait(self) -> None:
        """The daemon ends, or it was paused while the first look went on."""
        target = ScriptedTarget(say=lambda _: no_reply())
        bench = Bench(target=target, may_look_again=lambda: False)

        ended = await bench.start()

        assert bench.naps.asked == []
        assert (ended.run.state, ended.status) == (RunState.INTERRUPTED, None)
        assert bench.journal.finished[0].due_at is None


class TestWhoseFault:
    @staticmethod
    def judged(case_of: Case, today: Outcome) -> Bench:
        """Return a bench whose judge fails everything but, as *today* says, good."""
        judge = ScriptedJudge(
            decide=lambda _, answer: today if answer == "good one" else Outcome.FAIL
        )
        bench = Bench(watched=monitor(cases=[case_of]), judge=judge)
        good: SampleResult = sample_result(Outcome.PASS, answer="good one")
        bench.journal.good["refund"] = good
        return bench

    async def test_is_asked_once_it_is_confirmed(self) -> None:
        """The judge sees the last good answer after both looks."""
        bench = self.judged(case(expect=JUDGED), Outcome.FAIL)
        judge = bench.judge
        assert isinstance(judge, ScriptedJudge)
        task = await bench.waiting()
        assert "good one" not in [answer for _, answer in judge.asked]

        bench.naps.over.set()
        ended = await task

        assert judge.asked[-1][1] == "good one"
        assert ended.status is not None
        assert ended.status.cases["refund"].regressed is Cause.JUDGE

    async def test_is_not_asked_after_a_blip(self) -> None:
        """Nothing regressed."""
        bench = self.judged(case(expect={"contains": "30", **JUDGED}), Outcome.FAIL)
        judge = bench.judge
        assert isinstance(judge, ScriptedJudge)
        task = await bench.waiting()
        judge.decide = lambda _rubric, _answer: Outcome.PASS

        bench.naps.over.set()
        ended = await task

        assert "good one" not in [answer for _, answer in judge.asked]
        assert ended.status is not None
        assert ended.status.cases["refund"].regressed is None
