"""Experiments as SQL, the same for SQLite and PostgreSQL."""

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from answerprobe.comparison import (
    Experiment,
    ExperimentPlan,
    Setup,
    compare,
)
from answerprobe.errors import StoreError
from answerprobe.evidence import _run_writes, _sample_json, _state_writes
from answerprobe.evidence._experiment_json import (
    decode_plan,
    decode_result,
    encode_plan,
    encode_result,
)
from answerprobe.evidence._instants import (
    from_epoch,
    from_epoch_or_none,
    to_epoch_or_none,
)
from answerprobe.evidence._operations import Begin
from answerprobe.evidence._records import Increment
from answerprobe.evidence._schema import experiments, runs, samples
from answerprobe.run import Run, RunRequest, RunState, SampleResult, Trigger
from answerprobe.verdict import Outcome


_RUN_OF = {
    Setup.CURRENT: experiments.c.current_run,
    Setup.CHANGED: experiments.c.changed_run,
}
_LOST = (
    "experiment {} is no longer ours: it was resumed by another command, or forgotten"
)
# What a count needs of a sample: its texts are the bulk of it.
_FACTS = (
    *(column for column in samples.columns if column is not samples.c.texts),
    sa.null().label("texts"),
)


class Kept(NamedTuple):
    """The *row* of an experiment, and how many samples are *done*."""

    row: sa.RowMapping
    done: int

    @property
    def stamp(self) -> Hashable:
        """What is another once there is more to count."""
        return (*self.row.values(), self.done)

    @property
    def run_ids(self) -> Mapping[Setup, int]:
        """The runs of the two setups."""
        return {setup: self.row[column.name] for setup, column in _RUN_OF.items()}


def begin(connection: sa.Connection, plan: ExperimentPlan, at: datetime) -> Experiment:
    """Write a new experiment and its two runs."""
    request = _request(plan)
    total = plan.total // len(Setup)
    begin = Begin(request=request, queued_at=at, started_at=at, total=total)
    current, changed = _run_writes.begin(connection, [begin, begin])
    row = {
        "monitor": plan.monitor,
        "current_run": current,
        "changed_run": changed,
        "state": RunState.RUNNING.value,
        "epoch": 1,
        "started_at": at.timestamp(),
        "plan": encode_plan(plan),
    }
    insert = sa.insert(experiments).returning(experiments.c.id)
    experiment_id = connection.execute(insert, row).scalar_one()
    return Experiment(
        id=experiment_id,
        epoch=1,
        plan=plan,
        state=RunState.RUNNING,
        started_at=at,
        finished_at=None,
        run_ids={Setup.CURRENT: current, Setup.CHANGED: changed},
        done=0,
        comparison=compare(plan, {}),
    )


def _request(plan: ExperimentPlan) -> RunRequest:
    """Return what the run of a setup is asked to do."""
    return RunRequest(
        monitor=plan.monitor,
        trigger=Trigger.EXPERIMENT,
        case_ids=tuple(case.id for case in plan.cases),
        samples=plan.samples,
        reason=plan.reason,
    )


def take(connection: sa.Connection, experiment_id: int) -> Kept:
    """Raise the epoch of an experiment that has not ended."""
    take = (
        sa.update(experiments)
        .where(
            experiments.c.id == experiment_id,
            experiments.c.state != RunState.COMPLETED.value,
        )
        .values(
            epoch=experiments.c.epoch + 1,
            state=RunState.RUNNING.value,
            finished_at=None,
            result=None,
        )
    )
    taken = connection.execute(take).rowcount
    found = get(connection, experiment_id)
    if found is None:
        raise StoreError(f"there is no experiment {experiment_id} in this store")
    if not taken:
        raise StoreError(f"experiment {experiment_id} is complete: nothing is left")
    again = (
        sa.update(runs)
        .where(runs.c.id.in_(found.run_ids.values()))
        .values(state=RunState.RUNNING.value, finished_at=None)
    )
    connection.execute(again)
    return found


def add(
    connection: sa.Connection,
    experiment: Experiment,
    setup: Setup,
    result: SampleResult,
    ledger: Sequence[Increment],
) -> None:
    """Write one sample, if the experiment is still ours."""
    _hold(connection, experiment)
    run_id = experiment.run_ids[setup]
    run = Run(
        id=run_id,
        request=_request(experiment.plan),
        state=RunState.RUNNING,
        queued_at=experiment.started_at,
        total=experiment.plan.total // len(Setup),
        samples=(result,),
    )
    counted = {
        Outcome.PASS: runs.c.passed,
        Outcome.FAIL: runs.c.failed,
        Outcome.ERROR: runs.c.errors,
        Outcome.NOT_JUDGED: runs.c.not_judged,
    }[result.outcome]
    connection.execute(sa.insert(samples), _sample_json.rows_of(run))
    connection.execute(
        sa.update(runs)
        .where(runs.c.id == run_id)
        .values({runs.c.done: runs.c.done + 1, counted: counted + 1})
    )
    _state_writes.add_ledger(connection, ledger)


