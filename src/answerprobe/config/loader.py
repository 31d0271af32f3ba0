"""From a file to a Config, or to everything that is wrong with it."""

import gc
import hashlib
import os

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from answerprobe.config._accepted import count_accepted, missing
from answerprobe.config._build import build
from answerprobe.config._findings import Findings
from answerprobe.config._judges import judge_of_environment
from answerprobe.config._positions import MOST_SHOWN, place
from answerprobe.config._reading import Reading
from answerprobe.config._resolve import resolve
from answerprobe.config._shape import check_shape, without
from answerprobe.config._show import show
from answerprobe.config._yaml import read
from answerprobe.config.changes import MonitorChange
from answerprobe.config.settings import Config
from answerprobe.config.written import Written
from answerprobe.errors import ConfigError, Problem
from answerprobe.lock import Lock, lock_of
from answerprobe.lock import read as read_lock
from answerprobe.monitor import JudgeSettings
from answerprobe.secret import SecretSource


MOST_BYTES = 32 * 1024 * 1024


def load(
    path: Path,
    *,
    secrets: SecretSource,
    allow_missing_secrets: bool = False,
    environment: Mapping[str, str] = os.environ,
    keep_lock: bool = True,
    change: MonitorChange | None = None,
) -> Config:
    """
    Return the configuration in the file at *path*, with *change* made to it.

    With a lock beside it, only the cases count that were accepted; without *keep_lock*
    all are as if there were none.

    Raises:
        ConfigError: it is refused; carries everything that is wrong, in file order.
            An accepted case that has changed or is gone is wrong.
    """
    content = read_bytes(path)
    config = parse(
        content,
        path,
        secrets=secrets,
        allow_missing_secrets=allow_missing_secrets,
        environment=environment,
        change=change,
    )
    lock = read_lock(lock_of(path)) if keep_lock else None
    return config if lock is None else _kept(config, lock, content)


def parse(
    content: bytes,
    path: Path,
    *,
    secrets: SecretSource,
    allow_missing_secrets: bool = False,
    environment: Mapping[str, str] = os.environ,
    change: MonitorChange | None = None,
) -> Config:
    """
    Return the configuration that *content* would be as the file at *path*, unlocked.

    Raises:
        ConfigError: it is refused; carries everything that is wrong, in file order.
    """
    with _without_garbage_collection():
        text = decode(content, str(path))
        document = read(text, str(path))
        reading = Reading(
            findings=Findings(),
            secrets=secrets,
            allow_missing_secrets=allow_missing_secrets,
            folder=path.parent,
            environment=environment,
        )
        sha256 = hashlib.sha256(content).hexdigest()
        root = change.applied(document.root) if change else document.root
        config = _build(root, path, sha256, reading)
        if document.problems or reading.findings or config is None:
            placed = place(reading.findings, text, str(path))
            raise refusal((*document.problems, *placed))
        return config


def _kept(config: Config, lock: Lock, content: bytes) -> Config:
    """
    Return *config*, which is written in *content*, as *lock* allows it.

    Raises:
        ConfigError: it breaks the lock; names each case that does.
    """
    findings = Findings()
    counted = count_accepted(config, lock, findings)
    gone = tuple(missing(config, lock))
    if findings:
        file = str(config.path)
        raise refusal((*place(findings, decode(content, file), file), *gone))
    if gone:
        raise refusal(gone)
    return counted


def implied_judge(
    *, secrets: SecretSource, environment: Mapping[str, str] = os.environ
) -> JudgeSettings:
    """
    Return the judge that is used where a configuration has none.

    Raises:
        ConfigError: the environment sets it to something that cannot be.
    """
    reading = Reading(
        findings=Findings(),
        secrets=secrets,
        allow_missing_secrets=True,
        folder=Path(),
        environment=environment,
    )
    judge = judge_of_environment(reading)
    if reading.findings:
        raise ConfigError(place(reading.findings, "", "environment"))
    return judge


def _build(root: object, path: Path, sha256: str, reading: Reading) -> Config | None:
    """Return the configuration; None where *root* is no mapping."""
    if not isinstance(root, dict):
        shown = "empty" if root is None else show(root)
        message = f"the file is {shown}; wanted: a mapping with `monitors`"
        reading.findings.add((), message)
        return None
    resolved = resolve(root, reading.findings)
    unusable = check_shape(resolved, reading.findings)
    usable = without(resolved, unusable)
    if not isinstance(resolved, dict) or not isinstance(usable, dict):
        return None
    config = build(usable, path, sha256, reading)
    return replace(config, written=Written(root=resolved))


def refusal(problems: tuple[Problem, ...]) -> ConfigError:
    """Return *problems* in file order; of very many only the first."""
    ordered = sorted(problems, key=lambda each: (each.file, each.line, each.column))
    kept, others = ordered[:MOST_SHOWN], ordered[MOST_SHOWN:]
    if others:
        message = f"and {len(others)} more"
        first = others[0]
        more = Problem(
            file=first.file,
            line=first.line,
            column=first.column,
            path="",
            message=message,
        )
        kept.append(more)
    return ConfigError(tuple(kept))


def read_bytes(path: Path) -> bytes:
    """
    Return what is in the file at *path*.

    Raises:
        ConfigError: it cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise _unreadable(path, (exc.strerror or "no such file").lower()) from exc
    except ValueError as exc:
        raise _unreadable(path, "no file has such a name") from exc
    if len(content) > MOST_BYTES:
        raise _unreadable(path, f"it is larger than {MOST_BYTES // 1024**2} MiB")
    return content


def _unreadable(path: Path, fault: str) -> ConfigError:
    """Return that the file at *path* cannot be read."""
    message = f"cannot be read: {fault}"
    problem = Problem(file=str(path), line=1, column=1, path="", message=message)
    return ConfigError((problem,))


def decode(content: bytes, file: str) -> str:
    """Return *content* as text."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        before = content[: exc.start]
        problem = Problem(
            file=file,
            line=before.count(b"\n") + 1,
            column=exc.start - before.rfind(b"\n"),
            path="",
            message=f"is no UTF-8 text (byte 0x{content[exc.start]:02x})",
        )
        raise ConfigError((problem,)) from exc


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keep the collector from walking, again and again, what is only being built."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
