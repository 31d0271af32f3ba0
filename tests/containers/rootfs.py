"""
Follows our Dockerfile without a container engine.

What a stage changes is kept in a folder that is laid over this machine's own root: the
machine stands in for the base image. Commands run below that root (chroot), in
namespaces of their own. That takes root.
"""

import os
import shlex
import shutil
import subprocess
import sys

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from containers.dockerfile import PATH, ROOT, Stage


_TIMEOUT_SECONDS = 300
_PYTHON = Path(os.path.realpath(sys.executable))
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", ".git")
# What a build may need of this machine to reach its package index.
_PASSED_ON = ("PIP_", "UV_", "SSL_", "REQUESTS_", "CURL_", "http", "HTTP", "no_", "NO_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What a stage has changed, in *folder*."""

    folder: Path

    @classmethod
    def begun(cls, folder: Path) -> "Layer":
        """Return a new layer, in which everybody may run this test's own Python."""
        layer = cls(folder=folder)
        for name in ("changes", "work", "root"):
            (folder / name).mkdir(parents=True)
        for parent in reversed(_PYTHON.parents):
            layer.at(parent).mkdir(exist_ok=True)
            layer.at(parent).chmod(0o755)
        layer.at(_PYTHON.with_name("python")).symlink_to(_PYTHON.name)
        return layer

    def at(self, path: str | Path | PurePosixPath) -> Path:
        """Return where *path* of the stage is on this machine, if it was changed."""
        return self.folder / "changes" / str(path).lstrip("/")

    def command(
        self, words: Sequence[str], *, mounts: Iterable[str] = (), network: bool = True
    ) -> list[str]:
        """
        Return what runs *words* below this root, where it may be written.

        *mounts* come last, with `$root` for the root's folder; without *network* there
        is only loopback.
        """
        script = [
            "set -e",
            f"root={shlex.quote(str(self.folder / 'root'))}",
            *mounts,
            "mount --rbind /dev $root/dev",
            "mount -t proc proc $root/proc",
            *(() if network else ("ip link set lo up",)),
            f"exec chroot $root {shlex.join(words)}",
        ]
        space = ["unshare", "--mount", "--propagation=private"]
        return [
            *space,
            *(() if network else ("--net",)),
            "bash",
            "-c",
            "\n".join(script),
        ]

    @property
    def writable(self) -> str:
        """The command that lays the changes over this machine's root."""
        options = {
            "lowerdir": "/",
            "upperdir": self.folder / "changes",
            "workdir": self.folder / "work",
            # Several may look at the same changes at once; none of those writes.
            "index": "off",
        }
        joined = ",".join(f"{key}={text}" for key, text in options.items())
        return f"mount -t overlay overlay -o {shlex.quote(joined)} $root"

    @property
    def read_only(self) -> str:
        """The same, as a file system that nobody can write to."""
        return f"{self.writable} && mount -o remount,bind,ro $root"


def build(stages: Sequence[Stage], folder: Path) -> Layer:
    """Follow *stages* below *folder*; returns what the last one makes."""
    built: dict[str, Layer] = {}
    layer = Layer.begun(folder / "0")
    for number, stage in enumerate(stages):
        layer = layer if number == 0 else Layer.begun(folder / str(number))
        _follow(stage, layer, built)
        built[stage.name] = layer
    return layer


def _follow(stage: Stage, layer: Layer, built: dict[str, Layer]) -> None:
    """Do what *stage* says in *layer*."""
    workdir = PurePosixPath("/")
    for step in stage.instructions:
        match step.name:
            case "WORKDIR":
                workdir /= step.value
                layer.at(workdir).mkdir(parents=True, exist_ok=True)
            case "COPY":
                origin = step.flag("from")
                for source in step.words[:-1]:
                    target = layer.at(workdir / step.words[-1])
                    if origin:
                        shutil.copytree(built[origin].at(source), target, symlinks=True)
                    else:
                        _copy(ROOT / source, target, step.words[-1])
            case "RUN":
                _run(step.value, layer, workdir)
            case _:
                # The rest only describes the image.
                continue


def _copy(source: Path, target: Path, written: str) -> None:
    """Copy *source*, of the repository, as COPY does; *written*: the target's text."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=_IGNORED)
        return
    into = target / source.name if written.endswith("/") else target
    into.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, into)


def _run(command: str, layer: Layer, workdir: PurePosixPath) -> None:
    """Run *command* as RUN does: by the shell, as root."""
    passed = [
        f"{key}={text}"
        for key, text in os.environ.items()
        if key.startswith(_PASSED_ON)
    ]
    shell = f"cd {workdir} && {command}"
    words = [
        "env",
        "-i",
        f"PATH={_PYTHON.parent}:{PATH}",
        "HOME=/root",
        *passed,
        "/bin/sh",
        "-ec",
        shell,
    ]
    done = subprocess.run(  # noqa: S603  # commands of our own Dockerfile
        layer.command(words, mounts=[layer.writable]),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
