"""What waits is bounded: texts go first, then runs, never the books."""

from dataclasses import replace

from answerprobe.evidence._backlog import Backlog, BacklogLimits
from answerprobe.evidence._operations import (
    Begin,
    Operation,
    Remains,
    SavePause,
    Start,
)
from answerprobe.evidence._records import FinishedRun
from answerprobe.evidence._sample_json import without_texts
from answerprobe.status import MonitorStatus
from builders import NOW
from evidence.writing import SCHEDULED, ended, sample, spent


def begin(run_id: int) -> Begin:
    """Return the beginning of run *run_id*."""
    return Begin(request=SCHEDULED, queued_at=NOW, total=1, run_id=run_id)


def finish(run_id: int, *, runs_down: int = 0) -> FinishedRun:
    """Return the end of run *run_id*."""
    return FinishedRun(
        run=ended(run_id, [sample(answer="x" * 2000)]),
        status=MonitorStatus(runs_down=runs_down),
        ledger=(spent(10),),
        due_at=NOW,
    )


class TestOrder:
    """First in, first out."""

    def test_the_oldest_is_taken_first(self) -> None:
        """So many as asked for."""
        backlog = Backlog(BacklogLimits())
        steps: list[Operation] = [begin(1), Start(run_id=1, started_at=NOW), finish(1)]
        for step in steps:
            backlog.add(step)

        assert backlog.take(2) == steps[:2]
        assert backlog.take(2) == steps[2:]
        assert not backlog
        assert backlog.size_bytes == 0

    def test_what_is_put_back_comes_first_again(self) -> None:
        """Before what came meanwhile."""
        backlog = Backlog(BacklogLimits())
        steps: list[Operation] = [begin(1), finish(1), begin(2)]
        for step in steps[:2]:
            backlog.add(step)
        taken = backlog.take(5)
        backlog.add(steps[2])
        size = backlog.size_bytes

        backlog.put_back(taken)

        assert backlog.size_bytes > size
        assert backlog.take(5) == steps


class TestBounds:
    """More than may wait."""

    def test_the_oldest_texts_go_first(self) -> None:
        """The newest run keeps its words, every run its facts."""
        backlog = Backlog(BacklogLimits(size_bytes=100_000))
        for run_id in range(1, 20):
            backlog.add(finish(run_id))

        taken = [op for op in backlog.take(99) if isinstance(op, FinishedRun)]

        assert len(taken) == 19
        assert taken[-1] == finish(19)
        (first,) = taken[0].run.samples
        assert first == without_texts(sample(answer=""))
        assert 0 < backlog.dropped_texts < 19
        assert backlog.dropped_runs == 0

    def test_texts_of_a_second_look_go_with_them(self) -> None:
        """They take room like any other."""
        backlog = Backlog(BacklogLimits(size_bytes=8000))
        look = (replace(sample(answer="y" * 4000), second_look=True),)
        finished = finish(1)
        looked = replace(finished, run=replace(finished.run, second_look=look))

        backlog.add(looked)
        assert backlog.size_bytes > 8000 // 2
        backlog.add(finish(2))

        run = backlog.run(1)
        assert run is not None
        assert run.second_look == tuple(map(without_texts, look))
        assert backlog.dropped_texts >= 2

    def test_then_whole_runs_go_and_their_books_stay(self) -> None:
        """What they say of the monitor, and what they spent, added up."""
        backlog = Backlog(BacklogLimits(operations=10))
        for run_id in range(1, 9):
            backlog.add(begin(run_id))
            backlog.add(finish(run_id, runs_down=run_id))

        remains, *rest = backlog.take(99)

        dropped = backlog.dropped_runs
        assert dropped >= 3
        assert isinstance(remains, Remains)
        assert (remains.run_ids, remains.due) == ((), {"shop": NOW})
        assert remains.statuses == {"shop": MonitorStatus(runs_down=dropped)}
        assert [entry.input_tokens for entry in remains.ledger] == [10 * dropped]
        assert rest[0] == begin(dropped + 1)

    def test_a_run_that_the_store_has_as_running_is_named(self) -> None:
        """Else it would run for ever."""
        backlog = Backlog(BacklogLimits(operations=2))
        for run_id in range(1, 6):
            backlog.add(finish(run_id))

        remains = backlog.take(1)[0]

        assert isinstance(remains, Remains)
        assert remains.run_ids[:3] == (1, 2, 3)

    def test_remains_that_were_put_back_are_not_forgotten(self) -> None:
        """Nor counted twice."""
        backlog = Backlog(BacklogLimits(operations=2))
        for run_id in range(1, 6):
            backlog.add(finish(run_id))
        backlog.put_back(backlog.take(99))
        for run_id in range(6, 9):
            backlog.add(finish(run_id))

        remains, *rest = backlog.take(99)

        assert isinstance(remains, Remains)
        spent_tokens = sum(entry.input_tokens for entry in remains.ledger)
        assert spent_tokens + 10 * len(rest) == 80

    def test_anything_is_bounded(self) -> None:
        """However often somebody presses pause."""
        backlog = Backlog(BacklogLimits(operations=10))
        for count in range(100):
            backlog.add(SavePause(monitor="shop", paused=count % 2 == 0))

        assert len(backlog) <= 10
        assert backlog.take(10)[-1] == SavePause(monitor="shop", paused=False)


class TestRun:
    """A run that waits can be looked at."""

    def test_one_that_is_not_here_is_none(self) -> None:
        """The store may know it."""
        backlog = Backlog(BacklogLimits())
        backlog.add(begin(1))

        assert backlog.run(2) is None
