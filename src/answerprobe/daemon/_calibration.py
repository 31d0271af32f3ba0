"""Judges kept calibrated: soon after start, when they change, and every so often."""

import asyncio
import contextlib

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Protocol

import structlog

from answerprobe.calibration import Calibration
from answerprobe.daemon._judge_watch import JudgeWatch
from answerprobe.errors import StoreError
from answerprobe.judge import (
    Candidate,
    JudgeObserver,
    JudgeOutcome,
    calibrate,
    definition_of,
    model_name,
)
from answerprobe.ledger import Ledger
from answerprobe.run import GradedBy
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.scheduler import Duties, SoleDuties, on_duty


_log = structlog.get_logger()
# What was due before the start is asked first.
_SETTLE_SECONDS = 2.0
# Canaries at once, of all judges together: real verdicts come first.
_AT_ONCE = 2
_NO_BUDGET_SECONDS = 300.0
_OTHERS_SECONDS = 3.0


class Calibrations(Protocol):
    """Where calibrations are kept."""

    async def calibrations(self) -> Mapping[str, Calibration]:
        """Return the last calibration of each judge, by its name."""
        ...


class CalibrationJournal(Protocol):
    """Where calibrations are written down."""

    async def save_calibration(self, calibration: Calibration) -> None:
        """Write *calibration* in place of the judge's earlier one."""
        ...


class CalibrationMetrics(JudgeObserver, Protocol):
    """What is shown of judges."""

    def calibrated(self, calibration: Calibration) -> None:
        """Show how a judge fared on its canaries."""
        ...

    def uncalibrated(self, judge: str) -> None:
        """Show no calibration of *judge*."""
        ...


