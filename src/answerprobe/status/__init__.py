"""
What the counted runs of a monitor say: (previous status, finished run) -> status.

Pure: no clock, no I/O. A run that does not count never comes here.
"""

from answerprobe.status._advance import (
    BASELINE_MAX_RUNS,
    WINDOW_MIN_SAMPLES,
    advance,
)
from answerprobe.status._deploy import DeployComparison, RecentRuns
from answerprobe.status._look import (
    case_results,
    confirmed,
    is_down,
    newly_regressed,
    to_confirm,
)
from answerprobe.status._status import (
    BASELINE_MIN_RUNS,
    CaseStatus,
    Cause,
    Health,
    MonitorStatus,
    Pause,
)


__all__ = [
    "BASELINE_MAX_RUNS",
    "BASELINE_MIN_RUNS",
    "WINDOW_MIN_SAMPLES",
    "CaseStatus",
    "Cause",
    "DeployComparison",
    "Health",
    "MonitorStatus",
    "Pause",
    "RecentRuns",
    "advance",
    "case_results",
    "confirmed",
    "is_down",
    "newly_regressed",
    "to_confirm",
]
