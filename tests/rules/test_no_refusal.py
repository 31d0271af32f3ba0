"""The rule `no_refusal`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.no_refusal import NoRefusal
from answerprobe.sample import Reply, asked_once
from answerprobe.verdict import Outcome, Verdict
from rules.hostile import HOSTILE
from rules.refusal_samples import ANSWERS, REFUSALS
from rules.saying import outcome, said


def _params(samples: dict[str, list[str]]) -> list[object]:
    """Return each sample as a parameter named by language and number."""
    return [
        pytest.param(text, id=f"{language} {index}")
        for language, texts in samples.items()
        for index, text in enumerate(texts)
    ]


class TestNoRefusal:
    """Whether the agent did what it was asked."""

    @pytest.mark.parametrize("answer", _params(REFUSALS))
    def test_refusal_fails(self, answer: str) -> None:
        """A refusal is one in every language that we know."""
        assert outcome(NoRefusal(), answer) is Outcome.FAIL

    @pytest.mark.parametrize("answer", _params(ANSWERS))
    def test_bad_news_passes(self, answer: str) -> None:
        """An apology, a no, a failure or a question is no refusal."""
        assert outcome(NoRefusal(), answer) is Outcome.PASS

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param('He wrote: "I cannot help you with that."', id="quoted"),
            pytest.param("```\nraise Error('I cannot help')\n```", id="in code"),
            pytest.param("> I can't help you with that.\n\nWho said so?", id="cited"),
            pytest.param("Of course. " * 12 + "I cannot help.", id="far down"),
        ],
    )
    def test_words_of_others_pass(self, answer: str) -> None:
        """What the agent does not say for itself, or only in passing, is none."""
        assert outcome(NoRefusal(), answer) is Outcome.PASS

    def test_help_after_a_no_passes(self) -> None:
        """An agent that cannot do one thing and does the other has answered."""
        answer = (
            "I can't change that for you. However, you can follow these steps:\n"
            "1. Open Settings\n2. Tap Plan\n3. Choose one\n4. Save\n5. Log in again"
        )

        assert outcome(NoRefusal(), answer) is Outcome.PASS

    def test_typographic_apostrophe_is_read(self) -> None:
        """Curly apostrophes and emphasis change nothing."""
        answer = "I\u2019m **sorry**, but I can\u2019t help with that."

        assert outcome(NoRefusal(), answer) is Outcome.FAIL

    def test_reason_quotes_the_sentence(self) -> None:
        """The person on call sees the words, the score and the language."""
        verdict = NoRefusal().check(said("Hi! Dabei kann ich nicht helfen. Tschau."))

        assert verdict == Verdict(
            criterion="no_refusal",
            outcome=Outcome.FAIL,
            reason=(
                'refusal (de, score 1.10, limit 0.55): "Dabei kann ich nicht helfen."'
            ),
            unquoted="refusal (de, score 1.10, limit 0.55)",
        )

    def test_pass_tells_the_score(self) -> None:
        """A pass has a reason too."""
        reason = NoRefusal().check(said("Thirty days.")).reason

        assert reason == "no refusal (score 0.00, limit 0.55)"

    def test_unread_rest_is_told(self) -> None:
        """Of a very long answer only the beginning is read, and the reason says so."""
        reason = NoRefusal().check(said("Yes. " * 20_000)).reason

        assert reason.endswith("first 65,536 of 100,000 characters read)")

    @pytest.mark.parametrize("answer", HOSTILE)
    def test_hostile_answer_gets_a_verdict(self, answer: str) -> None:
        """No answer hangs or crashes the rule."""
        assert outcome(NoRefusal(), answer) in (Outcome.PASS, Outcome.FAIL)


class TestProviderSignals:
    """What the API says beside the text."""

    def test_refusal_field_fails(self) -> None:
        """The refusal field decides, also without a text."""
        reply = Reply(answer="", duration_seconds=1.0, refusal="I can't do that.")

        verdict = NoRefusal().check(asked_once("?", reply))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == 'provider refusal: "I can\'t do that."'

    def test_content_filter_fails(self) -> None:
        """What the provider filtered is a refusal."""
        reply = Reply(answer="Thirty", duration_seconds=1.0, filtered=True)

        verdict = NoRefusal().check(asked_once("?", reply))

        assert verdict.reason == "blocked by the provider's content filter"


class TestOptions:
    """`strict`, `dont_know` and `extra`."""

    def test_strict_lets_hints_by(self) -> None:
        """With *strict* only an explicit refusal fails."""
        hint = "It is not appropriate to joke about that."
        rule = NoRefusal.parse({"strict": True})

        assert outcome(NoRefusal(), hint) is Outcome.FAIL
        assert outcome(rule, hint) is Outcome.PASS
        assert outcome(rule, "I cannot help with that.") is Outcome.FAIL

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("I couldn't find that in our pages.", id="en"),
            pytest.param("Das weiß ich leider nicht.", id="de"),
            pytest.param("No lo sé.", id="es"),
            pytest.param("分かりません。", id="ja"),
        ],
    )
    def test_not_knowing_fails_where_asked(self, answer: str) -> None:
        """`dont_know: fail` makes "I couldn't find that" a refusal."""
        assert outcome(NoRefusal(), answer) is Outcome.PASS
        assert outcome(NoRefusal.parse({"dont_know": "fail"}), answer) is Outcome.FAIL

    def test_extra_pattern_fails(self) -> None:
        """The operator's own patterns count as refusals."""
        rule = NoRefusal.parse({"extra": ["(?i)ask a human"]})

        verdict = rule.check(said("Please ASK A HUMAN."))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.unquoted == 'the extra pattern "(?i)ask a human" matches'

    @pytest.mark.parametrize(
        ("value", "message", "path"),
        [
            pytest.param(
                {"dont_know": "fall"},
                "'fall' is none of ignore, fail (did you mean 'fail'?)",
                ("dont_know",),
                id="spelling",
            ),
            pytest.param(
                {"strikt": True},
                "unknown option 'strikt' is none of dont_know, extra, strict"
                " (did you mean 'strict'?)",
                (),
                id="unknown option",
            ),
            pytest.param(
                {"strict": "yes"}, "expected true or false", ("strict",), id="a text"
            ),
            pytest.param(
                False, "expected true or a mapping of options", (), id="false"
            ),
        ],
    )
    def test_wrong_option_is_refused(
        self, value: object, message: str, path: tuple[str | int, ...]
    ) -> None:
        """The message says what is allowed, the path where it stands."""
        with pytest.raises(CriterionError) as caught:
            NoRefusal.parse(value)

        assert (caught.value.message, caught.value.path) == (message, path)

    def test_wrong_pattern_is_refused(self) -> None:
        """A pattern that is none of RE2's is found while loading."""
        with pytest.raises(CriterionError) as caught:
            NoRefusal.parse({"extra": ["fine", "(?=no)"]})

        assert caught.value.path == ("extra", 1)
        assert "look-around" in caught.value.message
