"""Judges are kept calibrated while the daemon runs."""

import asyncio

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from answerprobe.calibration import Agreement, Calibration
from answerprobe.daemon._calibration import Calibrator
from answerprobe.evidence import Store
from answerprobe.judge import PROMPT_VERSION, definition_of
from answerprobe.ledger import Ledger
from answerprobe.metrics import JudgeMetrics
from answerprobe.monitor import JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.sample import Sample, TokenRole
from answerprobe.verdict import Outcome
from builders import NOW
from judge.candidate import (
    CANARIES,
    SETTINGS,
    USAGE,
    Says,
    ScriptedJudge,
    always,
    honest,
)


AGREES = (1.0, 1.0)
UNKNOWN = (None, None)
HOUR = timedelta(hours=1)


@dataclass(kw_only=True)
class Bench:
    """A calibrator, its judge, and what is shown and kept."""

    calibrator: Calibrator
    judge: ScriptedJudge
    registry: CollectorRegistry
    store: Store
    ledger: Ledger
    shown_first: tuple[float | None, float | None] = UNKNOWN

    @property
    def rates(self) -> tuple[float | None, float | None]:
        """The true-pass and the true-fail rate that are shown."""
        passes, fails = (
            self.registry.get_sample_value(
                "answerprobe_judge_canary_agreement_ratio",
                {"judge": "default", "verdict": verdict},
            )
            for verdict in ("pass", "fail")
        )
        return passes, fails

    async def apply(
        self, *judges: ScriptedJudge, total_token_budget: int | None = None
    ) -> None:
        """Keep *judges* calibrated."""
        await self.calibrator.apply(
            judges, at_once=8, total_token_budget=total_token_budget
        )

    def answers_as(self, model: str) -> None:
        """Let *model* give a verdict on a sample."""
        self.judge.models = (model,)
        self.calibrator.graded_by(
            "default", GradedBy(model=model, prompt_version=PROMPT_VERSION)
        )

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return once *condition* holds."""
        async with asyncio.timeout(20):
            while True:
                if condition():
                    return
                await asyncio.sleep(0.005)

    async def until_asked(self, times: int) -> None:
        """Return once the canaries were asked so many times."""
        await self.until(lambda: len(self.judge.asked) >= times * len(CANARIES))

    async def idle(self) -> None:
        """Let everything happen that needs no time."""
        for _ in range(50):
            await asyncio.sleep(0)


def settings(**more: object) -> JudgeSettings:
    """Return the settings of a judge that is calibrated every day."""
    return replace(SETTINGS, **more)  # type: ignore[arg-type]  # any of them


def calibration(
    judge: JudgeSettings = SETTINGS, at: datetime = NOW, agreed: int = 1
) -> Calibration:
    """Return a calibration of *judge*, half of it as it should be by default."""
    return Calibration(
        judge="default",
        definition=definition_of(judge),
        models=("m-1",),
        prompt_version=PROMPT_VERSION,
        at=at,
        passes=Agreement(agreed=agreed, judged=2),
        fails=Agreement(agreed=agreed, judged=2),
    )


@asynccontextmanager
async def keeping(
    folder: Path,
    *,
    says: Says = honest,
    judge: JudgeSettings = SETTINGS,
    stored: Calibration | None = None,
    age: timedelta = timedelta(hours=1),
    total_token_budget: int | None = None,
) -> AsyncIterator[Bench]:
    """Keep a judge calibrated that was calibrated so long ago, if at all."""

    def clock() -> datetime:
        return NOW + age

    store = await Store.open(f"sqlite:///{folder}/e.db", exclusive=True, clock=clock)
    if stored:
        await store.save_calibration(stored)
    registry = CollectorRegistry()
    ledger = Ledger((), clock=clock)
    bench = Bench(
        calibrator=Calibrator(
            metrics=JudgeMetrics(registry),
            store=store,
            journal=store,
            ledger=ledger,
            clock=clock,
            settle_seconds=0.0,
        ),
        judge=ScriptedJudge(says=says, settings=judge),
        registry=registry,
        store=store,
        ledger=ledger,
    )
    await bench.apply(bench.judge, total_token_budget=total_token_budget)
    bench.shown_first = bench.rates
    task = asyncio.create_task(bench.calibrator.keep())
    try:
        await bench.idle()
        yield bench
    finally:
        task.cancel()
        await asyncio.wait([task])
        await store.close()


class TestWhen:
    """Soon after start, every so often, and never more than that."""

    async def test_one_that_is_not_known_is_calibrated(self, tmp_path: Path) -> None:
        """Shown, kept, and told in one line."""
        with capture_logs() as logs:
            async with keeping(tmp_path) as bench:
                await bench.until(lambda: bench.rates == AGREES)
                kept = await bench.store.calibrations()

        assert kept == {"default": replace(calibration(agreed=2), at=NOW + HOUR)}
        assert [entry["event"] for entry in logs] == ["judge.calibrated"]
        assert (logs[0]["passes"], logs[0]["fails"]) == ("2/2", "2/2")

    async def test_a_restart_neither_repeats_nor_loses_it(self, tmp_path: Path) -> None:
        """What is current is shown at once, and nothing is asked."""
        async with keeping(tmp_path, stored=calibration()) as bench:
            await bench.idle()

            assert bench.rates == (0.5, 0.5)
            assert bench.judge.asked == []

    async def test_an_old_one_is_shown_until_there_is_a_new_one(
        self, tmp_path: Path
    ) -> None:
        """It is the last that is known."""
        async with keeping(
            tmp_path, stored=calibration(), age=timedelta(days=2)
        ) as bench:
            await bench.until(lambda: bench.rates == AGREES)

        assert bench.shown_first == (0.5, 0.5)

    async def test_it_is_repeated(self, tmp_path: Path) -> None:
        """As often as is configured, so that drift shows."""
        judge = settings(calibrate_seconds=0.02)
        async with keeping(tmp_path, judge=judge) as bench:
            await bench.until(lambda: bench.rates == AGREES)
            bench.judge.says = always(Outcome.PASS)
            await bench.until(lambda: bench.rates == (1.0, 0.0))

    async def test_0_is_never(self, tmp_path: Path) -> None:
        """What was known once is not shown for ever."""
        judge = settings(calibrate_seconds=0.0)
        async with keeping(tmp_path, judge=judge, stored=calibration()) as bench:
            bench.answers_as("m-2")
            await bench.idle()

            assert (bench.rates, bench.judge.asked) == (UNKNOWN, [])

    async def test_another_replicas_will_do(self, tmp_path: Path) -> None:
        """Each calibration is paid for once."""
        judge = settings(calibrate_seconds=0.2)
        stored = calibration(at=NOW + HOUR)
        async with keeping(tmp_path, judge=judge, stored=stored) as bench:
            later = calibration(at=NOW + HOUR + timedelta(seconds=30), agreed=0)
            await bench.store.save_calibration(later)
            await bench.until(lambda: bench.rates == (0.0, 0.0))

            assert bench.judge.asked == []


class TestChange:
    """Another judge behind the same name."""

    async def test_another_model_is_calibrated(self, tmp_path: Path) -> None:
        """Once, and it is said."""
        with capture_logs() as logs:
            async with keeping(tmp_path, stored=calibration()) as bench:
                bench.answers_as("m-1")
                bench.answers_as("m-2")
                await bench.until(lambda: bench.rates == AGREES)
                bench.answers_as("m-2")
                await bench.idle()

                assert len(bench.judge.asked) == len(CANARIES)
                assert (await bench.store.calibrations())["default"].model == "m-2"

        assert [entry["event"] for entry in logs] == [
            *("judge.changed", "judge.calibrated"),
        ]
        assert (logs[0]["model"], logs[0]["before"]) == ("m-2", ["m-1"])

    async def test_another_definition_is_calibrated(self, tmp_path: Path) -> None:
        """What is stored says nothing of it: other settings, prompt or canaries."""
        stored = replace(calibration(), definition="of an older prompt")
        async with keeping(tmp_path, stored=stored) as bench:
            await bench.until(lambda: bench.rates == AGREES)

        assert bench.shown_first == UNKNOWN

    async def test_a_reload_changes_it(self, tmp_path: Path) -> None:
        """The new one is calibrated, the old one no longer."""
        async with keeping(tmp_path, stored=calibration()) as bench:
            other = settings(model="other", canaries=CANARIES[:3])
            judge = ScriptedJudge(says=honest, settings=other)
            await bench.apply(judge)
            shown = bench.rates
            await bench.until(lambda: bench.rates == AGREES)

            assert shown == UNKNOWN
            assert (len(judge.asked), bench.judge.asked) == (3, [])

    async def test_a_reload_that_changes_nothing_repeats_nothing(
        self, tmp_path: Path
    ) -> None:
        """A longer timeout is no other judge."""
        async with keeping(tmp_path, stored=calibration()) as bench:
            judge = ScriptedJudge(says=honest, settings=settings(timeout_seconds=1.0))
            await bench.apply(judge)
            await bench.idle()

            assert (bench.rates, judge.asked) == ((0.5, 0.5), [])

    async def test_one_that_is_gone_is_not_shown(self, tmp_path: Path) -> None:
        """No monitor asks it any more."""
        async with keeping(tmp_path, stored=calibration()) as bench:
            await bench.apply()
            bench.answers_as("m-2")
            await bench.idle()

            assert (bench.rates, bench.judge.asked) == (UNKNOWN, [])


class TestOutage:
    """The judge, or the money, is out."""

    async def test_says_nothing_about_agreement(self, tmp_path: Path) -> None:
        """It is tried again later; what was known stays."""
        with capture_logs() as logs:
            async with keeping(
                tmp_path,
                says=always(Outcome.NOT_JUDGED),
                stored=calibration(),
                age=timedelta(days=2),
            ) as bench:
                await bench.until(lambda: bool(logs))
                await bench.idle()

                assert bench.rates == (0.5, 0.5)
                assert (await bench.store.calibrations())["default"] == calibration()
                assert len(bench.judge.asked) == len(CANARIES)

        assert [entry["event"] for entry in logs] == ["judge.not_calibrated"]
        assert logs[0]["retry_seconds"] == 30.0

    async def test_it_is_tried_again(self, tmp_path: Path) -> None:
        """Until the judge is back."""
        judge = settings(calibrate_seconds=0.02)
        async with keeping(
            tmp_path, says=always(Outcome.NOT_JUDGED), judge=judge
        ) as bench:
            await bench.until_asked(2)
            bench.judge.says = honest
            await bench.until(lambda: bench.rates == AGREES)

    async def test_it_ends_at_once_when_it_is_told_to(self, tmp_path: Path) -> None:
        """Whatever a judge that hangs does: here nothing waits for it."""

        class Hanging(ScriptedJudge):
            async def grade(self, *_: object) -> None:  # type: ignore[override]
                self.busy += 1
                await asyncio.Event().wait()

        async with keeping(tmp_path, stored=calibration()) as bench:
            hanging = Hanging(says=honest, settings=settings(votes=3))
            await bench.apply(hanging)
            await bench.until(lambda: hanging.busy == 2)


class TestMoney:
    """What canaries cost."""

    async def test_is_no_monitors(self, tmp_path: Path) -> None:
        """But it counts for all together."""
        async with keeping(tmp_path) as bench:
            await bench.until(lambda: bench.rates == AGREES)

            spent = len(CANARIES) * USAGE.total
            assert bench.ledger.total_used_tokens() == spent
            assert {e.monitor for e in bench.ledger.take_increments()} == {""}

    async def test_nothing_is_asked_where_the_budget_is_used_up(
        self, tmp_path: Path
    ) -> None:
        """Of all monitors together; that is said."""
        with capture_logs() as logs:
            async with keeping(
                tmp_path, stored=calibration(), total_token_budget=10
            ) as bench:
                bench.ledger.spend("shop", {TokenRole.AGENT: USAGE})
                bench.answers_as("m-2")
                await bench.until(lambda: len(logs) == 2)

                assert bench.judge.asked == []

        assert (logs[1]["event"], logs[1]["reason"]) == (
            *("judge.not_calibrated", "budget"),
        )


class TestObserver:
    """It passes on what judges tell."""

    async def test_to_the_metrics(self, tmp_path: Path) -> None:
        """Every request, every disagreement, and who graded."""

        def says(sample: Sample) -> Outcome:
            return honest(sample)

        async with keeping(tmp_path, says=says, stored=calibration()) as bench:
            bench.calibrator.disagreed("default")
            bench.answers_as("m-1")

            found = bench.registry.get_sample_value
            name = {"judge": "default"}
            assert found("answerprobe_judge_disagreements_total", name) == 1
            info = {**name, "model": "m-1", "prompt_version": PROMPT_VERSION}
            assert found("answerprobe_judge_info", info) == 1
