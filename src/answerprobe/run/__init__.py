"""A run: every case put to a target a number of times, and how that ended."""

from answerprobe.run._result import (
    CaseResult,
    CriterionResult,
    Decision,
    case_result,
    criterion_result,
    criterion_results,
    decide,
    impossible,
    pass_ratio,
    scaled,
)
from answerprobe.run._run import (
    DeployRequest,
    GradedBy,
    Run,
    RunRequest,
    RunState,
    SampleResult,
    Trigger,
    count_outcomes,
)


__all__ = [
    "CaseResult",
    "CriterionResult",
    "Decision",
    "DeployRequest",
    "GradedBy",
    "Run",
    "RunRequest",
    "RunState",
    "SampleResult",
    "Trigger",
    "case_result",
    "count_outcomes",
    "criterion_result",
    "criterion_results",
    "decide",
    "impossible",
    "pass_ratio",
    "scaled",
]
