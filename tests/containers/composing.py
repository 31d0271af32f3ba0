"""The compose file as docker compose itself reads it."""

import os
import shutil
import subprocess

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from containers.dockerfile import ROOT


FOLDER = ROOT / "deploy" / "compose"
# Itself: the script that its package installs ends with 0 always.
_COMPOSE = resources.files("compose") / "docker-compose"


def composed(**environment: str) -> subprocess.CompletedProcess[str]:
    """Return what docker compose makes of the file."""
    return subprocess.run(  # noqa: S603  # a program of ours and a file of ours
        [str(_COMPOSE), "--file", FOLDER / "compose.yaml", "config", "--format=json"],
        env={"PATH": os.environ["PATH"], "HOME": str(FOLDER), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def flag(service: Mapping[str, Any], name: str) -> str:
    """Return the value of *name* in the command of *service*."""
    found = [word for word in service["command"] if word.startswith(f"{name}=")]
    return str(found[0]).partition("=")[2]


def tree(service: Mapping[str, Any], target: str, folder: Path) -> Path:
    """Copy what *service* sees below *target* into *folder*."""
    for volume in service["volumes"]:
        path = Path(volume["target"])
        if volume["type"] == "bind" and path.is_relative_to(target):
            to = folder / path.relative_to(target)
            to.parent.mkdir(parents=True, exist_ok=True)
            source = Path(volume["source"])
            (shutil.copytree if source.is_dir() else shutil.copy)(source, to)
    return folder
