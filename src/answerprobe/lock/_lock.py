"""Which cases were accepted, and what became of them: pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from answerprobe.case import CaseState
from answerprobe.errors import LockError


class Key(NamedTuple):
    """What a case is known by: the name of its monitor and its id there."""

    monitor: str
    case: str

    def __str__(self) -> str:
        return f"{self.case!r} of {self.monitor!r}"


class Standing(StrEnum):
    """How a case stands to the lock. CHANGED: accepted, and another or gone since."""

    DRAFT = "draft"
    ACCEPTED = "accepted"
    CHANGED = "changed"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One case of the lock: *state* is accepted or retired.

    *fingerprint* is that of the case when it was accepted. *reason* and *replaced_by*
    are those of a retired one. *line* is where it stands in the file; 0 where nowhere.
    """

    key: Key
    state: CaseState
    fingerprint: str
    reason: str | None = None
    replaced_by: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The cases that were accepted once. A case that is not in it is a draft."""

    entries: Mapping[Key, Entry] = field(default_factory=dict)

    @property
    def accepted_ids(self) -> Mapping[str, int]:
        """How many monitors have an accepted case of each id."""
        return Counter(
            key.case
            for key, entry in self.entries.items()
            if entry.state is CaseState.ACCEPTED
        )

    def standing(self, key: Key, fingerprint: str | None) -> Standing:
        """Return how *key* stands, its *fingerprint* now; None where it is gone."""
        entry = self.entries.get(key)
        if entry is None:
            return Standing.DRAFT
        if entry.state is CaseState.RETIRED:
            return Standing.RETIRED
        same = entry.fingerprint == fingerprint
        return Standing.ACCEPTED if same else Standing.CHANGED

    def accept(self, key: Key, fingerprint: str) -> "Lock":
        """
        Return the lock in which *key* is accepted with *fingerprint*.

        Raises:
            LockError: it was accepted with another one, or it is retired.
        """
        match self.standing(key, fingerprint):
            case Standing.ACCEPTED:
                return self
            case Standing.CHANGED:
                message = (
                    f"the case {key} was accepted and has changed since; undo the "
                    "change, or give it a new id and `amend` the old one"
                )
                raise LockError(message)
            case Standing.RETIRED:
                message = f"the case {key} is retired: give it a new id"
                raise LockError(message)
            case Standing.DRAFT:
                pass
        return self._with(
            Entry(key=key, state=CaseState.ACCEPTED, fingerprint=fingerprint)
        )

    def retire(
        self, key: Key, reason: str, *, replaced_by: str | None = None
    ) -> "Lock":
        """
        Return the lock in which *key*, whatever it is like now, is retired.

        Raises:
            LockError: it was never accepted, or it is retired already.
        """
        entry = self.entries.get(key)
        if entry is None:
            message = (
                f"the case {key} is a draft, which nobody has to give up: change it, "
                "or delete it from the file"
            )
            raise LockError(message)
        if entry.state is CaseState.RETIRED:
            message = f"the case {key} is retired already: {entry.reason}"
            raise LockError(message)
        retired = replace(
            entry, state=CaseState.RETIRED, reason=reason, replaced_by=replaced_by
        )
        return self._with(retired)

    def amend(self, old: Key, new: str, fingerprint: str, reason: str) -> "Lock":
        """
        Return the lock in which *old* is retired for the case *new* of its monitor.

        *new*, now of *fingerprint*, is accepted in its place.

        Raises:
            LockError: one of the two cannot be.
        """
        if new == old.case:
            message = (
                f"the case {old} cannot replace itself: an id keeps its meaning, so "
                "give the changed case a new one"
            )
            raise LockError(message)
        accepted = self.accept(Key(old.monitor, new), fingerprint)
        return accepted.retire(old, reason, replaced_by=new)

    def _with(self, entry: Entry) -> "Lock":
        """Return the lock with *entry* too, in place of one of the same key."""
        return Lock(entries={**self.entries, entry.key: entry})
