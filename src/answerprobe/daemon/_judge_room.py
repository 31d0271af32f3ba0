"""The judges as the web application sees them: how each one fares since the start."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from answerprobe.calibration import Calibration
from answerprobe.config import Config
from answerprobe.errors import StoreError
from answerprobe.judge import JudgeObserver, JudgeOutcome, canaries_of
from answerprobe.monitor import JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.shapes import JudgeView


_USABLE = frozenset({JudgeOutcome.PASS, JudgeOutcome.FAIL})


class Calibrations(Protocol):
    """Where calibrations are kept."""

    async def calibrations(self) -> Mapping[str, Calibration]:
        """Return the last calibration of each judge, by its name."""
        ...


@dataclass(slots=True)
class _Record:
    """What one judge did since the daemon started."""

    requests: Counter[JudgeOutcome] = field(default_factory=Counter)
    up: bool | None = None
    last_request_at: datetime | None = None
    graded_by: GradedBy | None = None
    disagreements: int = 0


class JudgeRoom:
    """Remembers how judges fare, and passes it on to the next observer."""

    def __init__(
        self,
        *,
        after: JudgeObserver,
        calibrations: Calibrations,
        clock: Callable[[], datetime],
    ) -> None:
        self._after = after
        self._calibrations = calibrations
        self._clock = clock
        self._config: Config | None = None
        self._records: dict[str, _Record] = {}

    def apply(self, config: Config) -> None:
        """Tell of the judges of *config*, and of no others."""
        self._config = config
        gone = self._records.keys() - config.judges.keys()
        for name in gone:
            del self._records[name]

    def requested(self, judge: str, outcome: JudgeOutcome, seconds: float) -> None:
        """Remember how a request to *judge* ended."""
        record = self._record(judge)
        record.requests[outcome] += 1
        record.up = outcome in _USABLE
        record.last_request_at = self._clock()
        self._after.requested(judge, outcome, seconds)

    def disagreed(self, judge: str) -> None:
        """Remember that votes of *judge* differed."""
        self._record(judge).disagreements += 1
        self._after.disagreed(judge)

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """Remember who graded."""
        self._record(judge).graded_by = graded_by
        self._after.graded_by(judge, graded_by)

    def _record(self, judge: str) -> _Record:
        """Return what is known of *judge*."""
        return self._records.setdefault(judge, _Record())

    async def judges(self) -> Sequence[JudgeView]:
        """Return every judge that a monitor asks, in the configuration's order."""
        if self._config is None:
            return ()
        try:
            known = await self._calibrations.calibrations()
        except StoreError:
            # How a judge fares now matters more than how it was calibrated.
            known = {}
        asking = _monitors_of(self._config)
        return tuple(
            self._view(settings, asking.get(name, ()), known.get(name))
            for name, settings in self._config.judges.items()
        )

    def _view(
        self,
        settings: JudgeSettings,
        monitors: Sequence[str],
        calibration: Calibration | None,
    ) -> JudgeView:
        """Return the judge of *settings* as it stands now."""
        record = self._records.get(settings.name, _Record())
        return JudgeView(
            name=settings.name,
            model=settings.model,
            monitors=tuple(monitors),
            votes=settings.votes,
            requests={o.value: record.requests[o] for o in JudgeOutcome},
            up=record.up,
            last_request_at=record.last_request_at,
            graded_by=record.graded_by,
            disagreements=record.disagreements,
            canaries=len(canaries_of(settings)),
            calibrate_seconds=settings.calibrate_seconds,
            calibration=calibration,
        )


def _monitors_of(config: Config) -> Mapping[str, Sequence[str]]:
    """Return the monitors that ask each judge, by its name."""
    found: dict[str, list[str]] = {}
    for monitor in config.monitors:
        if any(case.rubrics for case in monitor.cases):
            found.setdefault(monitor.judge, []).append(monitor.name)
    return found
