import xml.etree.ElementTree as ET

from collections.abc import Sequence
from dataclasses import replace

import pytest

from answerprobe.cli._common import ExitStatus
from answerprobe.cli._junit import as_junit
from answerprobe.cli._report import NOT_ASKED, Report, exit_status
from answerprobe.cli._table import as_table
from answerprobe.monitor import Monitor
from answerprobe.run import Decision, RunState, SampleResult
from answerprobe.sample import ErrorReason, Failure
from answerprobe.verdict import Outcome, Verdict
from builders import case, monitor, run, sample_result


PASS, FAIL = sample_result(Outcome.PASS), sample_result(Outcome.FAIL)
ERROR, UNJUDGED = sample_result(Outcome.ERROR), sample_result(Outcome.NOT_JUDGED)


def report(
    samples: Sequence[SampleResult], *, of: Monitor | None = None, cut: bool = False
) -> Report:
    """Return the report of a run of *samples*; *cut* short where the budget ended."""
    watched = of or monitor()
    state = RunState.INTERRUPTED if cut else RunState.COMPLETED
    return Report.of(watched, replace(run(samples), state=state, total=watched.samples))


def decisions(made: Report) -> list[Decision]:
    """Return what *made* says of its cases."""
    return [one.result.decision for one in made.cases]


class TestExitStatus:
    @pytest.mark.parametrize(
        ("samples", "status"),
        [
            pytest.param([PASS, PASS, FAIL], ExitStatus.OK, id="quorum"),
            pytest.param([PASS, FAIL, FAIL], ExitStatus.FAILED, id="fails"),
            pytest.param([ERROR, ERROR, PASS], ExitStatus.FAILED, id="errors"),
            pytest.param([PASS, UNJUDGED, FAIL], ExitStatus.NOT_JUDGED, id="undecided"),
            pytest.param([FAIL, UNJUDGED, FAIL], ExitStatus.FAILED, id="hopeless"),
        ],
    )
    def test_it_follows_the_quorum(
        self, samples: list[SampleResult], status: ExitStatus
    ) -> None:
        """Two of three must pass."""
        assert exit_status([report(samples)]) is status

    def test_a_fail_outweighs_what_was_not_judged(self) -> None:
        """In whichever monitor it was."""
        undecided, failing = report([PASS, UNJUDGED, FAIL]), report([FAIL] * 3)

        assert exit_status([undecided, failing]) is ExitStatus.FAILED

    @pytest.mark.parametrize(
        ("samples", "status", "decision"),
        [
            pytest.param([], ExitStatus.NOT_JUDGED, Decision.UNDECIDED, id="none"),
            pytest.param([PASS], ExitStatus.NOT_JUDGED, Decision.UNDECIDED, id="one"),
            pytest.param(
                [PASS, PASS], ExitStatus.NOT_JUDGED, Decision.PASSING, id="enough"
            ),
            pytest.param(
                [FAIL, FAIL], ExitStatus.FAILED, Decision.FAILING, id="too-many-fails"
            ),
        ],
    )
    def test_what_was_not_asked_might_have_passed(
        self, samples: list[SampleResult], status: ExitStatus, decision: Decision
    ) -> None:
        """A run cut short fails only what nothing could save, and is never 0."""
        made = report(samples, cut=True)

        assert decisions(made) == [decision]
        assert exit_status([made]) is status
        assert made.cut_short == (
            f"the run of 'shop' was cut short after {len(samples)} of 3 samples: "
            "a token budget is used up"
        )


class TestTable:
    def test_columns_are_aligned_and_reasons_short(self) -> None:
        """The first reason of what does not pass, on one line, cut."""
        long = Verdict(
            criterion="contains", outcome=Outcome.FAIL, reason="not\nthere " * 30
        )
        failing = replace(FAIL, verdicts=(long,))
        lines = as_table([report([failing] * 3)]).splitlines()

        assert lines[0] == "MONITOR  CASE    RESULT   PASSED  WHY"
        assert lines[1].startswith(
            "shop     refund  failing  0/3     contains: not ther"
        )
        assert lines[1].endswith("…")
        assert lines[2:] == ["", "1 case: 1 failing"]

    def test_a_terminal_acts_on_nothing(self) -> None:
        """Names and reasons come from outside."""
        evil = Verdict(
            criterion="contains",
            outcome=Outcome.FAIL,
            reason="\x1b]0;owned\x07 \x9b31m \u202egnp",
        )
        watched = monitor("a\u202eb", cases=[case()])
        text = as_table([report([replace(FAIL, verdicts=(evil,))] * 3, of=watched)])

        assert text.replace("\n", "").isprintable()

    def test_an_error_is_told_by_its_reason(self) -> None:
        """And by its detail, where there is one."""
        failure = Failure(reason=ErrorReason.TIMEOUT, detail="no answer in 20 s")
        silent = Failure(reason=ErrorReason.NO_ANSWER, detail="")
        told = as_table([report([replace(ERROR, failure=failure)] * 3)])
        short = as_table([report([replace(ERROR, failure=silent)] * 3)])

        assert "timeout: no answer in 20 s" in told
        assert "no_answer\n" in short

    def test_what_was_not_asked_says_so(self) -> None:
        """A case without a sample has no other reason."""
        assert NOT_ASKED in as_table([report([], cut=True)])


class TestJunit:
    def test_failure_error_and_skipped_are_apart(self) -> None:
        """With their numbers on the suite."""
        one = [case(name, samples=1, pass_at_least=1) for name in ("p", "f", "e", "n")]
        samples = [
            sample_result(outcome, case_id=item.id)
            for item, outcome in zip(
                one,
                (Outcome.PASS, Outcome.FAIL, Outcome.ERROR, Outcome.NOT_JUDGED),
                strict=True,
            )
        ]
        (suite,) = parsed(as_junit([report(samples, of=monitor(cases=one))]))

        numbers = [suite.get(k) for k in ("tests", "failures", "errors", "skipped")]
        assert numbers == ["4", "1", "1", "1"]
        assert tags(suite) == {
            "p [1]": ["system-out"],
            "f [1]": ["failure", "system-out"],
            "e [1]": ["error", "system-out"],
            "n [1]": ["skipped", "system-out"],
        }

    def test_what_was_not_asked_is_skipped(self) -> None:
        """So that no number of tests shrinks in silence."""
        (suite,) = parsed(as_junit([report([PASS], cut=True)]))

        assert (suite.get("tests"), suite.get("skipped")) == ("3", "2")
        assert tags(suite)["refund [3]"] == ["skipped"]

    def test_what_xml_cannot_hold_is_left_out(self) -> None:
        """And markup is text."""
        evil = replace(PASS, answer="\x00\x1b\ud800\ufffe</system-out><b>&amp;")
        (suite,) = parsed(as_junit([report([evil] * 3)]))

        assert suite.findtext("testcase/system-out") == "</system-out><b>&amp;"


def parsed(text: str) -> ET.Element:
    """Return the XML *text*, which we wrote."""
    return ET.fromstring(text)  # noqa: S314  our own


def tags(suite: ET.Element) -> dict[str, list[str]]:
    """Return what each test case of *suite* has, by its name."""
    return {
        str(item.get("name")): [child.tag for child in item]
        for item in suite.iter("testcase")
    }
