"""What API and command line say of runs and monitors: JSON and CSV."""

from answerprobe.shapes._csv import COLUMNS, csv_lines, to_csv
from answerprobe.shapes._experiment import experiment_shape
from answerprobe.shapes._json import (
    Shape,
    estimate_shape,
    instant,
    monitor_shape,
    run_summary,
    run_whole,
    sample_shape,
)
from answerprobe.shapes._log import run_log
from answerprobe.shapes._views import (
    BudgetView,
    GoingView,
    JudgeView,
    MonitorView,
    SecondLookView,
)


__all__ = [
    "COLUMNS",
    "BudgetView",
    "GoingView",
    "JudgeView",
    "MonitorView",
    "SecondLookView",
    "Shape",
    "csv_lines",
    "estimate_shape",
    "experiment_shape",
    "instant",
    "monitor_shape",
    "run_log",
    "run_summary",
    "run_whole",
    "sample_shape",
    "to_csv",
]
