"""What is shown of monitors: the scheduler's board, made of metrics and evidence."""

import contextlib

from collections.abc import Collection, Mapping
from datetime import datetime

from answerprobe.errors import StoreError
from answerprobe.evidence import Store
from answerprobe.ledger import Ledger
from answerprobe.metrics import (
    MOST_ANSWERS_PER_MONITOR,
    AnswerInfo,
    ExporterMetrics,
    MonitorMetrics,
)
from answerprobe.monitor import Monitor
from answerprobe.run import Decision, Run, RunState, SampleResult, Trigger
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.status import MonitorStatus, Pause
from answerprobe.verdict import Outcome


_NOT_PASSED = (Outcome.FAIL, Outcome.ERROR)


class MetricsBoard:
    """Shows the scheduler's monitors as metrics, and failing answers with them."""

    def __init__(
        self,
        *,
        monitors: MonitorMetrics,
        exporter: ExporterMetrics,
        ledger: Ledger,
        answers: Store,
    ) -> None:
        self._monitors = monitors
        self._exporter = exporter
        self._ledger = ledger
        self._answers = answers

    def declare(
        self,
        monitor: Monitor,
        *,
        first_seen: datetime,
        priced: Collection[TokenRole],
    ) -> None:
        """Show *monitor* from now on, everything that can be counted at 0."""
        self._monitors.declare(monitor, first_seen=first_seen, priced_roles=priced)

    def remove(self, name: str) -> None:
        """Show nothing of *name* any more."""
        self._monitors.remove(name)

    def withhold(self, name: str) -> None:
        """Show nothing of *name* until it is declared again; its counters stay."""
        self._monitors.withhold(name)

    async def show_status(self, monitor: Monitor, status: MonitorStatus) -> None:
        """Show *status*, restored or unchanged by a run."""
        infos = await self._failing_answers(monitor, status, {})
        self._monitors.show_status(monitor.name, status)
        self._monitors.answers(monitor.name, infos)

    async def run_finished(
        self, monitor: Monitor, run: Run, status: MonitorStatus
    ) -> None:
        """Show a counted run and what it says."""
        newest = {
            sample.case_id: sample
            for sample in (*run.samples, *run.second_look)
            if sample.outcome in _NOT_PASSED
        }
        # Nothing awaits between the two: no scrape may see a run without its answers.
        infos = await self._failing_answers(monitor, status, newest)
        self._monitors.run_finished(run, status)
        self._monitors.answers(monitor.name, infos)

    async def _failing_answers(
        self,
        monitor: Monitor,
        status: MonitorStatus,
        newest: Mapping[str, SampleResult],
    ) -> tuple[AnswerInfo, ...]:
        """Return each failing case's new answer next to its last good one."""
        failing = {
            case.id: case.fingerprint
            for case in monitor.cases
            if (found := status.cases.get(case.id))
            and found.decision is Decision.FAILING
            and found.fingerprint == case.fingerprint
        }
        if not failing or not monitor.alert_answers:
            return ()
        # No more are shown: what nobody sees is not asked for.
        longest = sorted(failing, key=lambda i: status.cases[i].failing_since_run or 0)
        failing = {i: failing[i] for i in longest[:MOST_ANSWERS_PER_MONITOR]}
        good: Mapping[str, SampleResult] = {}
        # The alert matters more than its illustration: what is known is shown.
        with contextlib.suppress(StoreError):
            good = await self._answers.last_good(monitor.name, failing)
            if not newest:
                newest = await self._answers.newest(monitor.name, failing, _NOT_PASSED)
        return tuple(
            AnswerInfo(
                case_id=case_id,
                failing_since_run=status.cases[case_id].failing_since_run or 0,
                answer=newest[case_id].answer,
                last_good_answer=good[case_id].answer if case_id in good else None,
                reason=_reason(newest[case_id]),
            )
            for case_id in failing
            if case_id in newest
        )

    def run_counted(self, name: str, trigger: Trigger, state: RunState) -> None:
        """Count a run that moved no status."""
        self._monitors.run_counted(name, trigger, state)

    def run_skipped(self, name: str) -> None:
        """Count a scheduled run that was due while another went on."""
        self._monitors.run_skipped(name)

    def next_run(self, name: str, at: datetime | None) -> None:
        """Show when *name* is due next."""
        self._monitors.next_run(name, at)

    def paused(self, name: str, reason: Pause, *, on: bool) -> None:
        """Show whether *name* is paused for *reason*."""
        self._monitors.paused(name, reason, on=on)

    def budget(self, monitor: Monitor) -> None:
        """Show what *monitor* has spent of its budget."""
        self._monitors.budget(
            monitor.name,
            used_tokens=self._ledger.used_tokens(monitor.name),
            resets_at=self._ledger.reset_at,
        )

    def total_budget(self, limit_tokens: int | None) -> None:
        """Show what all monitors together have spent of theirs."""
        if limit_tokens is None:
            self._exporter.no_total_budget()
            return
        self._exporter.total_budget(
            limit_tokens,
            used_tokens=self._ledger.total_used_tokens(),
            resets_at=self._ledger.reset_at,
        )

    def deployed(self, name: str, version: str, at: datetime) -> None:
        """Show the newest deploy of *name*."""
        self._monitors.deployed(name, version, at)

    def schedule_lag(self, seconds: float) -> None:
        """Show how late a run's first sample started."""
        self._exporter.run_started(seconds)

    def internal_error(self) -> None:
        """Count a fault of our own."""
        self._exporter.internal_error()

    def tokens_spent(
        self, monitor: str, role: TokenRole, usage: TokenUsage, cost: float | None
    ) -> None:
        """Count what *role* spent on *monitor*."""
        self._monitors.tokens(monitor, role, usage, cost)


def _reason(sample: SampleResult) -> str:
    """Return which criterion kept *sample* from passing, and why."""
    for verdict in sample.verdicts:
        if verdict.outcome is not Outcome.PASS:
            return f"{verdict.criterion}: {verdict.reason}"
    return ""
