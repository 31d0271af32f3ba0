"""What the last runs of a monitor took: their time, and their samples' tokens."""

import json

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from answerprobe.evidence._schema import runs, samples
from answerprobe.run import RunState, Trigger
from answerprobe.sample import TokenRole, TokenUsage


# Enough for a mean, and read in some milliseconds.
_RUNS = 5
_SAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTime:
    """How long a run of so many samples took."""

    samples: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCost:
    """The tokens that a sample of a case took."""

    case_id: str
    fingerprint: str
    tokens: Mapping[TokenRole, TokenUsage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What the last runs of a monitor took, newest first."""

    runs: tuple[RunTime, ...] = ()
    samples: tuple[SampleCost, ...] = ()


class KeptCosts(NamedTuple):
    """The same as rows, not read yet."""

    runs: Sequence[sa.RowMapping]
    samples: Sequence[sa.RowMapping]


def load(connection: sa.Connection, monitor: str) -> KeptCosts:
    """Return what is kept of the last completed runs of *monitor*, no experiments."""
    last = (
        sa.select(runs.c.id, runs.c.done, runs.c.started_at, runs.c.finished_at)
        .where(
            runs.c.monitor == monitor,
            runs.c.state == RunState.COMPLETED.value,
            runs.c.trigger != Trigger.EXPERIMENT.value,
        )
        .order_by(runs.c.id.desc())
        .limit(_RUNS)
    )
    found = connection.execute(last).mappings().all()
    if not found:
        return KeptCosts([], [])
    taken = (
        sa.select(samples.c.case_id, samples.c.fingerprint, samples.c.facts)
        .where(samples.c.run_id.in_([row["id"] for row in found]))
        .order_by(samples.c.id.desc())
        .limit(_SAMPLES)
    )
    return KeptCosts(found, connection.execute(taken).mappings().all())


def read(kept: KeptCosts) -> Costs:
    """Return what *kept* says."""
    return Costs(
        runs=tuple(
            RunTime(samples=row["done"], seconds=row["finished_at"] - row["started_at"])
            for row in kept.runs
            if row["started_at"] is not None and row["finished_at"] is not None
        ),
        samples=tuple(
            SampleCost(
                case_id=row["case_id"],
                fingerprint=row["fingerprint"],
                tokens=_tokens(row["facts"]),
            )
            for row in kept.samples
        ),
    )


def _tokens(facts: str) -> Mapping[TokenRole, TokenUsage]:
    """Return the tokens that the *facts* of a sample have."""
    return {
        TokenRole(role): TokenUsage(
            input_tokens=spent[0], output_tokens=spent[1], estimated=spent[2]
        )
        for role, spent in json.loads(facts).get("tokens", {}).items()
    }
