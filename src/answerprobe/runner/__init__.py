"""One run of one monitor, from its first sample to its last."""

from answerprobe.runner._assignment import (
    Assignment,
    Grader,
    Progress,
    RunObserver,
    SecondLook,
)
from answerprobe.runner._executor import Executor
from answerprobe.runner._grading import Graded, Grading
from answerprobe.runner._job import Claimed, Executed, Job, RunJournal
from answerprobe.runner._runner import Runner
from answerprobe.runner._slots import Slots


__all__ = [
    "Assignment",
    "Claimed",
    "Executed",
    "Executor",
    "Graded",
    "Grader",
    "Grading",
    "Job",
    "Progress",
    "RunJournal",
    "RunObserver",
    "Runner",
    "SecondLook",
    "Slots",
]