def _hold(connection: sa.Connection, experiment: Experiment) -> None:
    """Keep *experiment* from being taken until the transaction ends."""
    # An update, not a look: it locks the row on a server as well.
    held = connection.execute(
        sa.update(experiments)
        .where(
            experiments.c.id == experiment.id, experiments.c.epoch == experiment.epoch
        )
        .values(epoch=experiment.epoch)
    )
    if not held.rowcount:
        raise StoreError(_LOST.format(experiment.id))


def end(
    connection: sa.Connection, ended: Experiment, ledger: Sequence[Increment]
) -> Kept:
    """Write that an experiment *ended*, with what came of it."""
    _hold(connection, ended)
    _state_writes.add_ledger(connection, ledger)
    at = to_epoch_or_none(ended.finished_at)
    values = {"state": ended.state.value, "finished_at": at}
    connection.execute(
        sa.update(experiments)
        .where(experiments.c.id == ended.id)
        .values(**values, result=encode_result(ended.comparison))
    )
    connection.execute(
        sa.update(runs).where(runs.c.id.in_(ended.run_ids.values())).values(**values)
    )
    found = get(connection, ended.id)
    if found is None:
        raise StoreError(_LOST.format(ended.id))
    return found


def facts(
    connection: sa.Connection, run_id: int, after: int, limit: int
) -> Sequence[sa.RowMapping]:
    """Return at most *limit* samples of a run after that one, their texts left out."""
    wanted = (
        sa.select(*_FACTS)
        .where(samples.c.run_id == run_id, samples.c.id > after)
        .order_by(samples.c.id)
        .limit(limit)
    )
    return connection.execute(wanted).mappings().all()


def get(connection: sa.Connection, experiment_id: int) -> Kept | None:
    """Return one experiment."""
    wanted = sa.select(experiments).where(experiments.c.id == experiment_id)
    row = connection.execute(wanted).mappings().one_or_none()
    return None if row is None else _kept(connection, row)


def of_run(connection: sa.Connection, run_id: int) -> int | None:
    """Return the id of the experiment of which *run_id* is a setup's run."""
    ours = sa.or_(*(column == run_id for column in _RUN_OF.values()))
    found: int | None = connection.execute(
        sa.select(experiments.c.id).where(ours)
    ).scalar_one_or_none()
    return found


def page(connection: sa.Connection, before: int | None, limit: int) -> Sequence[Kept]:
    """Return *limit* experiments, newest first."""
    wanted = sa.select(experiments).order_by(experiments.c.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(experiments.c.id < before)
    rows = connection.execute(wanted).mappings().all()
    return [_kept(connection, row) for row in rows]


def _kept(connection: sa.Connection, row: sa.RowMapping) -> Kept:
    """Return the experiment of *row*, with how far it is."""
    run_ids = [row[column.name] for column in _RUN_OF.values()]
    done = sa.select(sa.func.sum(runs.c.done)).where(runs.c.id.in_(run_ids))
    return Kept(row, int(connection.execute(done).scalar_one() or 0))


def experiment_of(
    kept: Kept, samples: Mapping[Setup, Sequence[sa.RowMapping]]
) -> Experiment:
    """
    Return the experiment that is *kept*.

    It has its result, or what *samples* come to where none is kept. This takes a while
    where there are many: it is no work for an event loop.
    """
    row = kept.row
    plan = decode_plan(row["plan"])
    found = {
        setup: [_sample_json.sample_of(each) for each in rows]
        for setup, rows in samples.items()
    }
    return Experiment(
        id=row["id"],
        epoch=row["epoch"],
        plan=plan,
        state=RunState(row["state"]),
        started_at=from_epoch(row["started_at"]),
        finished_at=from_epoch_or_none(row["finished_at"]),
        run_ids=kept.run_ids,
        done=kept.done,
        comparison=decode_result(row["result"])
        if row["result"]
        else compare(plan, found),
    )


def asked(
    connection: sa.Connection, experiment: Experiment
) -> Mapping[tuple[Setup, str], int]:
    """Return how many samples of each setup and case there are."""
    found: dict[tuple[Setup, str], int] = {}
    for setup, run_id in experiment.run_ids.items():
        query = (
            sa.select(samples.c.case_id, sa.func.count().label("asked"))
            .where(samples.c.run_id == run_id)
            .group_by(samples.c.case_id)
        )
        for row in connection.execute(query):
            found[setup, row.case_id] = row.asked
    return found


def recent(
    connection: sa.Connection,
    monitor: str,
    fingerprints: Mapping[str, str],
    limit: int,
) -> Mapping[str, tuple[SampleResult, ...]]:
    """Return the newest counted samples of each case and definition."""
    found = {}
    for case_id, fingerprint in fingerprints.items():
        newest = (
            sa.select(*_FACTS)
            .where(
                samples.c.monitor == monitor,
                samples.c.case_id == case_id,
                samples.c.counted.is_(sa.true()),
                samples.c.fingerprint == fingerprint,
            )
            .order_by(samples.c.id.desc())
            .limit(limit)
        )
        rows = connection.execute(newest).mappings()
        found[case_id] = tuple(_sample_json.sample_of(row) for row in rows)
    return found
