"""Rules put to all of the agent's answers."""

from dataclasses import replace

import pytest

from answerprobe.rules import RULES, InTurns, TurnChoice
from answerprobe.sample import Reply
from answerprobe.verdict import Outcome, Verdict
from rules.saying import said, talked


def rule(name: str, value: object, turns: TurnChoice) -> InTurns:
    """Return the rule *name* for the chosen *turns*."""
    return InTurns(rule=RULES[name].parse(value), turns=turns)


class TestDemands:
    """Rules that want something to be there."""

    @pytest.mark.parametrize(
        ("turns", "outcome", "reason"),
        [
            pytest.param(
                TurnChoice.ANY,
                Outcome.PASS,
                'answer 2 of 3: "30 days" is there',
                id="any",
            ),
            pytest.param(
                TurnChoice.ALL,
                Outcome.FAIL,
                'answer 1 of 3: "30 days" is not in the 6 characters',
                id="all",
            ),
            pytest.param(
                TurnChoice.LAST,
                Outcome.FAIL,
                '"30 days" is not in the 4 characters',
                id="last",
            ),
        ],
    )
    def test_the_reason_names_the_answer(
        self, turns: TurnChoice, outcome: Outcome, reason: str
    ) -> None:
        """The first one that decides."""
        sample = talked("Hello.", "Within 30 days.", "Bye.")

        verdict = rule("contains", "30 days", turns).check(sample)

        assert verdict == Verdict(criterion="contains", outcome=outcome, reason=reason)

    def test_none_of_them(self) -> None:
        """The reason is that of the last."""
        verdict = rule("contains", "x", TurnChoice.ANY).check(talked("Hello.", "Bye."))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == (
            'none of 2 answers, the last: "x" is not in the 4 characters'
        )

    def test_all_of_them(self) -> None:
        """That goes for passes too."""
        verdict = rule("contains", "e", TurnChoice.ALL).check(talked("Hello.", "Bye."))

        assert verdict.outcome is Outcome.PASS
        assert verdict.reason == 'all of 2 answers, the last: "e" is there'

    def test_the_last_answer_can_decide(self) -> None:
        """It is one of them."""
        verdict = rule("contains", "Bye", TurnChoice.ANY).check(talked("Hi.", "Bye."))

        assert verdict.reason == 'answer 2 of 2: "Bye" is there'


class TestProhibitions:
    """Rules that forbid something."""

    @pytest.mark.parametrize("turns", [TurnChoice.ANY, TurnChoice.ALL])
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            pytest.param("not_contains", "refund", id="not_contains"),
            pytest.param("not_regex", "ref.nd", id="not_regex"),
            pytest.param("no_pii", True, id="no_pii"),
            pytest.param("no_refusal", True, id="no_refusal"),
            pytest.param("max_words", 8, id="max_words"),
        ],
    )
    def test_not_in_any_answer_is_in_none(
        self, name: str, value: object, turns: TurnChoice
    ) -> None:
        """One clean answer says nothing of the others."""
        bad = (
            "I'm sorry, but I can't help you with that refund. Write to "
            "jane.roe@gmail.com instead."
        )

        verdict = rule(name, value, turns).check(talked("Hello.", bad, "Bye."))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason.startswith("answer 2 of 3: ")
        assert rule(name, value, turns).check(talked("Hi.", "Bye.")).outcome is (
            Outcome.PASS
        )

    def test_what_is_kept_without_quotes_names_the_answer_too(self) -> None:
        """For monitors that keep no answers."""
        sample = talked("It is a secret.", "Bye.")

        verdict = rule("not_contains", "secret", TurnChoice.ALL).check(sample)

        assert verdict.unquoted == 'answer 1 of 2: "secret" is in the answer'


class TestReplies:
    """What a rule sees of an answer."""

    @pytest.mark.parametrize("turns", list(TurnChoice))
    def test_a_single_question_is_as_without(self, turns: TurnChoice) -> None:
        """There is nothing to choose."""
        verdict = rule("contains", "days", turns).check(said("30 days"))

        assert verdict.reason == '"days" is there'

    def test_what_comes_beside_the_text_belongs_to_it(self) -> None:
        """Citations and refusals of each answer."""
        refused = Reply(answer="", duration_seconds=1.0, refusal="I cannot.")

        verdict = rule("no_refusal", {"strict": True}, TurnChoice.ALL).check(
            talked("Hello.", refused, "Bye.")
        )

        assert verdict.unquoted == "answer 2 of 3: provider refusal"

    def test_texts_are_enough(self) -> None:
        """Of kept conversations there is no more."""
        sample = replace(talked("30 days.", "Bye."), replies=())

        verdict = rule("contains", "30 days", TurnChoice.ANY).check(sample)

        assert verdict.reason == 'answer 1 of 2: "30 days" is there'


class TestTimes:
    """Rules about times need no choice: each answer is waited for."""

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            pytest.param("responds_within", "2s", id="responds_within"),
            pytest.param("answered", {"within": "2s"}, id="answered"),
        ],
    )
    def test_the_slowest_answer_counts(self, name: str, value: object) -> None:
        """A quick goodbye is no excuse."""
        slow = Reply(answer="Let me see.", duration_seconds=2.5)

        verdict = RULES[name].parse(value).check(talked("Hello.", slow, "Bye."))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == "answered in 2.5 s, limit 2 s"

    def test_a_filtered_answer_in_the_middle_fails_answered(self) -> None:
        """No answer of a conversation may be lost."""
        filtered = Reply(answer="", duration_seconds=1.0, filtered=True)

        verdict = RULES["answered"].parse(value=True).check(talked(filtered, "Bye."))

        assert verdict.reason == "blocked by the content filter"
