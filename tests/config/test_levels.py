"""Settings of defaults, monitors and cases."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.case import Quorum, Threshold
from answerprobe.config import Config
from answerprobe.monitor import AnswerStorage, Monitor, Retention
from config.loading import load_text, problems, whole


DAY = 86400.0


def monitor(line: str = "", defaults: str = "{}", case: str = "") -> Monitor:
    """Return the one monitor of a configuration."""
    return load_text(f"defaults: {defaults}\n" + whole(line, case=case)).monitors[0]


class TestThreshold:
    """A case with a bar for the lower bound of each criterion."""

    @pytest.mark.parametrize(
        ("line", "case", "bar"),
        [
            pytest.param(
                "", "threshold: {}", Threshold(samples=5, above=0.5), id="built in"
            ),
            pytest.param(
                "",
                "threshold: {above: 60%, confidence: 90%}\n        samples: 10",
                Threshold(samples=10, above=0.6, confidence=0.9),
                id="all of it",
            ),
            pytest.param(
                "samples: 20",
                "threshold: {above: 0.8}",
                Threshold(samples=20, above=0.8),
                id="samples of the monitor",
            ),
            pytest.param(
                "pass_at_least: 1",
                "threshold: {}",
                Threshold(samples=5),
                id="the monitor's quorum is for others",
            ),
        ],
    )
    def test_reads(self, line: str, case: str, bar: Threshold) -> None:
        """The numbers written, else the built-in ones."""
        assert monitor(line, case=case).cases[0].bar == bar

    def test_samples_of_the_defaults_are_written_too(self) -> None:
        """Whoever wrote them meant them."""
        found = monitor("", "{samples: 8}", "threshold: {}").cases[0].bar

        assert found == Threshold(samples=8)

    @pytest.mark.parametrize(
        ("case", "message"),
        [
            pytest.param(
                "threshold: {}\n        samples: 3",
                "no outcome of 3 samples is surely above 0.5: if all passed, the lower "
                "bound would be 0.438, at 95% confidence; 4 samples would do, or a "
                "lower bar",
                id="too few",
            ),
            pytest.param(
                "threshold: {above: 0.99}\n        samples: 100",
                "no outcome of 100 samples is surely above 0.99: if all passed, the "
                "lower bound would be 0.963, at 95% confidence, and 0.981 of 200, the "
                "most there are; lower it",
                id="out of reach",
            ),
            pytest.param(
                "threshold: {}\n        pass_at_least: 2",
                "stands beside pass_at_least; a case has one of them: a threshold is a "
                "bar for the pass rate of each criterion, pass_at_least counts samples",
                id="beside a quorum",
            ),
            pytest.param(
                "threshold: {confidence: 100%}",
                "is 100%; nothing is ever certain: wanted less, such as 99%",
                id="certain",
            ),
        ],
    )
    def test_what_could_not_be_is_refused(self, case: str, message: str) -> None:
        """With the numbers."""
        (found,) = problems(whole(case=case))

        assert found.endswith(f": {message}")


class TestDefaults:
    """What holds where nothing is written."""

    def test_built_in(self) -> None:
        """The documented values."""
        found = monitor()

        assert found.every_seconds == 3600
        assert found.samples == 3
        assert found.cases[0].bar == Quorum(samples=3, pass_at_least=2)
        assert found.target_pass_ratio == pytest.approx(0.9)
        assert found.within_seconds == 20
        assert found.answers is AnswerStorage.REDACTED
        assert found.alert_answers
        assert found.confirm_seconds == 30
        assert found.retention == Retention(
            passes_seconds=7 * DAY, failures_seconds=90 * DAY
        )
        assert found.token_budget is None
        assert found.judge == "default"

    @pytest.mark.parametrize(
        ("written", "field", "value"),
        [
            pytest.param("every: 5m", "every_seconds", 300, id="every"),
            pytest.param("every: manual", "every_seconds", None, id="manual"),
            pytest.param("target: 80%", "target_pass_ratio", 0.8, id="percent"),
            pytest.param("target: 0.8", "target_pass_ratio", 0.8, id="ratio"),
            pytest.param("within: 1m30s", "within_seconds", 90, id="within"),
            pytest.param("answers: none", "answers", AnswerStorage.NONE, id="answers"),
            pytest.param("alert_answers: no", "alert_answers", False, id="alerts"),
            pytest.param("confirm: 0", "confirm_seconds", 0, id="confirm off"),
            pytest.param("confirm: 2m", "confirm_seconds", 120, id="confirm"),
            pytest.param("token_budget: 200k", "token_budget", 200_000, id="thousands"),
            pytest.param(
                "token_budget: 1.5M", "token_budget", 1_500_000, id="millions"
            ),
            pytest.param("token_budget: 300", "token_budget", 300, id="plain"),
        ],
    )
    def test_of_the_file_or_the_monitor(
        self, written: str, field: str, value: object
    ) -> None:
        """Every key of `defaults` may stand in a monitor."""
        assert getattr(monitor(defaults=f"{{{written}}}"), field) == value
        assert getattr(monitor(written), field) == value

    def test_a_monitor_lifts_the_budget(self) -> None:
        """With null."""
        assert monitor("token_budget: null", "{token_budget: 5k}").token_budget is None

    def test_retention_is_merged(self) -> None:
        """A monitor may write one of the two."""
        found = monitor("retention: {passes: 1d}", "{retention: {failures: 2d}}")

        assert found.retention == Retention(
            passes_seconds=DAY, failures_seconds=2 * DAY
        )


class TestQuorum:
    """How many samples, and how many of them must pass."""

    @pytest.mark.parametrize(
        ("samples", "pass_at_least"),
        [
            pytest.param(1, 1, id="1"),
            pytest.param(2, 2, id="2"),
            pytest.param(3, 2, id="3"),
            pytest.param(10, 7, id="10"),
            pytest.param(20, 14, id="20"),
        ],
    )
    def test_two_thirds_rounded_up(self, samples: int, pass_at_least: int) -> None:
        """Where only the samples are written."""
        quorum = monitor(f"samples: {samples}").cases[0].bar

        assert quorum == Quorum(samples=samples, pass_at_least=pass_at_least)

    @given(st.integers(1, 200))
    def test_is_never_more_than_all_nor_less_than_two_thirds(
        self, samples: int
    ) -> None:
        """For every number that is allowed."""
        quorum = monitor(f"samples: {samples}").cases[0].bar

        assert isinstance(quorum, Quorum)
        assert 2 * samples <= 3 * quorum.pass_at_least
        assert quorum.pass_at_least <= samples

    @pytest.mark.parametrize(
        ("defaults", "line", "case", "quorum"),
        [
            pytest.param("{samples: 9}", "", "", (9, 6), id="defaults"),
            pytest.param("{samples: 9}", "samples: 5", "", (5, 4), id="monitor"),
            pytest.param(
                "{pass_at_least: 3}", "samples: 6", "", (6, 4), id="usual again"
            ),
            pytest.param(
                "{samples: 9}", "pass_at_least: 9", "", (9, 9), id="all of the defaults"
            ),
            pytest.param("{}", "samples: 6", "samples: 3", (3, 2), id="case"),
            pytest.param("{}", "samples: 6", "pass_at_least: 6", (6, 6), id="case all"),
        ],
    )
    def test_levels(
        self, defaults: str, line: str, case: str, quorum: tuple[int, int]
    ) -> None:
        """The inner level counts; a missing half is the usual or the outer one."""
        samples, pass_at_least = quorum

        found = monitor(line, defaults, case).cases[0].bar

        assert found == Quorum(samples=samples, pass_at_least=pass_at_least)

    @pytest.mark.parametrize(
        ("text", "where", "numbers"),
        [
            pytest.param(
                whole("{samples: 2, pass_at_least: 3}"[1:-1].replace(", ", "\n    ")),
                "5:20: monitors[0].pass_at_least",
                "is 3, more than samples (2)",
                id="monitor",
            ),
            pytest.param(
                whole("samples: 2", case="pass_at_least: 5"),
                "10:24: monitors[0].cases[0].pass_at_least",
                "is 5, more than samples (2)",
                id="case",
            ),
            pytest.param(
                "defaults: {pass_at_least: 4}\n" + whole(),
                "1:27: defaults.pass_at_least",
                "is 4, more than samples (3)",
                id="defaults, once",
            ),
        ],
    )
    def test_more_than_samples(self, text: str, where: str, numbers: str) -> None:
        """Refused with both numbers, where it is written."""
        assert problems(text) == [f"{where}: {numbers} can pass"]


class TestWithin:
    """The deadline of one exchange."""

    @pytest.mark.parametrize(
        ("line", "criterion", "case", "seconds"),
        [
            pytest.param("within: 9s", "", "", 9, id="monitor"),
            pytest.param("within: 9s", "answered: {within: 5s}", "", 5, id="criterion"),
            pytest.param("within: 9s", "", "within: 6s", 6, id="case"),
            pytest.param("within: 9s", "answered: true", "", 9, id="answered: true"),
            pytest.param(
                "", "answered: {within: 60s}", "within: 1m", 60, id="twice the same"
            ),
        ],
    )
    def test_innermost_counts(
        self, line: str, criterion: str, case: str, seconds: float
    ) -> None:
        """Of monitor, case and criterion."""
        found = load_text(whole(line, criterion, case)).monitors[0].cases[0]

        assert found.within_seconds == seconds

    def test_written_twice(self) -> None:
        """A case that contradicts itself is refused."""
        text = whole(criterion="answered: {within: 5s}", case="within: 6s")

        (problem,) = problems(text)

        place, _, said = problem.partition(".answered.within: ")
        assert place == "9:32: monitors[0].cases[0].expect[1]"
        assert (
            said == "is another time than the case's other within (6s); write it once"
        )

    @pytest.mark.parametrize(
        ("text", "where"),
        [
            pytest.param(whole("every: 10s"), "4:12: monitors[0].every", id="built in"),
            pytest.param(
                whole("every: 10s", "answered: {within: 20s}"),
                "9:32: monitors[0].cases[0].expect[1].answered.within",
                id="criterion",
            ),
            pytest.param(
                whole("every: 10s", case="within: 20s"),
                "10:17: monitors[0].cases[0].within",
                id="case",
            ),
            pytest.param(
                "defaults: {every: 10s, within: 20s}\n" + whole(),
                "1:32: defaults.within",
                id="defaults",
            ),
        ],
    )
    def test_longer_than_every(self, text: str, where: str) -> None:
        """Refused with both, where it is written."""
        numbers = "within (20s) is longer than every (10s)"

        assert problems(text) == [
            f"{where}: {numbers}; shorten within or lengthen every"
        ]

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("every: 20s", id="as long"),
            pytest.param("every: manual", id="manual"),
        ],
    )
    def test_fits(self, line: str) -> None:
        """An interval may be as long as the deadline."""
        assert isinstance(load_text(whole(line, case="within: 20s")), Config)

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param("within: 0s", "is 0s; wanted: more than 0", id="zero"),
            pytest.param("within: -1s", "is '-1s'; wanted: a duration", id="negative"),
            pytest.param(
                "every: 600w", "is 600w; wanted: at most ten years", id="long"
            ),
            pytest.param("target: 0%", "is 0%; wanted: more than 0%", id="nothing"),
            pytest.param("target: 101%", "is 101%; wanted: more than 0%", id="beyond"),
            pytest.param("target: 90", "is 90; wanted: a share such as 90%", id="bare"),
            pytest.param("token_budget: 0k", "is 0; wanted: from 1 to", id="no tokens"),
            pytest.param(
                "token_budget: 9999999999M", "wanted: from 1 to", id="too many"
            ),
        ],
    )
    def test_unsound_values(self, line: str, says: str) -> None:
        """One problem, without those that follow from it."""
        (problem,) = problems(whole(line))

        assert says in problem
