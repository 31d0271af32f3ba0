import csv
import io

from dataclasses import replace

import pytest

from answerprobe.sample import ErrorReason, Failure, Speaker, Turn
from answerprobe.shapes import COLUMNS, to_csv
from answerprobe.verdict import Outcome, Verdict
from builders import run, sample_result


def rows(text: str) -> list[dict[str, str]]:
    """Return the rows of the CSV *text*."""
    return list(csv.DictReader(io.StringIO(text)))


class TestToCsv:
    def test_a_sample_is_a_row(self) -> None:
        """Every column is filled as documented."""
        judged = Verdict(criterion="judge#2", outcome=Outcome.FAIL, reason="no link")
        told = replace(
            sample_result(Outcome.FAIL, answer='one, "two"\nthree'),
            turns=(Turn(speaker=Speaker.USER, text="?"),),
            verdicts=(judged,),
        )
        text = to_csv([run([told], run_id=7)])

        assert text.splitlines()[0] == ",".join(COLUMNS)
        assert rows(text) == [
            {
                "run": "7",
                "case": "refund",
                "sample": "1",
                "outcome": "fail",
                "error_reason": "",
                "turns": "1",
                "tools_called": "",
                "tools_missing": "",
                "tools_unexpected": "",
                "duration_seconds": "1.000",
                "judge_reason": "no link",
                "answer": 'one, "two"\nthree',
            }
        ]

    def test_tools_that_were_missing_and_unexpected_are_named(self) -> None:
        """Each in its own cell, with a blank between names."""
        failed = replace(
            sample_result(Outcome.FAIL),
            tools_missing=("send_mail", "book"),
            tools_unexpected=("refund",),
        )
        (row,) = rows(to_csv([run([failed])]))

        assert (row["tools_missing"], row["tools_unexpected"]) == (
            "send_mail book",
            "refund",
        )

    def test_built_in_rubrics_have_a_judges_reason(self) -> None:
        """All that a judge graded, rules apart."""
        verdicts = tuple(
            Verdict(criterion=name, outcome=Outcome.FAIL, reason=f"{name} it says")
            for name in ("max_words", "judge", "stays_in_character")
        )
        told = replace(sample_result(Outcome.FAIL), verdicts=verdicts)
        (row,) = rows(to_csv([run([told])]))

        assert row["judge_reason"] == "judge it says; stays_in_character it says"

    def test_an_error_has_its_reason_and_no_answer(self) -> None:
        """An empty cell, not the word None."""
        failure = Failure(reason=ErrorReason.TIMEOUT, detail="x")
        failed = replace(sample_result(Outcome.ERROR, answer=None), failure=failure)
        (row,) = rows(to_csv([run([failed])]))

        assert (row["error_reason"], row["answer"]) == ("timeout", "")

    @pytest.mark.parametrize(
        "answer",
        [
            "=1+1",
            "+1+1",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            " =1+1",
            "\n@A",
            "\uff1d1",
        ],
        ids=ascii,
    )
    def test_no_cell_is_a_formula(self, answer: str) -> None:
        """A spreadsheet shows it and does not run it; nothing is lost."""
        (row,) = rows(to_csv([run([sample_result(Outcome.PASS, answer=answer)])]))

        assert row["answer"][0] == "'"
        assert row["answer"][1:].strip() == answer.strip()

    @pytest.mark.parametrize("answer", ["-5", "+3.25", "12"])
    def test_a_number_stays_one(self, answer: str) -> None:
        """It runs nothing."""
        (row,) = rows(to_csv([run([sample_result(Outcome.PASS, answer=answer)])]))

        assert row["answer"] == answer
