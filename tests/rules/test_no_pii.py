"""The rule `no_pii`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.no_pii import NoPii
from answerprobe.verdict import Outcome, Verdict
from rules.hostile import HOSTILE
from rules.saying import outcome, said


class TestNoPii:
    """Whether the answer gives away somebody's data."""

    def test_clean_answer_passes(self) -> None:
        """An answer without personal data says so."""
        assert NoPii().check(said("Within 30 days.")) == Verdict(
            criterion="no_pii", outcome=Outcome.PASS, reason="no personal data"
        )

    def test_reason_names_kinds_and_masks_values(self) -> None:
        """The reason helps to find it and repeats nothing."""
        verdict = NoPii().check(said("Ask ida.roth@web.de or call +49 30 901820."))

        assert verdict == Verdict(
            criterion="no_pii",
            outcome=Outcome.FAIL,
            reason=(
                "personal data: email i***@w***.de at character 5, "
                "phone ***20 at character 29"
            ),
            unquoted="personal data: email, phone",
        )

    def test_long_list_is_cut_and_counted(self) -> None:
        """Five are told, the rest counted."""
        answer = ", ".join(f"person.{letter}@web.de" for letter in "abcdefg")

        assert NoPii().check(said(answer)).reason.endswith(" and 2 more")

    def test_end_of_a_long_answer_is_read(self) -> None:
        """The whole answer is searched."""
        answer = "The parcel leaves tonight. " * 8_000 + "Ask ida.roth@web.de."

        assert outcome(NoPii(), answer) is Outcome.FAIL

    @pytest.mark.parametrize("answer", HOSTILE)
    def test_hostile_answer_gets_a_verdict(self, answer: str) -> None:
        """No answer hangs or crashes the rule."""
        assert outcome(NoPii(), answer) in (Outcome.PASS, Outcome.FAIL)


class TestOptions:
    """`kinds`, `regions`, `allow` and `strict`."""

    def test_other_kinds_are_let_by(self) -> None:
        """Only the kinds that are asked for count."""
        rule = NoPii.parse({"kinds": ["card", "iban"]})

        assert outcome(rule, "Ask ida.roth@web.de.") is Outcome.PASS
        assert outcome(rule, "Card 5425 2334 3010 9903") is Outcome.FAIL

    def test_digits_of_a_card_are_no_phone(self) -> None:
        """A kind that is left out keeps its digits from the others."""
        rule = NoPii.parse({"kinds": ["phone"]})

        assert outcome(rule, "call about 5425 2334 3010 9903") is Outcome.PASS

    def test_regions_say_whose_numbers_are_known(self) -> None:
        """A national number is one in its own region."""
        answer = "Ihre Nummer: 0512 123456"

        assert outcome(NoPii.parse({"regions": ["AT"]}), answer) is Outcome.FAIL

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param("ida.roth@web.de", Outcome.PASS, id="exact"),
            pytest.param("Ida.Roth@WEB.de", Outcome.PASS, id="any case"),
            pytest.param("tom@team.shop.io", Outcome.PASS, id="glob"),
            pytest.param("tom@team.shop.io.evil.net", Outcome.FAIL, id="other domain"),
            pytest.param("ida.roth2@web.de", Outcome.FAIL, id="other mailbox"),
            pytest.param("+49 (30) 90-18-20", Outcome.PASS, id="number by digits"),
            pytest.param("0049 30 901820", Outcome.PASS, id="number with 00"),
            pytest.param("+49 30 901821", Outcome.FAIL, id="other number"),
        ],
    )
    def test_allowed_values_pass(self, answer: str, expected: Outcome) -> None:
        """What is allowed is no finding, and nothing else is."""
        allow = ["ida.roth@web.de", "*@team.shop.io", "+49 30 901820"]
        rule = NoPii.parse({"allow": allow})

        assert outcome(rule, f"Please contact {answer} today") is expected

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param("Write to support@shop.io", id="role mailbox"),
            pytest.param("Call 1-800-356-9377", id="toll-free"),
            pytest.param("Use jane@example.com", id="example domain"),
            pytest.param("Pay with 4242 4242 4242 4242", id="test card"),
        ],
    )
    def test_strict_has_no_exemptions(self, answer: str) -> None:
        """What belongs to nobody in particular fails only with *strict*."""
        assert outcome(NoPii(), answer) is Outcome.PASS
        assert outcome(NoPii.parse({"strict": True}), answer) is Outcome.FAIL

    def test_strict_keeps_what_is_allowed(self) -> None:
        """The operator's own list holds with *strict*, too."""
        rule = NoPii.parse({"strict": True, "allow": ["support@shop.io"]})

        assert outcome(rule, "Write to support@shop.io") is Outcome.PASS

    @pytest.mark.parametrize(
        ("value", "message", "path"),
        [
            pytest.param(
                {"kinds": ["emails"]},
                "'emails' is none of email, phone, card, iban, ssn"
                " (did you mean 'email'?)",
                ("kinds", 0),
                id="kind",
            ),
            pytest.param(
                {"regions": ["DE", "England"]},
                "'England' is no two-letter region such as DE or US",
                ("regions", 1),
                id="region",
            ),
            pytest.param(
                {"allow": ["me"]},
                "'me' is not a mail address, a glob such as *@shop.io, or a number",
                ("allow", 0),
                id="allow",
            ),
            pytest.param(
                {"allow": 5}, "expected a list of texts", ("allow",), id="no list"
            ),
        ],
    )
    def test_wrong_option_is_refused(
        self, value: object, message: str, path: tuple[str | int, ...]
    ) -> None:
        """The message says what is allowed, the path where it stands."""
        with pytest.raises(CriterionError) as caught:
            NoPii.parse(value)

        assert (caught.value.message, caught.value.path) == (message, path)
