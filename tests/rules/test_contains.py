"""The rules `contains`, `not_contains`, `contains_any` and `contains_all`."""

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules import ParsedRule
from answerprobe.rules.contains import Contains, ContainsAll, ContainsAny, NotContains
from answerprobe.verdict import Outcome, Verdict
from rules.saying import outcome, said


class TestContains:
    """A text must be there."""

    @pytest.mark.parametrize(
        ("value", "answer", "expected"),
        [
            pytest.param("Refund", "your REFUND is due", Outcome.PASS, id="any case"),
            pytest.param("refund", "no", Outcome.FAIL, id="missing"),
            pytest.param(
                {"text": "Refund", "case_sensitive": True},
                "refund",
                Outcome.FAIL,
                id="its case asked for",
            ),
            pytest.param(
                {"text": "Refund", "case_sensitive": True},
                "Refund",
                Outcome.PASS,
                id="its case given",
            ),
            pytest.param("30 days", "30\u00a0days", Outcome.PASS, id="no-break space"),
            pytest.param("straße", "STRASSE", Outcome.PASS, id="sharp s"),
            pytest.param("café", "cafe\u0301", Outcome.PASS, id="decomposed"),
            pytest.param("cafe", "café", Outcome.FAIL, id="another letter"),
            pytest.param("ΟΔΟΣ", "οδος", Outcome.PASS, id="final sigma"),
        ],
    )
    def test_table(self, value: object, answer: str, expected: Outcome) -> None:
        """What is the same to a reader is found, nothing else is."""
        assert outcome(Contains.parse(value), answer) is expected

    def test_fail_says_what_is_missing(self) -> None:
        """The reason has the text, and how much was searched."""
        verdict = Contains(text="30 days").check(said("No idea."))

        assert verdict == Verdict(
            criterion="contains",
            outcome=Outcome.FAIL,
            reason='"30 days" is not in the 8 characters',
        )


class TestNotContains:
    """A text must not be there."""

    def test_fail_shows_what_stands_around(self) -> None:
        """The reason quotes the answer as it was written, but briefly."""
        shown = "an internal Error came up"
        before, after, found = "a" * 17, "b" * 21, '"error" is in the answer'
        answer = f"{'a' * 100} {shown} {'b' * 100}"

        verdict = NotContains(text="error").check(said(answer))

        assert verdict == Verdict(
            criterion="not_contains",
            outcome=Outcome.FAIL,
            reason=f'{found}: "…{before} {shown} {after}…"',
            unquoted=found,
        )

    def test_excerpt_of_a_text_that_folding_lengthens(self) -> None:
        """Where folded and written text differ in length, the folded one is shown."""
        verdict = NotContains(text="error").check(said("ßßßß ERROR"))

        assert verdict.reason == '"error" is in the answer: "ssssssss error"'

    def test_curly_apostrophe_does_not_hide_it(self) -> None:
        """Typography is no way around a forbidden text."""
        rule = NotContains(text="don't know")

        assert outcome(rule, "I don\u2019t know.") is Outcome.FAIL

    def test_absent_passes(self) -> None:
        """A text that is not there is fine."""
        verdict = NotContains(text="error").check(said("All is well."))

        assert verdict.outcome is Outcome.PASS
        assert verdict.reason == '"error" is not there'


class TestContainsAny:
    """One of several texts must be there."""

    def test_one_is_enough(self) -> None:
        """The reason of a pass names the one that was found."""
        verdict = ContainsAny.parse(["30 days", "a month"]).check(said("A month."))

        assert verdict.outcome is Outcome.PASS
        assert verdict.reason == '"a month" is there'

    def test_none_fails(self) -> None:
        """The reason of a fail names what was looked for, not all of a long list."""
        rule = ContainsAny(texts=("a1", "a2", "a3", "a4", "a5"))

        verdict = rule.check(said("no"))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == 'none is there of "a1", "a2", "a3" and 2 more'


class TestContainsAll:
    """Each of several texts must be there."""

    def test_all_pass(self) -> None:
        """With each of them there it passes."""
        rule = ContainsAll(texts=("30 days", "policy"))

        assert outcome(rule, "Policy: 30 days") is Outcome.PASS

    def test_missing_ones_are_named(self) -> None:
        """The reason counts and names those that are not there."""
        rule = ContainsAll(texts=("30 days", "policy", "link"))

        verdict = rule.check(said("30 days"))

        assert verdict.outcome is Outcome.FAIL
        assert verdict.reason == '2 of 3 missing: "policy", "link"'

    def test_case_may_matter(self) -> None:
        """Their case is told apart where asked."""
        rule = ContainsAll.parse({"text": ["Policy"], "case_sensitive": True})

        assert outcome(rule, "policy") is Outcome.FAIL


class TestParse:
    """The values that a configuration may give them."""

    @pytest.mark.parametrize(
        "rule",
        [pytest.param(Contains, id="contains"), pytest.param(NotContains, id="not")],
    )
    @pytest.mark.parametrize(
        ("value", "path"),
        [
            pytest.param("", (), id="empty"),
            pytest.param(30, (), id="number"),
            pytest.param(["a"], (), id="list"),
            pytest.param(None, (), id="null"),
            pytest.param({}, ("text",), id="empty mapping"),
            pytest.param({"text": ""}, ("text",), id="empty text"),
            pytest.param({"text": "a", "case": 1}, (), id="unknown option"),
            pytest.param(
                {"text": "a", "case_sensitive": "yes"},
                ("case_sensitive",),
                id="no flag",
            ),
        ],
    )
    def test_no_text_is_refused(
        self, rule: type[ParsedRule], value: object, path: tuple[str, ...]
    ) -> None:
        """One text is wanted."""
        with pytest.raises(CriterionError) as caught:
            rule.parse(value)

        assert caught.value.path == path

    @pytest.mark.parametrize(
        "rule",
        [pytest.param(ContainsAny, id="any"), pytest.param(ContainsAll, id="all")],
    )
    @pytest.mark.parametrize(
        ("value", "path"),
        [
            pytest.param("a", (), id="text"),
            pytest.param([], (), id="empty list"),
            pytest.param(["a", 2], (1,), id="number in it"),
            pytest.param(["a", ""], (1,), id="empty text in it"),
            pytest.param({"text": "a"}, ("text",), id="text in a mapping"),
            pytest.param({"text": [None]}, ("text", 0), id="null in a mapping"),
        ],
    )
    def test_no_list_is_refused(
        self, rule: type[ParsedRule], value: object, path: tuple[str | int, ...]
    ) -> None:
        """Several texts are wanted."""
        with pytest.raises(CriterionError) as caught:
            rule.parse(value)

        assert caught.value.path == path
