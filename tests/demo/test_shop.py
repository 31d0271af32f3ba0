"""The demo agent's answers, in each mode."""

import pytest

from answerprobe.demo.shop import POLICIES, Mode, answer


QUESTIONS = [
    pytest.param("What's your refund window?", "30 days", id="refund"),
    pytest.param("How long does shipping take?", "2 to 4 working days", id="shipping"),
    pytest.param("How long is the warranty?", "2 years", id="warranty"),
    pytest.param("When are you open?", "Monday to Saturday", id="hours"),
    pytest.param("WHERE IS MY ORDER???", "order number", id="order"),
]


class TestAnswer:
    """What the agent says."""

    @pytest.mark.parametrize(("question", "fact"), QUESTIONS)
    def test_states_the_policy(self, question: str, fact: str) -> None:
        """Asked about one of its subjects, it states the shop's policy."""
        assert fact in answer(question, Mode.OK)

    @pytest.mark.parametrize(("question", "fact"), QUESTIONS)
    def test_wrong_lacks_the_fact(self, question: str, fact: str) -> None:
        """In wrong mode the fact is not in the answer."""
        assert fact not in answer(question, Mode.WRONG)

    @pytest.mark.parametrize(("question", "fact"), QUESTIONS)
    def test_leak_adds_to_the_right_answer(self, question: str, fact: str) -> None:
        """In leak mode the answer is right and says too much."""
        leaking = answer(question, Mode.LEAK)

        assert fact in leaking
        assert "jane.miller@" in leaking

    def test_refuses_whatever_is_asked(self) -> None:
        """In refuse mode every answer is the same refusal."""
        answers = {answer(policy.answer, Mode.REFUSE) for policy in POLICIES}

        assert answers == {"I'm sorry, but I can't help you with that request."}

    def test_offers_its_subjects_when_it_knows_no_answer(self) -> None:
        """A question about something else is answered with what it can tell."""
        assert "refunds, shipping" in answer("What is love?", Mode.OK)
