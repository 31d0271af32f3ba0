"""What the daemon knows of its judges."""

from enum import StrEnum

from prometheus_client import CollectorRegistry

from answerprobe.calibration import Calibration
from answerprobe.metrics.answers import label_text
from answerprobe.metrics.exporter_families import JUDGE_OUTCOMES
from answerprobe.metrics.exporter_families import ExporterFamily as Family
from answerprobe.metrics.registry import counter, gauge, histogram
from answerprobe.run import GradedBy
from answerprobe.verdict import Outcome


_MAX_MODEL_CHARACTERS = 100


class JudgeMetrics:
    """The judges' metrics, told what happened; they carry no monitor."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._up = gauge(Family.JUDGE_UP, registry)
        self._requests = counter(Family.JUDGE_REQUESTS, registry)
        self._duration = histogram(Family.JUDGE_DURATION, registry)
        self._disagreements = counter(Family.JUDGE_DISAGREEMENTS, registry)
        self._info = gauge(Family.JUDGE_INFO, registry)
        self._agreement = gauge(Family.JUDGE_CANARY_AGREEMENT, registry)
        self._canaries = gauge(Family.JUDGE_CANARY_SAMPLES, registry)
        self._of_canaries = (self._agreement, self._canaries)
        self._all = (
            *(self._up, self._requests, self._duration),
            *(self._disagreements, self._info, *self._of_canaries),
        )
        self._shown: dict[str, tuple[str, str]] = {}

    def declare(self, judge: str) -> None:
        """
        Let what can be counted of *judge* exist, at 0 where it is new.

        Whether it is up is not known before its first request.
        """
        for outcome in JUDGE_OUTCOMES:
            self._requests.labels(judge, outcome)
        self._duration.labels(judge)
        self._disagreements.labels(judge)

    def remove(self, judge: str) -> None:
        """Drop all series of *judge*."""
        self._shown.pop(judge, None)
        for metric in self._all:
            metric.remove_by_labels({"judge": judge})

    def requested(self, judge: str, outcome: StrEnum, seconds: float) -> None:
        """Count a request to *judge*; *outcome* is one of JUDGE_OUTCOMES."""
        usable = outcome in {Outcome.PASS, Outcome.FAIL}
        self._requests.labels(judge, outcome.value).inc()
        self._duration.labels(judge).observe(seconds)
        self._up.labels(judge).set(int(usable))

    def disagreed(self, judge: str) -> None:
        """Count an answer on which *judge*'s votes differed."""
        self._disagreements.labels(judge).inc()

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """Show which model and prompt *judge* is; one series for each judge."""
        # The model is what the API reports, so it may be anything.
        model = label_text(graded_by.model, _MAX_MODEL_CHARACTERS)
        shown = (model, graded_by.prompt_version)
        if self._shown.get(judge) == shown:
            return
        self._info.remove_by_labels({"judge": judge})
        self._info.labels(judge, *shown).set(1)
        self._shown[judge] = shown

    def calibrated(self, calibration: Calibration) -> None:
        """Show how a judge fared on its canaries; no rate where nothing was judged."""
        judge = calibration.judge
        for verdict, agreement in (
            (Outcome.PASS, calibration.passes),
            (Outcome.FAIL, calibration.fails),
        ):
            self._canaries.labels(judge, verdict.value).set(agreement.judged)
            if agreement.ratio is None:
                gone = {"judge": judge, "verdict": verdict.value}
                self._agreement.remove_by_labels(gone)
            else:
                self._agreement.labels(judge, verdict.value).set(agreement.ratio)

    def uncalibrated(self, judge: str) -> None:
        """Show no calibration of *judge*: there is none of what it is now."""
        for metric in self._of_canaries:
            metric.remove_by_labels({"judge": judge})
