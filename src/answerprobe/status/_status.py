"""What is known of a monitor and its cases from the runs that counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from answerprobe.monitor import Monitor
from answerprobe.passrate import Interval, wilson, z_of
from answerprobe.run import Decision
from answerprobe.status._deploy import DeployComparison, RecentRuns


# A case regresses only against a baseline of at least so many decided runs.
BASELINE_MIN_RUNS = 3
RUNS_UNTIL_DEGRADED = 2


class Cause(StrEnum):
    """Whose change made a case regress. A closed set: a metric's label."""

    AGENT = "agent"
    JUDGE = "judge"


class Health(StrEnum):
    """A monitor's status in one word."""

    UNKNOWN = "unknown"
    UP = "up"
    DEGRADED = "degraded"
    DOWN = "down"
    PAUSED = "paused"


class Pause(StrEnum):
    """Why a monitor is paused. A closed set: a metric's label."""

    BUDGET = "budget"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStatus:
    """
    What the runs of one definition of a case say.

    *baseline*: its last decided runs, oldest first, True for passing. *window*: its
    last samples, oldest first, True for passed. *failing_since_run*: the id of the run
    it has failed from, until it passes.
    """

    fingerprint: str
    decision: Decision | None = None
    baseline: tuple[bool, ...] = ()
    window: tuple[bool, ...] = ()
    consecutive_failed_runs: int = 0
    regressed: Cause | None = None
    failing_since_run: int | None = None

    @property
    def always_passed(self) -> bool:
        """Whether it has a long enough baseline, all of it passing."""
        return len(self.baseline) >= BASELINE_MIN_RUNS and all(self.baseline)

    @property
    def window_ratio(self) -> float | None:
        """Passed among the samples of the window; None without any."""
        return sum(self.window) / len(self.window) if self.window else None

    def window_interval(self, confidence: float) -> Interval | None:
        """Return the Wilson interval of the window's pass rate; None without any."""
        if not self.window:
            return None
        return wilson(sum(self.window), len(self.window), z_of(confidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorStatus:
    """What a monitor's counted runs say. *up* is None before the first one."""

    up: bool | None = None
    pass_ratio: float | None = None
    runs_below_target: int = 0
    runs_down: int = 0
    runs_slow: int = 0
    slowness_ratio: float | None = None
    last_run_id: int | None = None
    last_run_finished_at: datetime | None = None
    last_run_duration_seconds: float | None = None
    cases: Mapping[str, CaseStatus] = field(default_factory=dict)
    recent: RecentRuns = field(default_factory=RecentRuns)
    deploy: DeployComparison | None = None

    def of(self, monitor: Monitor) -> "MonitorStatus":
        """
        Return what it says of the cases that *monitor* has, as they are defined.

        Nothing where it has none that counts: no run would ever take bad news back.
        """
        if not monitor.cases:
            return MonitorStatus()
        defined = {case.id: case.fingerprint for case in monitor.cases}
        cases = {
            case_id: case
            for case_id, case in self.cases.items()
            if defined.get(case_id) == case.fingerprint
        }
        return replace(self, cases=cases)

    @property
    def health(self) -> Health:
        """The status in one word; whether it is paused is known elsewhere."""
        if self.up is None:
            return Health.UNKNOWN
        if not self.up:
            return Health.DOWN
        regressed = any(c.regressed is Cause.AGENT for c in self.cases.values())
        if regressed or self.runs_below_target >= RUNS_UNTIL_DEGRADED:
            return Health.DEGRADED
        return Health.UP
