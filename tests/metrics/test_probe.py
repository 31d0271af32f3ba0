"""One run as metrics."""

from dataclasses import replace

import pytest

from prometheus_client.parser import text_string_to_metric_families

from answerprobe.metrics import PROBE_FAMILIES, Probed, probe_text
from answerprobe.run import Run
from answerprobe.sample import ErrorReason, Failure, TokenRole, TokenUsage
from answerprobe.verdict import Outcome, Verdict
from builders import NOW, case, monitor, run, sample_result


TWO = monitor(
    labels={"team": 'sup"port\n'},
    cases=[case(), case("greeting", fingerprint="f2")],
)
PASS, FAIL = sample_result(Outcome.PASS), sample_result(Outcome.FAIL)
UNJUDGED = sample_result(Outcome.NOT_JUDGED)
ERROR = replace(
    sample_result(Outcome.ERROR, answer=None),
    failure=Failure(reason=ErrorReason.TIMEOUT, detail="x"),
)
GREETED = [sample_result(Outcome.PASS, case_id="greeting", fingerprint="f2")] * 3


def values(probed: Probed) -> dict[tuple[str, ...], float]:
    """Return every series: its name and labels beyond the monitor's -> value."""
    found = {}
    for family in text_string_to_metric_families(probe_text(probed)):
        for sample in family.samples:
            assert sample.labels.pop("monitor") == "shop"
            assert sample.labels.pop("team", None) in (None, 'sup"port\n')
            found[(sample.name, *sample.labels.values())] = sample.value
    return found


class TestSeries:
    def test_a_run_is_told_whole(self) -> None:
        """What it says of the monitor and of each case."""
        judged = replace(
            FAIL,
            verdicts=(
                Verdict(criterion="contains", outcome=Outcome.FAIL, reason="no"),
                Verdict(criterion="max_words", outcome=Outcome.PASS, reason="3"),
            ),
            tokens={TokenRole.AGENT: TokenUsage(input_tokens=5, output_tokens=2)},
            duration_seconds=2.5,
        )
        told = values(Probed(TWO, run([judged, ERROR, *GREETED], run_id=7)))

        assert told == {
            ("probe_success",): 0,
            ("probe_duration_seconds",): 0,
            ("answerprobe_up",): 1,
            ("answerprobe_run_pass_ratio",): 0.6,
            ("answerprobe_target_pass_ratio",): 0.9,
            ("answerprobe_last_run_id",): 7,
            ("answerprobe_last_run_timestamp_seconds",): NOW.timestamp(),
            ("answerprobe_last_run_duration_seconds",): 0,
            ("answerprobe_case_passing", "refund"): 0,
            ("answerprobe_case_passing", "greeting"): 1,
            ("probe_samples", "refund", "pass"): 0,
            ("probe_samples", "refund", "fail"): 1,
            ("probe_samples", "refund", "error"): 1,
            ("probe_samples", "refund", "not_judged"): 0,
            ("probe_samples", "greeting", "pass"): 3,
            ("probe_samples", "greeting", "fail"): 0,
            ("probe_samples", "greeting", "error"): 0,
            ("probe_samples", "greeting", "not_judged"): 0,
            ("probe_sample_errors", "refund", "timeout"): 1,
            ("probe_criterion_failures", "refund", "contains"): 1,
            ("probe_criterion_failures", "refund", "max_words"): 0,
            ("probe_answer_duration_seconds", "refund"): 2.5,
            ("probe_answer_duration_seconds", "greeting"): 1,
            ("probe_tokens", "agent", "input"): 5,
            ("probe_tokens", "agent", "output"): 2,
        }

    def test_one_case_is_told_alone(self) -> None:
        """The ratio is that of its samples."""
        told = values(Probed(TWO, run([FAIL] * 3 + GREETED), "greeting"))

        assert told["answerprobe_run_pass_ratio",] == 1
        assert told["probe_success",] == 1
        assert not [key for key in told if "refund" in key]

    def test_before_the_first_run_only_the_target_is_known(self) -> None:
        """What nobody knows is absent."""
        assert values(Probed(TWO, None)) == {("answerprobe_target_pass_ratio",): 0.9}


class TestSuccess:
    @pytest.mark.parametrize(
        ("told", "success"),
        [
            pytest.param(run([PASS] * 9 + [FAIL]), 1, id="at-target"),
            pytest.param(run([PASS] * 8 + [FAIL] * 2), 0, id="below"),
            pytest.param(run([PASS] * 8 + [UNJUDGED] * 2), None, id="judge-decides"),
            pytest.param(run([FAIL] * 2 + [UNJUDGED] * 8), 0, id="below-whatever"),
            pytest.param(run([ERROR]), 0, id="down"),
            pytest.param(run([]), None, id="nothing-asked"),
        ],
    )
    def test_a_run_succeeds_at_its_target(self, told: Run, success: int | None) -> None:
        """What was not judged neither fails nor passes it."""
        assert values(Probed(monitor(), told)).get(("probe_success",)) == success

    @pytest.mark.parametrize(
        ("told", "success"),
        [
            pytest.param(run([PASS, PASS, FAIL]), 1, id="quorum"),
            pytest.param(run([PASS, FAIL, FAIL]), 0, id="fails"),
            pytest.param(run([PASS, UNJUDGED, FAIL]), None, id="undecided"),
        ],
    )
    def test_a_case_succeeds_where_it_passes(
        self, told: Run, success: int | None
    ) -> None:
        """By its own quorum."""
        probed = Probed(monitor(), told, "refund")

        assert values(probed).get(("probe_success",)) == success

    def test_a_second_look_decides(self) -> None:
        """As it does for the status."""
        told = run([FAIL] * 3, second_look=[PASS] * 3)

        assert values(Probed(monitor(), told, "refund"))["probe_success",] == 1


def test_names_are_gauges_and_told_once() -> None:
    """HELP and TYPE stand once, whatever a family is shared with /metrics."""
    text = probe_text(Probed(TWO, run([PASS, FAIL, ERROR, *GREETED])))

    types = [line for line in text.splitlines() if line.startswith("# TYPE")]
    assert all(line.endswith(" gauge") for line in types)
    assert len(set(types)) == len(types)
    assert {line.split()[2] for line in types} <= {f.name for f in PROBE_FAMILIES}
