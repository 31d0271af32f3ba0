"""Labels that a monitor puts on its series."""

import re

from collections.abc import Mapping

from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, mapping


_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_OURS = frozenset(
    {
        "monitor",
        "trigger",
        "state",
        "case",
        "outcome",
        "reason",
        "result",
        "criterion",
        "cause",
        "answer",
        "last_good_answer",
        "termination",
        "role",
        "kind",
        "estimated",
        "version",
        "judge",
        "model",
        "prompt_version",
        "verdict",
        "sha256",
        "external_url",
        "revision",
        "python_version",
    }
)
_OF_OTHERS = frozenset(
    {
        "le",
        "quantile",
        "job",
        "instance",
        "pod",
        "node",
        "namespace",
        "container",
        "endpoint",
        "service",
        "severity",
        "alertname",
    }
)


def read_labels(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> Mapping[str, str]:
    """Return the labels of the monitor *raw*."""
    labels = {name: str(value) for name, value in mapping(raw, "labels").items()}
    for name, value in labels.items():
        here = (*path, "labels", name)
        if fault := _fault_of_name(name):
            reading.findings.add(here, fault, at_key=True)
        elif not value:
            message = "is empty, which Prometheus takes for no label at all"
            reading.findings.add(here, message)
    return labels


def _fault_of_name(name: str) -> str | None:
    """Return why a label may not be called *name*."""
    if not _NAME.fullmatch(name) or name.startswith("__"):
        wanted = "letters, digits and _, neither a digit nor __ at the start"
        return f"is no label name; wanted: {wanted}"
    if name in _OURS:
        return "is a label of answerprobe's own metrics; choose another name"
    if name in _OF_OTHERS:
        return "is a label that Prometheus or Kubernetes sets; choose another name"
    return None
