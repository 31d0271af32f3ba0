"""What API and command line say of runs and monitors: JSON and CSV."""

from answerprobe.shapes._csv import COLUMNS, csv_lines, to_csv
from answerprobe.shapes._experiment import experiment_shape
from answerprobe.shapes._json import (
    Shape,
    instant,
    monitor_shape,
    run_summary,
    run_whole,
    sample_shape,
)
from answerprobe.shapes._views import BudgetView, MonitorView, SecondLookView


__all__ = [
    "COLUMNS",
    "BudgetView",
    "MonitorView",
    "SecondLookView",
    "Shape",
    "csv_lines",
    "experiment_shape",
    "instant",
    "monitor_shape",
    "run_summary",
    "run_whole",
    "sample_shape",
    "to_csv",
]
