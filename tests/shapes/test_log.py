from dataclasses import replace

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.run import GradedBy
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Speaker,
    Termination,
    TokenRole,
    TokenUsage,
    ToolCall,
    ToolSource,
    Turn,
)
from answerprobe.shapes import run_log
from answerprobe.verdict import Outcome, Verdict
from builders import run, sample_result


AT = "2026-11-30T12:00:00.000Z"


def talk(text: str = "30 days.") -> tuple[Turn, ...]:
    """Return a question and the answer *text*, with a tool called for it."""
    call = ToolCall(
        name="look_up",
        arguments={"id": 7},
        result="found",
        source=ToolSource.MOCKED,
    )
    answer = Turn(
        speaker=Speaker.AGENT, text=text, tool_calls=(call,), duration_seconds=0.25
    )
    return (Turn(speaker=Speaker.USER, text="How long?"), answer)


class TestRunLog:
    def test_a_sample_is_told_step_by_step(self) -> None:
        """What was asked, called, answered, checked, and how it ended."""
        verdict = Verdict(criterion="contains", outcome=Outcome.FAIL, reason="no 60")
        sample = replace(
            sample_result(Outcome.FAIL),
            turns=talk(),
            verdicts=(verdict,),
            judge=GradedBy(model="m", prompt_version="p"),
            tokens={TokenRole.AGENT: TokenUsage(input_tokens=5, output_tokens=2)},
            termination=Termination.USER_DONE,
        )

        assert run_log(run([sample], run_id=7)).splitlines() == [
            f'ts={AT} msg="Run began" monitor=shop run=7 trigger=manual samples=1',
            f'ts={AT} msg="Sample began" case=refund sample=1 trace_id={"0" * 32}',
            'msg=Asked case=refund sample=1 text="How long?"',
            'msg=Answered case=refund sample=1 seconds=0.25 text="30 days."',
            (
                'msg="Tool called" case=refund sample=1 tool=look_up'
                ' arguments="{\\"id\\": 7}" result=found source=mocked'
            ),
            (
                'msg="Criterion checked" case=refund sample=1 criterion=contains'
                ' outcome=fail reason="no 60"'
            ),
            (
                'msg="Sample ended" case=refund sample=1 outcome=fail seconds=1.0'
                " termination=user_done judge_model=m agent_tokens=7"
            ),
            (
                f'ts={AT} msg="Run ended" run=7 state=completed pass=0 fail=1 error=0'
                " not_judged=0"
            ),
        ]

    def test_an_error_is_told_with_its_detail(self) -> None:
        """Why there is no answer to check."""
        failure = Failure(reason=ErrorReason.TIMEOUT, detail="no answer in 20 s")
        down = replace(sample_result(Outcome.ERROR), failure=failure)

        line = 'reason=timeout detail="no answer in 20 s"'
        assert line in run_log(run([down]))

    def test_a_second_look_is_told_as_one(self) -> None:
        """After the first, its samples numbered on."""
        seen = sample_result(Outcome.FAIL)
        log = run_log(run([seen], second_look=[seen]))

        assert "case=refund sample=2 second_look=true" in log

    def test_one_case_is_told_alone(self) -> None:
        """The others' lines are left out."""
        other = sample_result(Outcome.PASS, case_id="greeting")
        log = run_log(run([sample_result(Outcome.PASS), other]), "greeting")

        assert "case=greeting sample=2" in log
        assert "case=refund" not in log

    @given(st.text())
    def test_no_answer_makes_a_line_of_its_own(self, text: str) -> None:
        """Whatever line breaks there are in the world."""
        sample = replace(sample_result(Outcome.PASS), turns=talk(text))
        calm = replace(sample_result(Outcome.PASS), turns=talk("calm"))

        log, other = run_log(run([sample])), run_log(run([calm]))
        assert len(log.splitlines()) == len(other.splitlines())

    @pytest.mark.parametrize(
        "char", ["\x1b", "\u202e", "\u2066", "\x00", "\x85", "\u2028"], ids=ascii
    )
    def test_what_misleads_a_reader_is_made_visible(self, char: str) -> None:
        """Controls and marks that reorder a line are escapes."""
        sample = replace(sample_result(Outcome.PASS), turns=talk(f"a{char}b"))
        log = run_log(run([sample]))

        assert f'text="a\\u{ord(char):04x}b"' in log
        assert char not in log
