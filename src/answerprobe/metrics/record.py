"""One monitor's runs, status and spending, turned into values of its series."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import accumulate

from answerprobe.case import Threshold
from answerprobe.metrics.families import MonitorFamily as Family
from answerprobe.metrics.families import RunEnd
from answerprobe.metrics.layout import criteria_of
from answerprobe.metrics.store import MonitorSeries, Value
from answerprobe.monitor import Monitor
from answerprobe.passrate import Change
from answerprobe.run import Decision, Run, SampleResult, Trigger
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.status import (
    CaseStatus,
    Cause,
    DeployComparison,
    MonitorStatus,
    Pause,
)
from answerprobe.verdict import Outcome


class MonitorRecord:
    """Writes what is known of *monitor* into *series*."""

    def __init__(self, monitor: Monitor, series: MonitorSeries) -> None:
        self.monitor = monitor
        self.series = series
        criteria = [criteria_of(case) for case in monitor.cases]
        *starts, _ = accumulate(map(len, criteria), initial=0)
        self._rows = {case.id: row for row, case in enumerate(monitor.cases)}
        self._criteria = dict(
            zip(self._rows, zip(starts, criteria, strict=True), strict=True)
        )

    def configure(
        self, *, first_seen: datetime, priced_roles: Collection[TokenRole]
    ) -> None:
        """Show what the configuration says; what can now be counted starts at 0."""
        monitor, series = self.monitor, self.series
        series.put(Family.TARGET_PASS_RATIO, monitor.target_pass_ratio)
        series.put(Family.WITHIN_SECONDS, monitor.within_seconds)
        series.put(Family.RUN_INTERVAL, monitor.every_seconds)
        series.put(Family.FIRST_SEEN, first_seen.timestamp())
        series.put(Family.TOKEN_BUDGET, monitor.token_budget)
        if monitor.token_budget is None:
            series.put(Family.TOKEN_BUDGET_USED, None)
            series.put(Family.TOKEN_BUDGET_RESET, None)
        if monitor.every_seconds is None:
            series.put(Family.NEXT_RUN_TIMESTAMP, None)
        for row, case in enumerate(monitor.cases):
            bar = case.bar.above if isinstance(case.bar, Threshold) else None
            series.put(Family.CASE_THRESHOLD, bar, row)
        for key, position in Family.COST.family.positions.items():
            self._count_or_not(Family.COST, position, counts=key[0] in priced_roles)
        for position in range(len(Family.FIRST_TOKEN.family.buckets) + 3):
            self._count_or_not(
                Family.FIRST_TOKEN, position, counts=monitor.target.stream
            )
        talks = [case.conversation is not None for case in monitor.cases]
        for position in range(len(Family.CONVERSATION_TURNS.family.buckets) + 3):
            self._count_or_not(Family.CONVERSATION_TURNS, position, counts=any(talks))
        width = Family.CONVERSATIONS.family.width
        for position in range(width * len(talks)):
            self._count_or_not(
                Family.CONVERSATIONS, position, counts=talks[position // width]
            )

    def show(self, status: MonitorStatus) -> None:
        """Show *status*, that of the last counted run."""
        values: tuple[tuple[Family, Value], ...] = (
            (Family.UP, None if status.up is None else int(status.up)),
            (Family.RUN_PASS_RATIO, status.pass_ratio),
            (Family.RUNS_BELOW_TARGET, status.runs_below_target),
            (Family.RUNS_DOWN, status.runs_down),
            (Family.RUNS_SLOW, status.runs_slow),
            (Family.RUN_SLOWNESS_RATIO, status.slowness_ratio),
            (Family.LAST_RUN_ID, status.last_run_id),
            (Family.LAST_RUN_TIMESTAMP, _timestamp(status.last_run_finished_at)),
            (Family.LAST_RUN_DURATION, status.last_run_duration_seconds),
        )
        for family, value in values:
            self.series.put(family, value)
        for row, case in enumerate(self.monitor.cases):
            known = status.cases.get(case.id)
            if known is None or known.fingerprint != case.fingerprint:
                known = CaseStatus(fingerprint=case.fingerprint)
            self._show_case(row, known, case.confidence)

    def show_deploy(self, deploy: DeployComparison | None) -> None:
        """Show how the latest deploy compares, once that is known."""
        found = deploy.difference if deploy else None
        change = Change.of(found) if found else None
        for each in Change:
            known = None if change is None else int(each is change)
            position = Family.DEPLOY_RESULT.family.positions[(each,)]
            self.series.put(Family.DEPLOY_RESULT, known, position)
        values = (
            (Family.DEPLOY_DIFFERENCE, found.difference if found else None),
            (Family.DEPLOY_DIFFERENCE_LOWER_BOUND, found.low if found else None),
            (Family.DEPLOY_DIFFERENCE_UPPER_BOUND, found.high if found else None),
        )
        for family, value in values:
            self.series.put(family, value)

    def count_run(self, trigger: Trigger, end: RunEnd) -> None:
        """Count a run, whatever kind it was."""
        self.series.increase(Family.RUNS, 1, Family.RUNS.family.positions[trigger, end])

    def count_samples(self, run: Run) -> None:
        """Count the samples of *run*, a completed full run that counts."""
        for sample in run.samples:
            row = self._rows.get(sample.case_id)
            # A case can leave the configuration while its run goes on.
            if row is not None:
                self._count_sample(row, sample, run)
        answered = [s for s in run.samples if s.outcome is not Outcome.ERROR]
        turns = [(seconds, s) for s in answered for seconds in s.turn_seconds]
        self._observe(Family.ANSWER_DURATION, turns, run)
        if self.monitor.target.stream:
            first_tokens = [
                (s.first_token_seconds, s)
                for s in answered
                if s.first_token_seconds is not None
            ]
            self._observe(Family.FIRST_TOKEN, first_tokens, run)
        talks = [(float(s.user_turns), s) for s in run.samples if s.termination]
        if talks:
            self._observe(Family.CONVERSATION_TURNS, talks, run)

    def count_tokens(
        self, role: TokenRole, usage: TokenUsage, cost_dollars: float | None
    ) -> None:
        """Count what *role* spent; no dollars where no price is set."""
        estimated = "true" if usage.estimated else "false"
        positions = Family.TOKENS.family.positions
        for kind, spent in (
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
        ):
            self.series.increase(Family.TOKENS, spent, positions[role, kind, estimated])
        if cost_dollars is not None:
            position = Family.COST.family.positions[(role,)]
            self.series.increase(Family.COST, cost_dollars, position)

    def show_pause(self, reason: Pause, *, on: bool) -> None:
        """Show whether it is paused for *reason*."""
        position = Family.PAUSED.family.positions[(reason,)]
        self.series.put(Family.PAUSED, int(on), position)

    def _count_or_not(self, family: Family, position: int, *, counts: bool) -> None:
        """Let a series exist, from 0 where it is new, or be absent."""
        value = self.series.get(family, position)
        self.series.put(family, (value or 0) if counts else None, position)

    def _show_case(self, row: int, status: CaseStatus, confidence: float) -> None:
        """Show the *status* of case number *row*."""
        passing = {Decision.PASSING: 1, Decision.FAILING: 0}
        interval = status.window_interval(confidence)
        bound = None if interval is None else interval.low
        decided = None if status.decision is None else passing.get(status.decision)
        values: tuple[tuple[Family, Value], ...] = (
            (Family.CASE_PASSING, decided),
            (Family.CASE_PASS_RATIO, status.window_ratio),
            (Family.CASE_PASS_RATIO_LOWER_BOUND, bound),
            (Family.CASE_WINDOW_SAMPLES, len(status.window)),
            (Family.CASE_FAILED_RUNS, status.consecutive_failed_runs),
        )
        for family, value in values:
            self.series.put(family, value, row)
        for cause in Cause:
            self.series.put(
                Family.CASE_REGRESSED,
                int(status.regressed is cause),
                _position(Family.CASE_REGRESSED, row, cause),
            )

    def _count_sample(self, row: int, sample: SampleResult, run: Run) -> None:
        """Count one *sample* of case number *row*; what went wrong leads to its run."""
        at = _position(Family.SAMPLES, row, sample.outcome)
        self.series.increase(Family.SAMPLES, 1, at)
        if sample.outcome is not Outcome.PASS:
            self.series.exemplify(Family.SAMPLES, exemplar(run, sample), at)
        if sample.failure is not None and sample.outcome is Outcome.ERROR:
            at = Family.SAMPLE_ERRORS.family.positions[(sample.failure.reason,)]
            self._count_failure(Family.SAMPLE_ERRORS, at, exemplar(run, sample))
        if sample.termination is not None:
            at = _position(Family.CONVERSATIONS, row, sample.termination)
            self.series.increase(Family.CONVERSATIONS, 1, at)
        start, labels = self._criteria[sample.case_id]
        for verdict in sample.verdicts:
            if verdict.outcome is Outcome.FAIL and verdict.criterion in labels:
                at = start + labels.index(verdict.criterion)
                self._count_failure(
                    Family.CRITERION_FAILURES, at, exemplar(run, sample)
                )

    def _count_failure(self, family: Family, position: int, text: str) -> None:
        """Count a failure, with the exemplar *text*."""
        self.series.increase(family, 1, position)
        self.series.exemplify(family, text, position)

    def _observe(
        self, family: Family, observed: Sequence[tuple[float, SampleResult]], run: Run
    ) -> None:
        """Add *observed* seconds of samples to a histogram."""
        bounds = family.family.buckets
        counts = [0] * (len(bounds) + 1)
        latest = {}
        for seconds, sample in observed:
            bucket = bisect_left(bounds, seconds)
            counts[bucket] += 1
            latest[bucket] = (seconds, sample)
        for bucket, (seconds, sample) in latest.items():
            self.series.exemplify(family, exemplar(run, sample, seconds), bucket)
        for bucket, count in enumerate(accumulate(counts)):
            self.series.increase(family, count, bucket)
        total = sum(seconds for seconds, _ in observed)
        self.series.increase(family, total, len(counts))
        self.series.increase(family, len(observed), len(counts) + 1)


def exemplar(run: Run, sample: SampleResult, value: float = 1) -> str:
    """Return what leads from a value to the *run* that last added to it."""
    ended_at = sample.started_at.timestamp() + sample.duration_seconds
    return f'# {{run_id="{run.id}"}} {value!r} {ended_at:.3f}'


def _timestamp(at: datetime | None) -> float | None:
    """Return *at* as seconds since the epoch."""
    return None if at is None else at.timestamp()


def _position(family: Family, row: int, value: str) -> int:
    """Return where the series of case number *row* with one closed *value* stands."""
    return row * family.family.width + family.family.positions[(value,)]
