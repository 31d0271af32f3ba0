"""What waits to be written while the store is down: in order, and bounded."""

import json

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from sys import getsizeof

from answerprobe.evidence._operations import Begin, Operation, Remains, Start
from answerprobe.evidence._records import FinishedRun, Increment, StoredTokens
from answerprobe.evidence._sample_json import without_texts
from answerprobe.run import Run, RunState, SampleResult
from answerprobe.sample import TokenRole


# About what an operation and a sample without texts take in memory.
_OPERATION_BYTES = 1_000
_SAMPLE_BYTES = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class BacklogLimits:
    """How much may wait: operations (a run is two or three), and their memory."""

    operations: int = 30_000
    size_bytes: int = 64 * 2**20


class Backlog:
    """
    Operations that wait, oldest first.

    Past its limits the oldest texts go first, then the oldest runs whole. What a run
    says of its monitor and what it spent stay: they are added up.
    """

    def __init__(self, limits: BacklogLimits) -> None:
        self._limits = limits
        self._operations: dict[int, Operation] = {}
        self._sizes: dict[int, int] = {}
        self._size_bytes = 0
        self._next = 0
        self._remains: Remains | None = None
        self.dropped_texts = 0
        self.dropped_runs = 0

    def __len__(self) -> int:
        return len(self._operations) + (self._remains is not None)

    def __bool__(self) -> bool:
        return len(self) > 0

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        return self._size_bytes

    def add(self, operation: Operation) -> None:
        """Put *operation* behind the others; make room for it."""
        self._put(self._next, operation)
        self._next += 1
        self._trim()

    def take(self, count: int) -> list[Operation]:
        """Take the oldest *count* operations out, to be written."""
        taken: list[Operation] = []
        if self._remains:
            taken.append(self._remains)
            self._remains = None
        oldest = list(self._operations)[:count]
        return taken + [self._remove(key) for key in oldest]

    def put_back(self, operations: Sequence[Operation]) -> None:
        """Put back what was taken and could not be written."""
        younger = self._operations
        self._operations = {}
        # Keys are an order and nothing else: these come before all others.
        first = min(younger, default=self._next) - len(operations)
        for key, operation in enumerate(operations, first):
            if isinstance(operation, Remains):
                self._remains = _merged(operation, self._remains)
            else:
                self._put(key, operation)
        self._operations.update(younger)
        self._trim()

    def run(self, run_id: int) -> Run | None:
        """Return run *run_id* as far as it is known from here; None where it isn't."""
        steps = (o for o in self._operations.values() if _run_id(o) == run_id)
        return runs_of(steps).get(run_id)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All that waits, oldest first."""
        return tuple(self._operations.values())

    def _put(self, key: int, operation: Operation) -> None:
        """Put *operation* at *key*, in place of what is there."""
        size = _size_bytes(operation)
        self._operations[key] = operation
        self._size_bytes += size - self._sizes.get(key, 0)
        self._sizes[key] = size

    def _remove(self, key: int) -> Operation:
        """Take out what is at *key*."""
        self._size_bytes -= self._sizes.pop(key)
        return self._operations.pop(key)

    def _trim(self) -> None:
        """Drop what is beyond the limits."""
        if self._size_bytes > self._limits.size_bytes:
            self._drop_texts()
        if (
            self._size_bytes > self._limits.size_bytes
            or len(self._operations) > self._limits.operations
        ):
            self._drop_runs()

    def _drop_texts(self) -> None:
        """Take texts, oldest first, until half the room is free: not at every call."""
        for key, operation in list(self._operations.items()):
            if self._size_bytes <= self._limits.size_bytes // 2:
                return
            if isinstance(operation, FinishedRun) and any(
                sample.turns for sample in _samples(operation)
            ):
                run = replace(
                    operation.run,
                    samples=tuple(map(without_texts, operation.run.samples)),
                    second_look=tuple(map(without_texts, operation.run.second_look)),
                )
                self.dropped_texts += len(_samples(operation))
                self._put(key, replace(operation, run=run))

    def _drop_runs(self) -> None:
        """Drop whole runs, oldest first, until a tenth of the room is free."""
        most_bytes = self._limits.size_bytes * 9 // 10
        most = self._limits.operations * 9 // 10
        steps: dict[int, list[int]] = {}
        for key, operation in self._operations.items():
            if (run_id := _run_id(operation)) is not None:
                steps.setdefault(run_id, []).append(key)
        dropped = []
        for operation in list(self._operations.values()):
            if self._size_bytes <= most_bytes and len(self._operations) <= most:
                break
            if isinstance(operation, FinishedRun):
                dropped.append(operation)
                for step in steps[operation.run.id]:
                    self._remove(step)
        begun_here = {run_id for run_id, keys in steps.items() if len(keys) > 1}
        self._remains = _merged(self._remains, _remains(dropped, begun_here))
        self.dropped_runs += len(dropped)
        # Nothing but operations that are no runs: so many are nobody's intention.
        for key in list(self._operations)[: max(0, len(self._operations) - most)]:
            self._remove(key)


def runs_of(operations: Iterable[Operation]) -> dict[int, Run]:
    """Return the runs of *operations*, as far as they are known from these, by id."""
    found: dict[int, Run] = {}
    for operation in operations:
        match operation:
            case Begin() if operation.run_id is not None:
                found[operation.run_id] = _begun(operation.run_id, operation)
            case Start() if operation.run_id in found:
                found[operation.run_id] = replace(
                    found[operation.run_id],
                    state=RunState.RUNNING,
                    started_at=operation.started_at,
                )
            case FinishedRun():
                found[operation.run.id] = operation.run
            case _:
                pass
    return found


def _run_id(operation: Operation) -> int | None:
    """Return the run that *operation* is a step of."""
    match operation:
        case Begin() | Start():
            return operation.run_id
        case FinishedRun():
            return operation.run.id
        case _:
            return None


def _begun(run_id: int, begin: Begin) -> Run:
    """Return the run that *begin* begins."""
    return Run(
        id=run_id,
        request=begin.request,
        state=RunState.RUNNING if begin.started_at else RunState.QUEUED,
        queued_at=begin.queued_at,
        started_at=begin.started_at,
        total=begin.total,
    )


def _remains(
    dropped: Sequence[FinishedRun], begun_here: Collection[int]
) -> Remains | None:
    """Return what stays of *dropped* runs; those *begun_here* the store never saw."""
    if not dropped:
        return None
    newest = dropped[-1].run
    return Remains(
        run_ids=tuple(f.run.id for f in dropped if f.run.id not in begun_here),
        at=newest.finished_at or newest.queued_at,
        statuses={f.run.request.monitor: f.status for f in dropped if f.status},
        due={f.run.request.monitor: f.due_at for f in dropped if f.due_at},
        ledger=_summed(entry for f in dropped for entry in f.ledger),
        claims={f.run.request.monitor: f.claim for f in dropped if f.claim},
    )


def _merged(older: Remains | None, newer: Remains | None) -> Remains | None:
    """Return both together; what *newer* says of a monitor holds."""
    if older is None or newer is None:
        return older or newer
    return Remains(
        run_ids=older.run_ids + newer.run_ids,
        at=newer.at,
        statuses={**older.statuses, **newer.statuses},
        due={**older.due, **newer.due},
        ledger=_summed((*older.ledger, *newer.ledger)),
        claims={**older.claims, **newer.claims},
    )


def _summed(entries: Iterable[Increment]) -> tuple[Increment, ...]:
    """Return *entries* with those of one month, monitor, role and kind added up."""
    sums: dict[tuple[str, str, TokenRole, bool], list[int]] = {}
    for entry in entries:
        key = (entry.month, entry.monitor, entry.role, entry.estimated)
        spent = sums.setdefault(key, [0, 0])
        spent[0] += entry.input_tokens
        spent[1] += entry.output_tokens
    return tuple(
        StoredTokens(
            month=month,
            monitor=monitor,
            role=role,
            estimated=estimated,
            input_tokens=spent[0],
            output_tokens=spent[1],
        )
        for (month, monitor, role, estimated), spent in sums.items()
    )


def _size_bytes(operation: Operation) -> int:
    """Return about how much memory *operation* takes."""
    if not isinstance(operation, FinishedRun):
        return _OPERATION_BYTES
    return _OPERATION_BYTES + sum(map(_sample_bytes, _samples(operation)))


def _samples(finished: FinishedRun) -> tuple[SampleResult, ...]:
    """Return all samples of a run that ended, also those of its second look."""
    return finished.run.samples + finished.run.second_look


def _sample_bytes(sample: SampleResult) -> int:
    """Return about how much memory *sample* takes."""
    texts = [sample.answer or "", *(verdict.reason for verdict in sample.verdicts)]
    for turn in sample.turns:
        texts.append(turn.text)
        texts.extend(
            json.dumps((call.arguments, call.result, call.error))
            for call in turn.tool_calls
        )
    return _SAMPLE_BYTES + sum(map(getsizeof, texts))
