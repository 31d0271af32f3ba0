"""One judge that is kept calibrated: what is known of it, and when it is due next."""

import asyncio
import math

from dataclasses import dataclass, field
from datetime import datetime

from answerprobe.calibration import Calibration
from answerprobe.judge import Candidate


_FIRST_RETRY_SECONDS = 30.0
_LONGEST_RETRY_SECONDS = 600.0
# A gateway that changes models all the time is not calibrated all the time.
_CHANGE_GAP_SECONDS = 600.0
# Beyond so many names of models another one is no change any more.
_MOST_MODELS = 10
_CLOCK_TOLERANCE_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class JudgeWatch:
    """
    A judge under its *definition*, and its *last* calibration if there is one.

    *due* is monotonic, as every *now* here is; infinite where it is never calibrated.
    *moved* is set where *due* came nearer.
    """

    judge: Candidate
    definition: str
    last: Calibration | None = None
    due: float = math.inf
    calibrating: bool = False
    unaffordable: bool = False
    moved: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    _models: set[str] = field(default_factory=set)
    _met: str | None = None
    _next_change: float = -math.inf
    _failures: int = 0

    @property
    def name(self) -> str:
        """The judge's name."""
        return self.judge.settings.name

    @property
    def every_seconds(self) -> float:
        """How often it is calibrated; 0 is never."""
        return self.judge.settings.calibrate_seconds

    @property
    def models(self) -> list[str]:
        """The models that are known to answer as this judge."""
        return sorted(self._models)

    def is_of(self, definition: str, every_seconds: float) -> bool:
        """Whether what is known of it holds for a judge of such settings."""
        return (self.definition, self.every_seconds) == (definition, every_seconds)

    def knows(self, model: str) -> bool:
        """Whether it is no news that *model* answers as this judge."""
        return model in self._models or len(self._models) >= _MOST_MODELS

    def meet(self, model: str, now: float) -> None:
        """Note that *model*, which was not known, answers: that makes it due."""
        changed = bool(self._models)
        self._models.add(model)
        # What is seen while it is calibrated is calibrated by that.
        if changed and self.every_seconds and not self.calibrating:
            self._met = model
            self.due = min(self.due, max(now, self._next_change))
            self._next_change = self.due + _CHANGE_GAP_SECONDS
            self.moved.set()

    def is_answered_by(self, calibration: Calibration) -> bool:
        """Whether *calibration*, of another replica, tells more than is known here."""
        return (
            calibration.definition == self.definition
            and (self.last is None or calibration.at > self.last.at)
            and (self._met is None or self._met in calibration.models)
        )

    def take(self, calibration: Calibration, *, at: datetime, now: float) -> None:
        """Let *calibration* be the last one; *at* and *now* are the present instant."""
        self.last = calibration
        self._models = set(calibration.models)
        if self._met is not None:
            # It was the reason to calibrate: met once more, it is no news.
            self._models.add(self._met)
            self._met = None
        self._failures = 0
        if self.every_seconds:
            age_seconds = (at - calibration.at).total_seconds()
            self.due = now + self._left_seconds(age_seconds)

    def _left_seconds(self, age_seconds: float) -> float:
        """Return how long a calibration of this age still holds."""
        if age_seconds < -_CLOCK_TOLERANCE_SECONDS:
            # One of the future: a clock was set, and nobody knows its age.
            return 0.0
        return max(0.0, self.every_seconds - max(0.0, age_seconds))

    def retry(self, now: float) -> float:
        """Make it due again, later each time; return in how many seconds."""
        wait_seconds = min(
            _FIRST_RETRY_SECONDS * 2.0 ** min(self._failures, 10),
            _LONGEST_RETRY_SECONDS,
            self.every_seconds,
        )
        self._failures += 1
        self.due = now + wait_seconds
        return wait_seconds
