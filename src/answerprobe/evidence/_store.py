"""The evidence store: runs, samples, status and ledger in SQLite or PostgreSQL."""

import asyncio

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import partial
from typing import Self, TypeVar

import sqlalchemy as sa

from answerprobe.calibration import Calibration
from answerprobe.errors import StoreError
from answerprobe.evidence import (
    _answers,
    _calibrations,
    _costs,
    _reads,
    _retention,
    _run_ends,
    migrations,
)
from answerprobe.evidence._cluster import Cluster
from answerprobe.evidence._costs import Costs
from answerprobe.evidence._database import (
    PATIENCE_SECONDS,
    Database,
    PostgresDatabase,
    SqliteDatabase,
)
from answerprobe.evidence._experiments import Experiments
from answerprobe.evidence._filelock import FileLock
from answerprobe.evidence._location import parse, path_of
from answerprobe.evidence._operations import (
    AddLedger,
    Begin,
    ChangeVersion,
    Operation,
    RecordDeploy,
    SaveCalibration,
    SaveMonitors,
    SavePause,
    Start,
)
from answerprobe.evidence._records import (
    CaseAnswers,
    Claim,
    FinishedRun,
    Forgotten,
    Increment,
    Pruned,
    RunPage,
    RunQuery,
    RunSummary,
    StoredMonitor,
    StoredTokens,
    UnfinishedRun,
)
from answerprobe.evidence._writer import Writer
from answerprobe.monitor import Retention
from answerprobe.run import Run, RunRequest, SampleResult
from answerprobe.verdict import Outcome


_Found = TypeVar("_Found")


