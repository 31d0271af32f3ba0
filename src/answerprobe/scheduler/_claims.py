"""Whose a run is: asked before each, answered by nobody or by the store."""

from dataclasses import dataclass
from typing import Protocol

from answerprobe.evidence import StoredMonitor
from answerprobe.runner import Job
from answerprobe.scheduler._watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """
    Whether a run may be done here: *job* is what to do then, None where not.

    *waiting*: it was asked for, and may be had later. *state* is what the store has of
    the monitor; None where there is no telling, or nobody else to change it.
    """

    job: Job | None
    waiting: bool = False
    state: StoredMonitor | None = None


class Claims(Protocol):
    """Who decides which runs are done here."""

    @property
    def shared(self) -> bool:
        """Whether others may do what is not done here."""
        ...

    async def take(self, watch: Watch, job: Job) -> Ruling:
        """Ask for the run of *watch* that *job* is."""
        ...

    def ended(self, watch: Watch) -> None:
        """The run of *watch* has ended, however it did."""
        ...

    def stop(self) -> None:
        """Take nothing more."""
        ...


class SoleClaims:
    """Those of a daemon that shares its store with no other: everything is its own."""

    shared = False

    async def take(self, watch: Watch, job: Job) -> Ruling:
        """Let *job* be done."""
        del watch
        return Ruling(job=job)

    def ended(self, watch: Watch) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing: who stops starts nothing."""
