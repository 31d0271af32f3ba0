"""What the daemon tells of its monitors."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from answerprobe.metrics._base import LabelSource
from answerprobe.metrics.answers import AnswerBoard, AnswerInfo, label_text
from answerprobe.metrics.families import MonitorFamily, RunEnd
from answerprobe.metrics.layout import carried_over, segments_of, text_segment
from answerprobe.metrics.record import MonitorRecord
from answerprobe.metrics.store import MonitorSeries, Segment, SeriesStore
from answerprobe.monitor import AnswerStorage, Monitor
from answerprobe.run import Run, RunState, Trigger
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.status import DeployComparison, MonitorStatus, Pause


_MAX_VERSION_CHARACTERS = 100


@dataclass(slots=True, kw_only=True)
class _Declared:
    """A monitor as it was declared, and what was last told of it."""

    record: MonitorRecord
    first_seen: datetime
    priced_roles: frozenset[TokenRole]
    status: MonitorStatus | None = None
    deploy: tuple[str, datetime] | None = None
    infos: tuple[AnswerInfo, ...] = ()

    @property
    def monitor(self) -> Monitor:
        """The monitor."""
        return self.record.monitor


class MonitorMetrics:
    """
    The monitors' metrics, told what happened; for the event loop's thread.

    What is told of a monitor that is not declared is dropped: a run can end after its
    monitor left the configuration.
    """

    def __init__(self, store: SeriesStore) -> None:
        self._store = store
        self._declared: dict[str, _Declared] = {}
        self._withheld: dict[str, tuple[_Declared, Sequence[Segment]]] = {}
        self._board = AnswerBoard()

    def declare(
        self,
        monitor: Monitor,
        *,
        first_seen: datetime,
        priced_roles: Collection[TokenRole] = (),
    ) -> None:
        """
        Let *monitor*'s series exist; what can be counted starts at 0.

        *priced_roles* are those whose tokens have a price. Declared again, series that
        are still the monitor's keep their values, and the others are gone.
        """
        self._restore(monitor.name)
        old = self._declared.get(monitor.name)
        roles = frozenset(priced_roles)
        if old is not None and _unchanged(old, monitor, first_seen, roles):
            return
        record = MonitorRecord(monitor, self._series(monitor, old))
        record.configure(first_seen=first_seen, priced_roles=roles)
        new = _Declared(record=record, first_seen=first_seen, priced_roles=roles)
        self._declared[monitor.name] = new
        if old is not None:
            self._tell_again(new, old)

    def remove(self, name: str) -> None:
        """Drop all series of the monitor *name*."""
        self._withheld.pop(name, None)
        declared = self._declared.pop(name, None)
        if declared is not None:
            self._store.remove(declared.record.series)
            self._show_answers(self._board.update(name, ()))

    def withhold(self, name: str) -> None:
        """Show no series of the monitor *name* until it is declared again."""
        declared = self._declared.get(name)
        if declared is not None:
            series = declared.record.series
            kept = [self._store.segment(series, family) for family in MonitorFamily]
            self.remove(name)
            self._withheld[name] = declared, kept

    def _restore(self, name: str) -> None:
        """Show the series of *name* again, if they were withheld."""
        withheld = self._withheld.pop(name, None)
        if withheld is not None:
            declared, kept = withheld
            declared.record.series = self._store.add(kept)
            self._declared[name] = declared
            self._show_answers(self._board.update(name, _presentable(declared)))

    def show_status(self, name: str, status: MonitorStatus) -> None:
        """Show *status*, that of the last counted run, such as at start."""
        if declared := self._declared.get(name):
            declared.status = status
            declared.record.show(status)
            declared.record.show_deploy(_compared(declared))

    def run_finished(self, run: Run, status: MonitorStatus) -> None:
        """Count *run*, a completed full one, and show the *status* after it."""
        name = run.request.monitor
        if declared := self._declared.get(name):
            declared.record.count_run(run.request.trigger, RunEnd.COMPLETED)
            declared.record.count_samples(run)
            self.show_status(name, status)

    def run_counted(self, name: str, trigger: Trigger, state: RunState) -> None:
        """Count a run that ended in *state* and moves nothing else."""
        if declared := self._declared.get(name):
            declared.record.count_run(trigger, RunEnd(state))

    def run_skipped(self, name: str, trigger: Trigger = Trigger.SCHEDULE) -> None:
        """Count a run that was due and never began."""
        if declared := self._declared.get(name):
            declared.record.count_run(trigger, RunEnd.SKIPPED)

    def tokens(
        self,
        name: str,
        role: TokenRole,
        usage: TokenUsage,
        cost_dollars: float | None = None,
    ) -> None:
        """Count what *role* spent, and what that cost where a price is set."""
        if declared := self._declared.get(name):
            declared.record.count_tokens(role, usage, cost_dollars)

    def paused(self, name: str, reason: Pause, *, on: bool) -> None:
        """Show whether the monitor is paused for *reason*."""
        if declared := self._declared.get(name):
            declared.record.show_pause(reason, on=on)

    def next_run(self, name: str, at: datetime | None) -> None:
        """Show when the next scheduled run is due; None: none is."""
        if declared := self._declared.get(name):
            due = None if at is None else at.timestamp()
            declared.record.series.put(MonitorFamily.NEXT_RUN_TIMESTAMP, due)

    def budget(self, name: str, *, used_tokens: int, resets_at: datetime) -> None:
        """Show what was used of the monitor's own budget, if it has one."""
        declared = self._declared.get(name)
        if declared is None or declared.monitor.token_budget is None:
            return
        series = declared.record.series
        series.put(MonitorFamily.TOKEN_BUDGET_USED, used_tokens)
        series.put(MonitorFamily.TOKEN_BUDGET_RESET, resets_at.timestamp())

    def deployed(self, name: str, version: str, at: datetime) -> None:
        """Show the latest deploy that touched the monitor, and no earlier one."""
        if declared := self._declared.get(name):
            declared.deploy = (version, at)
            self._show_deploy(declared)
            declared.record.show_deploy(_compared(declared))

    def answers(self, name: str, infos: Iterable[AnswerInfo]) -> None:
        """Let *infos*, of redacted texts, be the monitor's failing cases to show."""
        if declared := self._declared.get(name):
            declared.infos = tuple(infos)
            self._show_answers(self._board.update(name, _presentable(declared)))

    def _series(self, monitor: Monitor, old: _Declared | None) -> MonitorSeries:
        """Take in *monitor*'s series, with the values that its *old* ones have."""
        segments = segments_of(monitor)
        if old is not None:
            series = old.record.series
            for family in MonitorFamily:
                if LabelSource.TEXT not in family.family.sources:
                    known = self._store.segment(series, family)
                    at = family.position
                    segments[at] = carried_over(segments[at], known)
            self._store.remove(series)
        return self._store.add(segments)

    def _tell_again(self, new: _Declared, old: _Declared) -> None:
        """Tell *new* what was told of it under its *old* definition."""
        if old.status is not None:
            self.show_status(new.monitor.name, old.status)
        if old.deploy is not None:
            self.deployed(new.monitor.name, *old.deploy)
        before = {case.id: case.fingerprint for case in old.monitor.cases}
        same = {c.id for c in new.monitor.cases if before.get(c.id) == c.fingerprint}
        new.infos = tuple(info for info in old.infos if info.case_id in same)
        name = new.monitor.name
        # Its series are new: what it shows is written again, changed or not.
        changed = self._board.update(name, _presentable(new))
        self._show_answers(changed | {name})

    def _show_deploy(self, declared: _Declared) -> None:
        """Write the latest deploy of *declared*."""
        if declared.deploy is None:
            return
        version, at = declared.deploy
        labels = {"version": label_text(version, _MAX_VERSION_CHARACTERS)}
        family = MonitorFamily.LAST_DEPLOY
        segment = text_segment(
            declared.monitor, family.family, [(labels, at.timestamp())]
        )
        self._store.replace(declared.record.series, family, segment)

    def _show_answers(self, names: Iterable[str]) -> None:
        """Write the failing cases that the monitors *names* show."""
        for name in names:
            declared = self._declared.get(name)
            if declared is None:
                continue
            family = MonitorFamily.CASE_ANSWER
            lines = [(_labels(info), 1) for info in self._board.shown(name)]
            segment = text_segment(declared.monitor, family.family, lines)
            self._store.replace(declared.record.series, family, segment)


def _unchanged(
    old: _Declared, monitor: Monitor, first_seen: datetime, roles: frozenset[TokenRole]
) -> bool:
    """Whether declaring *monitor* would change nothing."""
    return (
        old.monitor.definition == monitor.definition
        and old.first_seen == first_seen
        and old.priced_roles == roles
    )


def _compared(declared: _Declared) -> DeployComparison | None:
    """Return how the latest deploy compares; what an earlier one did is past."""
    found = declared.status.deploy if declared.status else None
    if found and declared.deploy and declared.deploy[0] != found.version:
        return None
    return found


def _presentable(declared: _Declared) -> tuple[AnswerInfo, ...]:
    """Return the failing cases that its configuration lets us show."""
    monitor = declared.monitor
    if monitor.answers is AnswerStorage.NONE or not monitor.alert_answers:
        return ()
    cases = {case.id for case in monitor.cases}
    return tuple(info for info in declared.infos if info.case_id in cases)


def _labels(info: AnswerInfo) -> dict[str, str]:
    """Return the labels that show *info*."""
    return {
        "case": info.case_id,
        "answer": label_text(info.answer or ""),
        "last_good_answer": label_text(info.last_good_answer or ""),
        "reason": label_text(info.reason),
    }
