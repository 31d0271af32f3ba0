"""The chart, as Helm renders it."""

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import helm_python
import yaml


ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "answerprobe"
EXAMPLES = sorted(CHART.glob("ci/*-values.yaml"))
ON_POSTGRES = {"storage": {"url": "postgresql://probe:pg-s3cret@db.example/probe"}}

Document = dict[str, Any]


def values_of(example: Path) -> Document:
    """Return the values in the file *example*."""
    values: Document = yaml.safe_load(example.read_text(encoding="utf-8"))
    return values


def texts(values: Mapping[str, object], name: str = "demo") -> dict[str, str]:
    """Return what each template makes of *values*, by the template's path."""
    with helm_python.Chart.load(str(CHART)) as chart:
        rendered: dict[str, str] = chart.render(
            dict(values), name=name, namespace="prod"
        )
    return rendered


def render(
    values: Mapping[str, object] | None = None, name: str = "demo"
) -> list[Document]:
    """Return the documents that *values* make."""
    return [
        document
        for path, text in texts(values or {}, name).items()
        if path.endswith(".yaml")
        for document in yaml.safe_load_all(text)
        if document
    ]


def refusal(values: Mapping[str, object]) -> str:
    """Return why Helm renders nothing of *values*; empty where it does."""
    try:
        render(values)
    except helm_python.HelmError as error:
        return str(error)
    return ""


def all_of(documents: list[Document], kind: str) -> list[Document]:
    """Return those of *kind*."""
    return [document for document in documents if document["kind"] == kind]


def one(documents: list[Document], kind: str) -> Document:
    """Return the only one of *kind*."""
    (document,) = all_of(documents, kind)
    return document


def secret(documents: list[Document], suffix: str) -> dict[str, str]:
    """Return what is in the Secret whose name ends in *suffix*."""
    (found,) = [
        document
        for document in all_of(documents, "Secret")
        if document["metadata"]["name"].endswith(suffix)
    ]
    return {
        key: b64decode(value, validate=True).decode()
        for key, value in found["data"].items()
    }


def pod(documents: list[Document]) -> Document:
    """Return the pod of the Deployment."""
    spec: Document = one(documents, "Deployment")["spec"]["template"]["spec"]
    return spec


def container(documents: list[Document]) -> Document:
    """Return the daemon's container."""
    (found,) = pod(documents)["containers"]
    assert isinstance(found, dict)
    return found
