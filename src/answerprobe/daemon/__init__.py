"""The composition root: the only place that puts everything together."""

from answerprobe.daemon._calibrate_once import (
    Calibrated,
    CalibrateOptions,
    calibrate_once,
)
from answerprobe.daemon._daemon import Daemon, ServeOptions
from answerprobe.daemon._grade import GradeOptions, Recorded, grade_recorded
from answerprobe.daemon._listen import ListenAddress
from answerprobe.daemon._once import OnceOptions, run_once
from answerprobe.daemon._serve import serve


__all__ = [
    "CalibrateOptions",
    "Calibrated",
    "Daemon",
    "GradeOptions",
    "ListenAddress",
    "OnceOptions",
    "Recorded",
    "ServeOptions",
    "calibrate_once",
    "grade_recorded",
    "run_once",
    "serve",
]