class Store:
    """
    Evidence and state that outlive the process.

    Every method may raise StoreUnavailable (locked, full, unreachable: it may pass) and
    StoreDamaged. What is written is written in one transaction, or not at all, and
    committed when the method returns; writing a run's end twice counts once. *cluster*
    is there where replicas may share it.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], datetime],
        lock: FileLock | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self._database = database
        self.cluster = cluster
        self._clock = clock
        self._lock = lock
        self._writer = Writer(database)
        self.experiments = Experiments(database, clock=clock)

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        exclusive: bool,
        clock: Callable[[], datetime],
        create: bool = True,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Self:
        """
        Open the store at *url*: `sqlite:///file` or `postgresql://…`.

        *exclusive*: as the one daemon of a file; commands share. A store that is not
        there is made if *create*, a missing folder is not. For a locked file it waits
        *patience_seconds*.

        Raises:
            StoreInUse: another daemon has the file.
            StoreDamaged: the file is no sound database; it is left as it is.
            StoreUnavailable: it is locked, full or unreachable.
            StoreError: the URL is wrong, or nothing can be written there.
        """
        parsed = parse(url)
        if parsed.get_backend_name() != "sqlite":
            server = PostgresDatabase(parsed)
            store = cls(server, clock=clock, cluster=Cluster(server))
            await store._prepare(server.place, create=create)
            return store
        path = path_of(parsed, create=create)
        lock = FileLock(path) if exclusive else None
        file = SqliteDatabase(path, patience_seconds=patience_seconds)
        store = cls(file, clock=clock, lock=lock)
        await store._prepare(
            str(path), create=create, check=file if exclusive else None
        )
        return store

    @staticmethod
    def exists(url: str) -> bool:
        """
        Whether there may be a store at *url*; a server is not asked.

        Raises:
            StoreError: the URL is wrong.
        """
        parsed = parse(url)
        if parsed.get_backend_name() != "sqlite":
            return True
        return path_of(parsed, create=True).exists()

    async def _prepare(
        self, place: str, *, create: bool, check: SqliteDatabase | None = None
    ) -> None:
        """Look at a file, bring the tables up to date; close all if that fails."""
        try:
            if check:
                await check.check()
            await self._database.read(partial(migrations.refuse_foreign, place=place))
            await self._database.write(
                partial(migrations.prepare, place=place, create=create)
            )
        except StoreError:
            await self.close()
            raise

    async def close(self) -> None:
        """Finish what is being written, and let go of the store."""
        await self._writer.drained()
        await self._database.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    # Writing

    def submit(self, operation: Operation) -> "asyncio.Future[int | None]":
        """
        Write *operation* after all that were submitted before.

        The future is done once it is committed, with the run's id of a Begin.
        """
        return self._writer.submit(operation)

    async def write(self, operation: Operation) -> int | None:
        """Write *operation*; return the run's id where it begins one."""
        return await self.submit(operation)

    async def enqueue(
        self, request: RunRequest, *, queued_at: datetime, total: int
    ) -> int:
        """Write a run of *total* samples that waits; return its id."""
        begin = Begin(request=request, queued_at=queued_at, total=total)
        return _id(await self.write(begin))

    async def begin(
        self,
        request: RunRequest,
        *,
        started_at: datetime,
        total: int,
        claim: Claim | None = None,
    ) -> int:
        """Write a run of *total* samples that starts now; return its id."""
        begin = Begin(
            request=request,
            queued_at=started_at,
            started_at=started_at,
            total=total,
            claim=claim,
        )
        return _id(await self.write(begin))

    async def start(
        self, run_id: int, started_at: datetime, *, claim: Claim | None = None
    ) -> None:
        """Write that the queued run *run_id* starts."""
        await self.write(Start(run_id=run_id, started_at=started_at, claim=claim))

    async def change_version(self, run_id: int, version: str | None) -> None:
        """Write that the queued run *run_id* is for another version."""
        await self.write(ChangeVersion(run_id=run_id, version=version))

    async def finish(self, finished: FinishedRun) -> bool:
        """Write a run's end and all that follows; False where its claim is lost."""
        return await self.write(finished) is not None

    async def interrupt_unfinished(self) -> tuple[UnfinishedRun, ...]:
        """
        Make runs interrupted that an earlier process left running.

        Returns these, and the queued ones, which stay promised; oldest first.
        """
        work = partial(_run_ends.interrupt_unfinished, at=self._clock())
        return await self._database.write(work)

    async def save_monitors(self, monitors: Mapping[str, StoredMonitor]) -> None:
        """Write monitors, by name; status and pause of known ones stay."""
        await self.write(SaveMonitors(monitors=monitors))

    async def save_pause(self, name: str, *, paused: bool) -> None:
        """Write whether monitor *name* is paused by hand."""
        await self.write(SavePause(monitor=name, paused=paused))

    async def add_ledger(self, entries: tuple[Increment, ...]) -> None:
        """Add spent tokens to the ledger."""
        await self.write(AddLedger(entries=entries))

    async def record_deploy(self, name: str, version: str, at: datetime) -> None:
        """Write that a new version of monitor *name*'s agent was deployed."""
        await self.write(RecordDeploy(monitor=name, version=version, at=at))

    async def save_calibration(self, calibration: Calibration) -> None:
        """Write how a judge fared on its canaries, in place of its earlier one."""
        await self.write(SaveCalibration(calibration=calibration))

    # Deleting

    async def count_forget(self, monitor: str, case_id: str | None = None) -> Forgotten:
        """Return how much `forget` would delete."""
        return await self._database.read(
            partial(_retention.count_forget, monitor=monitor, case_id=case_id)
        )

    async def forget(self, monitor: str, case_id: str | None = None) -> Forgotten:
        """Delete the evidence of *monitor*, or of one case; ledger and status stay."""
        return await _retention.forget(self._database, monitor, case_id, self._clock())

    async def prune(self, retention: Mapping[str, Retention]) -> Pruned:
        """
        Delete what *retention* (by monitor) no longer keeps, in small steps.

        The newest passing answer of each case stays. A monitor that *retention* does
        not name has DEFAULT_RETENTION.
        """
        return await _retention.prune(self._database, self._clock(), retention)

    # Reading

    async def read(self, work: Callable[[sa.Connection], _Found]) -> _Found:
        """Return what *work* finds, which changes nothing."""
        return await self._database.read(work)

    async def load_monitors(self) -> Mapping[str, StoredMonitor]:
        """Return all that is known of monitors, by name."""
        return await self._database.read(_reads.load_monitors)

    async def calibrations(self) -> Mapping[str, Calibration]:
        """Return the last calibration of each judge, by its name."""
        return await self._database.read(_calibrations.load)

    async def forgotten_since(self, since: datetime) -> frozenset[str]:
        """Return the monitors of which something was forgotten since then."""
        return await self._database.read(partial(_reads.forgotten_since, since=since))

    async def run(self, run_id: int) -> Run | None:
        """Return run *run_id* with its samples; None where there is none."""
        return await self._database.read(partial(_reads.load_run, run_id=run_id))

    async def runs(self, query: RunQuery) -> RunPage:
        """Return the page of runs that *query* asks for, newest first."""
        return await self._database.read(partial(_reads.list_runs, query=query))

    async def summaries(self, run_ids: Collection[int]) -> Mapping[int, RunSummary]:
        """Return those of the runs *run_ids* that there are, without samples."""
        return await self._database.read(partial(_reads.summaries, run_ids=run_ids))

    async def newest(
        self,
        monitor: str,
        case_ids: Mapping[str, str],
        outcomes: Collection[Outcome] = tuple(Outcome),
    ) -> Mapping[str, SampleResult]:
        """
        Return each case's newest counted sample that ended in one of *outcomes*.

        *case_ids* are ids with fingerprints: one of another definition is none.
        """
        work = partial(
            _reads.newest,
            monitor=monitor,
            case_ids=case_ids.keys(),
            outcomes=outcomes,
        )
        found = await self._database.read(work)
        return {
            case_id: sample
            for case_id, sample in found.items()
            if sample.fingerprint == case_ids[case_id]
        }

    async def last_good(
        self, monitor: str, case_ids: Mapping[str, str]
    ) -> Mapping[str, SampleResult]:
        """Return each case's newest counted sample that passed; see `newest`."""
        return await self.newest(monitor, case_ids, (Outcome.PASS,))

    async def answers(
        self, cases: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, Mapping[str, CaseAnswers]]:
        """
        Return what cases said last and when they last passed, of many monitors at once.

        *cases* are, by monitor, ids with fingerprints: a sample of another definition
        is none.
        """
        kept = await self._database.read(partial(_answers.load, cases=cases))
        return await asyncio.to_thread(_answers.read, kept)

    async def costs(self, monitor: str) -> Costs:
        """Return what the last runs of *monitor* took."""
        kept = await self._database.read(partial(_costs.load, monitor=monitor))
        return await asyncio.to_thread(_costs.read, kept)

    async def ledger(self, month: str) -> tuple[StoredTokens, ...]:
        """Return what was spent in *month* (`2026-11`, UTC)."""
        return await self._database.read(partial(_reads.load_ledger, month=month))

    async def last_run_id(self) -> int:
        """Return the highest run id ever given; 0 before the first."""
        return await self._database.read(_reads.last_run_id)

    async def size_bytes(self) -> int:
        """Return how much room the store takes."""
        return await self._database.size_bytes()


def _id(run_id: int | None) -> int:
    """Return *run_id*, which a Begin always has."""
    if run_id is None:
        raise StoreError("the store gave no run id")
    return run_id
