"""What is told of judges."""

import pytest

from prometheus_client import CollectorRegistry

from answerprobe.errors import LlmFault
from answerprobe.judge import JudgeObserver, JudgeOutcome
from answerprobe.metrics import JudgeMetrics
from answerprobe.metrics.exporter_families import JUDGE_OUTCOMES
from answerprobe.run import GradedBy
from answerprobe.verdict import Outcome
from metrics.making import calibration


@pytest.fixture
def registry() -> CollectorRegistry:
    """A registry of its own."""
    return CollectorRegistry()


@pytest.fixture
def judges(registry: CollectorRegistry) -> JudgeMetrics:
    """The metrics of one judge, `default`."""
    found = JudgeMetrics(registry)
    found.declare("default")
    return found


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    """Return a series of the judge `default`."""
    return registry.get_sample_value(
        f"answerprobe_judge_{name}", {"judge": "default", **labels}
    )


class TestJudgeMetrics:
    """The families of judges."""

    def test_are_what_a_judge_tells(self, judges: JudgeMetrics) -> None:
        """They can be its observer, and know all its outcomes."""
        observer: JudgeObserver = judges

        for outcome in JudgeOutcome:
            observer.requested("default", outcome, 0.1)

        assert set(JUDGE_OUTCOMES) == set(JudgeOutcome)

    @pytest.mark.parametrize(
        "outcome",
        [
            pytest.param(outcome, id=outcome)
            for outcome in (
                *("pass", "fail"),
                *("unreachable", "invalid", "refused", "truncated"),
            )
        ],
    )
    @pytest.mark.usefixtures("judges")
    def test_every_outcome_starts_at_0(
        self, registry: CollectorRegistry, outcome: str
    ) -> None:
        """A rate sees the first failure too."""
        assert value(registry, "requests_total", outcome=outcome) == 0

    @pytest.mark.usefixtures("judges")
    def test_up_is_absent_before_the_first_request(
        self, registry: CollectorRegistry
    ) -> None:
        """Nothing is claimed of a judge that was never asked."""
        assert value(registry, "up") is None
        assert value(registry, "duration_seconds_count") == 0
        assert value(registry, "disagreements_total") == 0

    def test_a_verdict_means_up(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """A fail is as usable as a pass."""
        judges.requested("default", Outcome.FAIL, 1.5)

        assert value(registry, "up") == 1
        assert value(registry, "requests_total", outcome="fail") == 1
        assert value(registry, "duration_seconds_sum") == 1.5

    @pytest.mark.parametrize("fault", [pytest.param(f, id=f) for f in LlmFault])
    def test_no_usable_verdict_means_not_up(
        self, registry: CollectorRegistry, judges: JudgeMetrics, fault: LlmFault
    ) -> None:
        """Whatever went wrong, the last request counts."""
        judges.requested("default", Outcome.PASS, 1.0)

        judges.requested("default", fault, 1.0)

        assert value(registry, "up") == 0
        assert value(registry, "requests_total", outcome=fault) == 1

    def test_info_is_one_series_with_a_harmless_model_name(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """A new model takes the place of the old one."""
        judges.graded_by("default", GradedBy(model="old", prompt_version="a1"))

        judges.graded_by("default", GradedBy(model="<new>\udc00", prompt_version="a1"))

        shown = [
            found.labels
            for family in registry.collect()
            if family.name == "answerprobe_judge_info"
            for found in family.samples
        ]
        assert shown == [
            {
                "judge": "default",
                "model": "\uff1cnew\uff1e\ufffd",
                "prompt_version": "a1",
            }
        ]

    def test_a_removed_judge_leaves_nothing(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """All its series are gone, also those that came later."""
        judges.requested("default", Outcome.PASS, 1.0)
        judges.disagreed("default")
        judges.graded_by("default", GradedBy(model="m", prompt_version="a1"))
        judges.calibrated(calibration((1, 1), (1, 1)))

        judges.remove("default")

        assert not [found for family in registry.collect() for found in family.samples]


class TestCanaries:
    """True-pass and true-fail rates."""

    @pytest.mark.usefixtures("judges")
    def test_are_absent_before_the_first_calibration(
        self, registry: CollectorRegistry
    ) -> None:
        """Nothing is claimed of a judge that was never calibrated."""
        for verdict in ("pass", "fail"):
            assert value(registry, "canary_samples", verdict=verdict) is None
            assert value(registry, "canary_agreement_ratio", verdict=verdict) is None

    def test_are_those_of_the_last_calibration(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """Each known verdict for itself."""
        judges.calibrated(calibration((20, 20), (20, 20)))

        judges.calibrated(calibration((19, 20), (4, 16)))

        assert value(registry, "canary_agreement_ratio", verdict="pass") == 0.95
        assert value(registry, "canary_agreement_ratio", verdict="fail") == 0.25
        assert value(registry, "canary_samples", verdict="fail") == 16

    def test_there_is_no_rate_of_nothing(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """Absent, not 0, also where there was one before."""
        judges.calibrated(calibration((20, 20), (20, 20)))

        judges.calibrated(calibration((20, 20), (0, 0)))

        assert value(registry, "canary_agreement_ratio", verdict="fail") is None
        assert value(registry, "canary_samples", verdict="fail") == 0

    def test_another_judge_has_none_yet(
        self, registry: CollectorRegistry, judges: JudgeMetrics
    ) -> None:
        """What is known of the old one says nothing of the new one."""
        judges.calibrated(calibration((20, 20), (20, 20)))

        judges.uncalibrated("default")

        assert value(registry, "canary_samples", verdict="pass") is None