class Calibrator:
    """
    Keeps judges calibrated, and is the observer through which it learns of a change.

    A calibration is kept in the store: a restart neither repeats nor loses it. One in
    which too little was judged is tried again later; what was known stays shown.
    """

    def __init__(  # noqa: PLR0913  everything with a side effect is handed in
        self,
        *,
        metrics: CalibrationMetrics,
        store: Calibrations,
        journal: CalibrationJournal,
        ledger: Ledger,
        clock: Callable[[], datetime],
        duties: Duties | None = None,
        settle_seconds: float = _SETTLE_SECONDS,
    ) -> None:
        self._metrics = metrics
        self._store = store
        self._journal = journal
        self._ledger = ledger
        self._clock = clock
        self._duties = duties or SoleDuties()
        self._settle_seconds = settle_seconds
        self._monotonic = asyncio.get_running_loop().time
        self._at_once = 0
        self._slots = asyncio.Semaphore()
        self._total_token_budget: int | None = None
        self._watches: dict[str, JudgeWatch] = {}
        self._group: asyncio.TaskGroup | None = None

    def requested(self, judge: str, outcome: JudgeOutcome, seconds: float) -> None:
        """Pass on how a request to *judge* ended."""
        self._metrics.requested(judge, outcome, seconds)

    def disagreed(self, judge: str) -> None:
        """Pass on that votes of *judge* differed."""
        self._metrics.disagreed(judge)

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """Pass on who graded; another model than before makes *judge* due."""
        self._metrics.graded_by(judge, graded_by)
        watch = self._watches.get(judge)
        if watch is None or watch.knows(graded_by.model):
            return
        model = model_name(graded_by.model)
        if watch.knows(model):
            return
        if before := watch.models:
            _log.warning("judge.changed", judge=judge, model=model, before=before)
        watch.meet(model, self._monotonic())

    async def apply(
        self,
        judges: Iterable[Candidate],
        *,
        at_once: int,
        total_token_budget: int | None,
    ) -> None:
        """
        Keep *judges* calibrated, and no others.

        Of the *at_once* requests that judges may make, one is left to real verdicts.
        """
        wanted = {judge.settings.name: judge for judge in judges}
        self._total_token_budget = total_token_budget
        if at_once != self._at_once:
            self._at_once = at_once
            self._slots = asyncio.Semaphore(max(1, min(_AT_ONCE, at_once - 1)))
        for name in self._watches.keys() - wanted.keys():
            _drop(self._watches.pop(name))
            self._metrics.uncalibrated(name)
        stored = await self._stored() if wanted.keys() - self._watches.keys() else {}
        for name, judge in wanted.items():
            self._watch(judge, stored.get(name))

    def _watch(self, judge: Candidate, stored: Calibration | None) -> None:
        """Watch *judge*, in place of the one that had its name, if it is another."""
        name = judge.settings.name
        definition = definition_of(judge.settings)
        known = self._watches.get(name)
        if known and known.is_of(definition, judge.settings.calibrate_seconds):
            # What else changed, such as a timeout, makes no other judge of it.
            known.judge = judge
            return
        if known:
            _drop(known)
            stored = known.last
        watch = JudgeWatch(judge=judge, definition=definition)
        self._watches[name] = watch
        if watch.every_seconds:
            watch.due = self._monotonic()
        if stored and stored.definition == definition:
            self._take(watch, stored)
        else:
            self._metrics.uncalibrated(name)
            if stored:
                _log.info("judge.redefined", judge=name, model=judge.settings.model)
        self._start(watch)

    async def _stored(self) -> Mapping[str, Calibration]:
        """Return what the store knows; nothing while it is down."""
        try:
            return await self._store.calibrations()
        except StoreError:
            return {}

    async def keep(self) -> None:
        """Calibrate, for ever, what is due."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for watch in self._watches.values():
                    self._start(watch)
                await asyncio.Event().wait()
        finally:
            self._group = None

    def _start(self, watch: JudgeWatch) -> None:
        """Begin to keep *watch* calibrated, where that is done and wanted."""
        if self._group and watch.every_seconds:
            watch.task = self._group.create_task(self._keep(watch))

    async def _keep(self, watch: JudgeWatch) -> None:
        """Calibrate *watch*, for ever, whenever it is due."""
        await asyncio.sleep(self._settle_seconds)
        while True:
            while (left_seconds := watch.due - self._monotonic()) > 0:
                watch.moved.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(left_seconds):
                        await watch.moved.wait()
            if not await self._adopted(watch):
                await self._calibrate_for_all(watch)

    async def _calibrate_for_all(self, watch: JudgeWatch) -> None:
        """Calibrate *watch*, unless another replica is at it: its result is ours."""
        async with on_duty(self._duties, f"calibrate {watch.name}") as mine:
            if not mine:
                watch.due = self._monotonic() + _OTHERS_SECONDS
            # The one that was at it may have ended since it was looked for.
            elif not (self._duties.shared and await self._adopted(watch)):
                await self._calibrate(watch)

    async def _adopted(self, watch: JudgeWatch) -> bool:
        """Whether another replica has calibrated *watch* meanwhile."""
        newer = (await self._stored()).get(watch.name)
        if newer is None or not watch.is_answered_by(newer):
            return False
        self._take(watch, newer)
        return watch.due > self._monotonic()

    async def _calibrate(self, watch: JudgeWatch) -> None:
        """Calibrate *watch* now, as far as the budget goes."""
        if not self._affordable():
            watch.due = self._monotonic() + _NO_BUDGET_SECONDS
            if not watch.unaffordable:
                watch.unaffordable = True
                _log.warning("judge.not_calibrated", judge=watch.name, reason="budget")
            return
        watch.unaffordable = False
        watch.calibrating = True
        began = self._monotonic()
        try:
            calibration = await calibrate(
                watch.judge,
                slots=self._slots,
                clock=self._clock,
                spend=self._spend,
                affordable=self._affordable,
            )
        finally:
            watch.calibrating = False
        if not calibration.complete:
            self._retry(watch, calibration)
            return
        await self._journal.save_calibration(calibration)
        self._take(watch, calibration)
        seconds = round(self._monotonic() - began, 3)
        _log.info("judge.calibrated", **_said(calibration), seconds=seconds)

    def _take(self, watch: JudgeWatch, calibration: Calibration) -> None:
        """Let *calibration* be the last one of *watch*, and show it."""
        watch.take(calibration, at=self._clock(), now=self._monotonic())
        if watch.every_seconds:
            self._metrics.calibrated(calibration)
        else:
            self._metrics.uncalibrated(watch.name)

    def _retry(self, watch: JudgeWatch, calibration: Calibration) -> None:
        """Try again later: *calibration* says too little of *watch*."""
        _log.warning(
            "judge.not_calibrated",
            judge=watch.name,
            reason="too few canaries were judged",
            judged=calibration.judged,
            not_judged=len(calibration.not_judged),
            retry_seconds=watch.retry(self._monotonic()),
        )

    def _spend(self, usage: TokenUsage) -> None:
        """Write *usage* down as spent for no monitor."""
        self._ledger.spend("", {TokenRole.JUDGE: usage})

    def _affordable(self) -> bool:
        """Whether the budget of all monitors together leaves anything."""
        return not self._ledger.exhausted(
            "", limit_tokens=None, total_limit_tokens=self._total_token_budget
        )


def _drop(watch: JudgeWatch) -> None:
    """Keep *watch* calibrated no longer."""
    if watch.task:
        watch.task.cancel()


def _said(calibration: Calibration) -> Mapping[str, object]:
    """Return *calibration* as its line of the log has it, without any text."""
    passes, fails = calibration.passes, calibration.fails
    return {
        "judge": calibration.judge,
        "model": calibration.model,
        "prompt_version": calibration.prompt_version,
        "passes": f"{passes.agreed}/{passes.judged}",
        "fails": f"{fails.agreed}/{fails.judged}",
        "not_judged": len(calibration.not_judged),
        "misjudged": ",".join(str(verdict.number) for verdict in calibration.misjudged),
    }
