"""Tokens: reported, or estimated where a report cannot be true."""

import pytest

from answerprobe.sample import TokenUsage
from answerprobe.targets._content import Claim, Content, Timing, reply


_SENT = ("Be brief.", "When do you open?")
_TEXT = "We open at nine."


def _usage(claim: Claim, text: str = _TEXT) -> TokenUsage:
    content = Content(text=text, claim=claim)
    return reply(content, Timing(1.0), _SENT).usage


class TestUsage:
    """What a reply cost."""

    @pytest.mark.parametrize(
        "claim",
        [
            pytest.param(Claim(30, 12), id="usual"),
            pytest.param(Claim(9_000, 999), id="a long hidden prompt"),
        ],
    )
    def test_a_report_is_believed(self, claim: Claim) -> None:
        """Below 10,000 tokens whatever our own estimate."""
        usage = _usage(claim)

        assert not usage.estimated
        assert (usage.input_tokens, usage.output_tokens) == claim

    @pytest.mark.parametrize(
        "claim",
        [
            pytest.param(Claim(), id="none"),
            pytest.param(Claim(0, None), id="zero and null"),
            pytest.param(Claim("30", "12"), id="texts"),
            pytest.param(Claim(-1, -1), id="negative"),
            pytest.param(Claim(1.5, [9]), id="no whole numbers"),
            pytest.param(Claim(900_000, 17), id="incredible"),
        ],
    )
    def test_what_cannot_be_true_is_estimated(self, claim: Claim) -> None:
        """A token for about four characters, and marked."""
        assert _usage(claim) == TokenUsage(
            input_tokens=8, output_tokens=4, estimated=True
        )

    def test_half_a_report_is_completed(self) -> None:
        """What is known counts, the rest is estimated."""
        assert _usage(Claim(30, None)) == TokenUsage(
            input_tokens=30, output_tokens=4, estimated=True
        )

    def test_much_text_may_cost_much(self) -> None:
        """Ten times our estimate is the limit, not a fixed number."""
        usage = _usage(Claim(100_000, 100_000), "word " * 20_000)

        assert usage == TokenUsage(input_tokens=100_000, output_tokens=100_000)

    def test_an_empty_answer_may_have_cost_nothing(self) -> None:
        """Zero output tokens are then no reason for doubt."""
        usage = _usage(Claim(30, 0), "")

        assert usage == TokenUsage(input_tokens=30, output_tokens=0)
