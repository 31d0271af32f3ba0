"""The evidence store: what a person looks at, and what must outlive the process."""

from answerprobe.evidence._backlog import BacklogLimits
from answerprobe.evidence._claims import Wish
from answerprobe.evidence._cluster import Cluster, News, Reply, Taken, Told
from answerprobe.evidence._costs import Costs, RunTime, SampleCost
from answerprobe.evidence._experiments import ExperimentPage, Experiments
from answerprobe.evidence._history import History
from answerprobe.evidence._journal import Journal
from answerprobe.evidence._outbox import StorageObserver
from answerprobe.evidence._records import (
    DEFAULT_RETENTION,
    CaseAnswers,
    Claim,
    FailingCase,
    Fault,
    FinishedRun,
    Forgotten,
    HistoryPoint,
    Increment,
    KeptSample,
    Pruned,
    RunPage,
    RunQuery,
    RunSummary,
    SamplePage,
    SampleQuery,
    StoredDeploy,
    StoredMonitor,
    StoredTokens,
    UnfinishedRun,
    summary,
)
from answerprobe.evidence._redact import redacted
from answerprobe.evidence._replicas import Granted, Member, Renewed
from answerprobe.evidence._store import Store


__all__ = [
    "DEFAULT_RETENTION",
    "BacklogLimits",
    "CaseAnswers",
    "Claim",
    "Cluster",
    "Costs",
    "ExperimentPage",
    "Experiments",
    "FailingCase",
    "Fault",
    "FinishedRun",
    "Forgotten",
    "Granted",
    "History",
    "HistoryPoint",
    "Increment",
    "Journal",
    "KeptSample",
    "Member",
    "News",
    "Pruned",
    "Renewed",
    "Reply",
    "RunPage",
    "RunQuery",
    "RunSummary",
    "RunTime",
    "SampleCost",
    "SamplePage",
    "SampleQuery",
    "StorageObserver",
    "Store",
    "StoredDeploy",
    "StoredMonitor",
    "StoredTokens",
    "Taken",
    "Told",
    "UnfinishedRun",
    "Wish",
    "redacted",
    "summary",
]
