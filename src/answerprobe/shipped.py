"""
What is shipped beside the code: alert rules, dashboards and examples.

A wheel has them in the package, under `assets`; a checkout, which an editable install
runs from, has them in the very folders that wheels are built from.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from answerprobe.errors import ShippedError


# Folder -> what of it is shipped, by how names end. The wheel's list of folders is in
# pyproject.toml.
_SHIPPED: Mapping[str, tuple[str, ...]] = {
    "alert_rules": (".rules.yml",),
    "deploy/alertmanager": (".yml", ".tmpl"),
    "deploy/prometheus": (".yml",),
    "deploy/systemd": (".service", ".sysusers"),
    "grafana": (".json",),
}
_CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedFile:
    """A file as it was shipped; *path* is relative, with `/` between its parts."""

    path: str
    content: bytes


def shipped() -> tuple[ShippedFile, ...]:
    """
    Return every shipped file, by path.

    Raises:
        ShippedError: this copy of answerprobe comes without them.
    """
    assets = resources.files("answerprobe") / "assets"
    root = assets if assets.is_dir() else _CHECKOUT
    found = [
        file for folder in _SHIPPED for file in _below(root.joinpath(folder), folder)
    ]
    if not found:
        raise ShippedError(
            "this copy of answerprobe comes without rules and dashboards"
        )
    return tuple(sorted(found, key=lambda file: file.path))


def _below(folder: Traversable, path: str) -> Iterator[ShippedFile]:
    """Yield what is shipped of *folder*, which is at *path*."""
    if not folder.is_dir():
        return
    suffixes = _SHIPPED[path]
    for entry in folder.iterdir():
        if entry.is_file() and entry.name.endswith(suffixes):
            yield ShippedFile(path=f"{path}/{entry.name}", content=entry.read_bytes())
