"""The judge: a model that says whether an answer meets a rubric."""

from answerprobe.judge._base import (
    Ambient,
    Judgement,
    JudgeObserver,
    JudgeOutcome,
    Unobserved,
)
from answerprobe.judge.calibration import (
    Candidate,
    calibrate,
    canaries_of,
    definition_of,
    model_name,
)
from answerprobe.judge.fault import Blame, at_fault
from answerprobe.judge.judge import Judge
from answerprobe.judge.prompt import FIXED_TEXT, PROMPT_VERSION


__all__ = [
    "FIXED_TEXT",
    "PROMPT_VERSION",
    "Ambient",
    "Blame",
    "Candidate",
    "Judge",
    "JudgeObserver",
    "JudgeOutcome",
    "Judgement",
    "Unobserved",
    "at_fault",
    "calibrate",
    "canaries_of",
    "definition_of",
    "model_name",
]
