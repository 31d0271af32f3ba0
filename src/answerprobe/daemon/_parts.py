"""The parts of a daemon, made once and joined together."""

import asyncio
import random

from collections.abc import Callable
from dataclasses import dataclass

from answerprobe import __version__
from answerprobe.actions import LiveCaller
from answerprobe.config import Limits
from answerprobe.daemon._board import MetricsBoard
from answerprobe.daemon._books import Books
from answerprobe.daemon._calibration import Calibrator
from answerprobe.daemon._judge_room import JudgeRoom
from answerprobe.daemon._replica import Replica, make_replica
from answerprobe.daemon._telemetry import Telemetry
from answerprobe.daemon._workshop import Workshop
from answerprobe.evidence import Journal
from answerprobe.runner import Executor, Runner, Slots
from answerprobe.scheduler import Duties, Scheduler, SoleDuties


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a daemon is made of; *replica* where it is one of several."""

    books: Books
    telemetry: Telemetry
    journal: Journal
    slots: Slots
    replica: Replica | None
    duties: Duties
    calibrator: Calibrator
    judges: JudgeRoom
    workshop: Workshop
    runner: Runner
    scheduler: Scheduler


def make_parts(books: Books, limits: Limits, scrub: Callable[[str], str]) -> Parts:
    """Return the parts of a daemon; *scrub* takes secrets out of what is shown."""
    telemetry = Telemetry()
    membership = books.membership
    journal = Journal(
        books.store,
        observer=telemetry.exporter,
        last_run_id=books.last_run_id,
        may_keep=(lambda: membership.alone) if membership else (lambda: True),
    )
    slots = Slots(
        in_flight=limits.in_flight,
        per_host=limits.per_host,
        monotonic=asyncio.get_running_loop().time,
    )
    replica = _replica(books, journal, slots)
    duties: Duties = replica.duties if replica else SoleDuties()
    calibrator = Calibrator(
        metrics=telemetry.judges,
        store=books.store,
        journal=journal,
        ledger=books.ledger,
        clock=books.clock,
        duties=duties,
    )
    judges = JudgeRoom(after=calibrator, calibrations=books.store, clock=books.clock)
    board = MetricsBoard(
        monitors=telemetry.monitors,
        exporter=telemetry.exporter,
        ledger=books.ledger,
        answers=books.store,
    )
    runner = Runner(
        slots=slots,
        per_monitor=limits.per_monitor,
        ledger=books.ledger,
        observer=board,
        scrub=scrub,
        clock=books.clock,
        monotonic=asyncio.get_running_loop().time,
        rng=random.Random(),  # noqa: S311  trace ids are no secrets
        caller=LiveCaller(version=__version__, scrub=scrub),
    )
    return Parts(
        books=books,
        telemetry=telemetry,
        journal=journal,
        slots=slots,
        replica=replica,
        duties=duties,
        calibrator=calibrator,
        judges=judges,
        workshop=Workshop(observer=judges, scrub=scrub),
        runner=runner,
        scheduler=_scheduler(books, journal, runner, board, replica),
    )


def _replica(books: Books, journal: Journal, slots: Slots) -> Replica | None:
    """Return what makes a daemon one of several, where it is."""
    if books.membership is None or books.store.cluster is None:
        return None
    return make_replica(
        books.store.cluster,
        books.membership,
        journal=journal,
        ledger=books.ledger,
        full=lambda: slots.full,
    )


def _scheduler(
    books: Books,
    journal: Journal,
    runner: Runner,
    board: MetricsBoard,
    replica: Replica | None,
) -> Scheduler:
    """Return what starts runs, and shows on *board* how monitors are."""
    executor = Executor(
        runner=runner, journal=journal, ledger=books.ledger, clock=books.clock
    )
    return Scheduler(
        executor=executor,
        journal=journal,
        board=board,
        ledger=books.ledger,
        clock=books.clock,
        claims=replica.claims if replica else None,
    )
