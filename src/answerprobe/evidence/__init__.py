"""The evidence store: what a person looks at, and what must outlive the process."""

from answerprobe.evidence._backlog import BacklogLimits
from answerprobe.evidence._costs import Costs, RunTime, SampleCost
from answerprobe.evidence._experiments import ExperimentPage, Experiments
from answerprobe.evidence._journal import Journal, StorageObserver
from answerprobe.evidence._records import (
    DEFAULT_RETENTION,
    CaseAnswers,
    FinishedRun,
    Forgotten,
    Increment,
    Pruned,
    RunPage,
    RunQuery,
    RunSummary,
    StoredDeploy,
    StoredMonitor,
    StoredTokens,
    UnfinishedRun,
    summary,
)
from answerprobe.evidence._redact import redacted
from answerprobe.evidence._store import Store


__all__ = [
    "DEFAULT_RETENTION",
    "BacklogLimits",
    "CaseAnswers",
    "Costs",
    "ExperimentPage",
    "Experiments",
    "FinishedRun",
    "Forgotten",
    "Increment",
    "Journal",
    "Pruned",
    "RunPage",
    "RunQuery",
    "RunSummary",
    "RunTime",
    "SampleCost",
    "StorageObserver",
    "Store",
    "StoredDeploy",
    "StoredMonitor",
    "StoredTokens",
    "UnfinishedRun",
    "redacted",
    "summary",
]
