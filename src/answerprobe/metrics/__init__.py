"""What Prometheus scrapes: the catalogue, the values, and how they become text."""

from answerprobe.metrics.answers import MOST_ANSWERS_PER_MONITOR, AnswerInfo
from answerprobe.metrics.exporter import ExporterMetrics
from answerprobe.metrics.exposition import Exposition, Rendered
from answerprobe.metrics.judges import JudgeMetrics
from answerprobe.metrics.monitors import MonitorMetrics
from answerprobe.metrics.probe import PROBE_FAMILIES, Probed, probe_text
from answerprobe.metrics.registry import own_registry
from answerprobe.metrics.store import SeriesStore


__all__ = [
    "MOST_ANSWERS_PER_MONITOR",
    "PROBE_FAMILIES",
    "AnswerInfo",
    "ExporterMetrics",
    "Exposition",
    "JudgeMetrics",
    "MonitorMetrics",
    "Probed",
    "Rendered",
    "SeriesStore",
    "own_registry",
    "probe_text",
]
