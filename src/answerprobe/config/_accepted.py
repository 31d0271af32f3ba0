"""Which cases count: those of the lock, if there is one, and only as they were."""

import shlex

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from answerprobe.case import Case, CaseState
from answerprobe.config._definition import definition
from answerprobe.config._findings import Findings, Path
from answerprobe.config._show import printable
from answerprobe.config.settings import Config
from answerprobe.errors import Problem
from answerprobe.lock import Entry, Key, Lock, Standing, lock_of
from answerprobe.monitor import Monitor


def count_accepted(config: Config, lock: Lock, findings: Findings) -> Config:
    """
    Return *config*, a sound one, with only those cases counting that *lock* accepted.

    Cases that are no longer what was accepted go to *findings*.
    """
    keeper = _Keeper(
        file=config.path, lock=lock, ids=lock.accepted_ids, findings=findings
    )
    monitors = tuple(
        keeper.count(monitor, ("monitors", index))
        for index, monitor in enumerate(config.monitors)
    )
    return replace(config, monitors=monitors)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keeper:
    """Parts the cases of monitors by what *lock* says, which has so many of *ids*."""

    file: FilePath
    lock: Lock
    ids: Mapping[str, int]
    findings: Findings

    def count(self, monitor: Monitor, path: Path) -> Monitor:
        """Return *monitor*, which stands at *path*, with its cases parted."""
        counted: list[Case] = []
        uncounted: list[Case] = []
        for index, case in enumerate(monitor.cases):
            key = Key(monitor.name, case.id)
            match self.lock.standing(key, case.fingerprint):
                case Standing.DRAFT:
                    uncounted.append(replace(case, state=CaseState.DRAFT))
                case Standing.RETIRED:
                    uncounted.append(_retired(case, self.lock.entries[key]))
                case Standing.ACCEPTED:
                    counted.append(case)
                case Standing.CHANGED:
                    self.findings.add((*path, "cases", index), self._changed(key))
        if not uncounted:
            return monitor
        parted = replace(
            monitor,
            cases=tuple(counted),
            uncounted=tuple(uncounted),
            # What has no run of its own is never overdue.
            every_seconds=monitor.every_seconds if counted else None,
        )
        return replace(parted, definition=definition(parted))

    def _changed(self, key: Key) -> str:
        """Return that the accepted case *key* is another now."""
        return (
            f"the case {key.case!r} was accepted and has changed since; undo the "
            "change, or give it a new id and say why: "
            f"`{_command('amend', self.file, key, self.ids)} --as NEW --reason TEXT`"
        )


def _retired(case: Case, entry: Entry) -> Case:
    """Return *case* as one that *entry* retired."""
    return replace(
        case,
        state=CaseState.RETIRED,
        reason=entry.reason,
        replaced_by=entry.replaced_by,
    )


def missing(config: Config, lock: Lock) -> Iterator[Problem]:
    """Yield where *lock* has accepted cases that are gone from *config*, with why."""
    there = {
        Key(monitor.name, case.id)
        for monitor in config.monitors
        for case in (*monitor.cases, *monitor.uncounted)
    }
    ids = lock.accepted_ids
    for key, entry in lock.entries.items():
        if entry.state is CaseState.ACCEPTED and key not in there:
            message = (
                f"the case {key} was accepted and is gone from {config.path.name}; "
                "bring it back, or say why it is gone: "
                f"`{_command('retire', config.path, key, ids)} --reason TEXT`"
            )
            yield Problem(
                file=str(lock_of(config.path)),
                line=entry.line,
                column=1,
                path="",
                message=printable(message),
            )


def _command(name: str, file: FilePath, key: Key, ids: Mapping[str, int]) -> str:
    """Return the command *name* about *key*, as a shell takes it."""
    words = ["answerprobe", name, str(file), "--case", key.case]
    if ids[key.case] > 1:
        words += ["--monitor", key.monitor]
    return shlex.join(words)
