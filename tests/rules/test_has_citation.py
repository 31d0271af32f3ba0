"""The rule `has_citation`."""

# ruff: noqa: RUF001
# Foreign sentences.

import pytest

from answerprobe.errors import CriterionError
from answerprobe.rules.has_citation import HasCitation
from answerprobe.sample import Reply, Sample, asked_once
from answerprobe.verdict import Outcome, Verdict
from rules.hostile import HOSTILE
from rules.saying import outcome, said


CITING = {
    "link": "See https://help.shop.io/returns for details.",
    "short link": "Details: help.shop.io/returns",
    "markdown": "You have 14 days (see [Returns](https://shop.io/r)).",
    "reference link": "It is [here][r].\n\n[r]: https://shop.io/r",
    "html": "Read <a href='/faq#12'>the answer</a>.",
    "policy": "As stated in our Shipping Policy, parcels leave within a day.",
    "section": "According to section 4.2 of the Handbook, you get 30 days.",
    "policy says": "Our refund policy states that you have 30 days.",
    "footnote": "It takes 3 days.[^2]\n\n[^2]: Shipping notes",
    "numbered": "It takes 3 days [2].\n\n[1] Prices\n[2] Shipping notes",
    "list": "Use plan B.\n\nSources:\n* Pricing page\n* Plan notes",
    "author": "Earth is 4.5 billion years old (Dalrymple, 2001).",
    "authors": "Smith and Jones (2019) found the same.",
    "doi": "See doi:10.1000/182.",
    "rfc": "RFC 9110 defines GET.",
    "law": "Under Article 17 of the GDPR you may ask for erasure.",
    "file mark": "The limit is 10 MB 【3†limits.md】.",
    "file": "[terms.pdf, page 4] says so.",
    "tag": "The fee is 2% <source>pricing.md</source>",
    "de": "Laut unserer Rückgaberichtlinie sind es 30 Tage.",
    "de law": "Nach § 312g BGB haben Sie ein Widerrufsrecht.",
    "fr": "Selon l'article 5 du contrat, le délai est de 14 jours.",
    "es": "Conforme a los términos y condiciones, son 15 días.",
    "it": "Come indicato nella guida alla spedizione, servono 3 giorni.",
    "pt": "Nos termos da nossa política de privacidade, apagamos os dados.",
    "nl": "Volgens ons retourbeleid heb je 30 dagen.",
    "pl": "Zgodnie z regulaminem sklepu masz 14 dni.",
    "ru": "Согласно правилам возврата, у вас 14 дней.",
    "sv": "Enligt vår returpolicy har du 30 dagar.",
    "tr": "Iade politikasına göre 14 gün içinde iade edebilirsiniz.",
    "ja": "ヘルプ記事によると、送料は無料です。",
    "zh": "根据用户手册第3章，请先关机。",
    "ko": "환불 정책에 따르면 30일 이내에 가능합니다.",
}
NOT_CITING = {
    "plain": "You have 30 days.",
    "login": "Go to https://app.shop.io/login and sign in.",
    "base url": "The API base URL is https://api.shop.io/v1.",
    "localhost": "See http://localhost:8080/docs",
    "code": "Run `curl https://shop.io/x` first.",
    "image": "![chart](https://shop.io/c.png)",
    "empty link": "See our [policy](#).",
    "mail": "Ask [us](mailto:hello@shop.io).",
    "marker alone": "It takes 3 days [2].",
    "index": "The result is x[1] + y[2].",
    "year": "It was built in Paris (2010).",
    "month": "The company (May 2021) grew.",
    "vague": "Based on your answers, I suggest plan B.",
    "their": "Based on their policies, firms differ.",
    "weather": "According to the weather, take an umbrella.",
    "per": "Per person it costs $20.",
    "cause": "The source of the error is the cable.",
    "no source": "Sources: none",
    "policy changed": "We changed our policy last year.",
    "de": "Laut Musik hören macht Spaß.",
    "fr": "Selon moi, c'est bien.",
    "es": "Según tengo entendido, sí.",
    "nl": "Volgens mij klopt dat.",
    "zh": "说明书丢了怎么办？请联系客服。",
}


def _replied(**fields: object) -> Sample:
    """Return a sample whose reply carries *fields* beside its text."""
    document = fields.get("document")
    citations = fields.get("citations", ())
    assert isinstance(citations, tuple)
    reply = Reply(
        answer="Thirty days.",
        duration_seconds=1.0,
        citations=citations,
        document=document,
    )
    return asked_once("How long?", reply)


class TestHasCitation:
    """Whether the answer says where it has that from."""

    @pytest.mark.parametrize(
        "answer", [pytest.param(text, id=name) for name, text in CITING.items()]
    )
    def test_citation_passes(self, answer: str) -> None:
        """A source can be linked, named or marked, in many languages."""
        assert outcome(HasCitation(), answer) is Outcome.PASS

    @pytest.mark.parametrize(
        "answer", [pytest.param(text, id=name) for name, text in NOT_CITING.items()]
    )
    def test_what_only_looks_like_one_fails(self, answer: str) -> None:
        """A link to be used, a lone marker or a vague word is no source."""
        assert outcome(HasCitation(), answer) is Outcome.FAIL

    def test_reason_quotes_the_citation(self) -> None:
        """The reason names the kind and quotes the source."""
        assert HasCitation().check(said("See https://shop.io/r.")) == Verdict(
            criterion="has_citation",
            outcome=Outcome.PASS,
            reason='cites a link: "https://shop.io/r"',
            unquoted="cites a link",
        )

    def test_unread_rest_is_told(self) -> None:
        """Of a very long answer only the beginning is read, and the reason says so."""
        reason = HasCitation().check(said("Yes. " * 20_000)).reason

        assert reason == "no citation in the first 65,536 of 100,000 characters"

    @pytest.mark.parametrize("answer", HOSTILE)
    def test_hostile_answer_gets_a_verdict(self, answer: str) -> None:
        """No answer hangs or crashes the rule."""
        assert outcome(HasCitation(), answer) in (Outcome.PASS, Outcome.FAIL)


class TestStructuredCitations:
    """Sources that the reply carries beside its text."""

    def test_citations_of_the_api_count(self) -> None:
        """What the API calls a citation is one."""
        sample = _replied(citations=("https://shop.io/r",))

        assert HasCitation().check(sample).outcome is Outcome.PASS

    @pytest.mark.parametrize(
        ("document", "expected"),
        [
            pytest.param({"meta": {"sources": ["a.md"]}}, Outcome.PASS, id="texts"),
            pytest.param(
                {"meta": {"sources": [{"title": "A"}]}}, Outcome.PASS, id="objects"
            ),
            pytest.param({"meta": {"sources": "a.md"}}, Outcome.PASS, id="one text"),
            pytest.param({"meta": {"sources": []}}, Outcome.FAIL, id="empty"),
            pytest.param({"meta": {"sources": [" "]}}, Outcome.FAIL, id="blank"),
            pytest.param({"meta": None}, Outcome.FAIL, id="null"),
            pytest.param([1], Outcome.FAIL, id="no object"),
        ],
    )
    def test_field_of_the_reply_counts(
        self, document: object, expected: Outcome
    ) -> None:
        """`field` leads to the sources in the reply's JSON."""
        rule = HasCitation.parse({"field": "meta.sources"})

        assert rule.check(_replied(document=document)).outcome is expected


class TestOptions:
    """`kinds`, `domains` and `field`."""

    def test_other_kinds_are_not_enough(self) -> None:
        """Only the kinds that are asked for count."""
        rule = HasCitation.parse({"kinds": ["link"]})

        assert outcome(rule, CITING["policy"]) is Outcome.FAIL
        assert outcome(rule, CITING["link"]) is Outcome.PASS

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            pytest.param("See https://shop.io/r", Outcome.PASS, id="the domain"),
            pytest.param("See https://help.shop.io/r", Outcome.PASS, id="below it"),
            pytest.param("See https://noshop.io/r", Outcome.FAIL, id="its tail"),
            pytest.param(
                "See https://a.net/x and https://shop.io/r", Outcome.PASS, id="second"
            ),
            pytest.param("As our refund policy states", Outcome.FAIL, id="named"),
        ],
    )
    def test_domains_must_be_ours(self, answer: str, expected: Outcome) -> None:
        """With `domains` only links there count."""
        assert outcome(HasCitation.parse({"domains": ["shop.io"]}), answer) is expected

    def test_foreign_link_is_told(self) -> None:
        """The reason shows the link that did not count."""
        rule = HasCitation.parse({"domains": ["shop.io"]})

        reason = rule.check(said("See https://a.net/x")).reason

        assert reason == 'no citation of shop.io, but "https://a.net/x"'

    @pytest.mark.parametrize(
        ("value", "message", "path"),
        [
            pytest.param(
                {"kinds": ["links"]},
                "'links' is none of link, named, marker (did you mean 'link'?)",
                ("kinds", 0),
                id="kind",
            ),
            pytest.param(
                {"domains": ["https://shop.io"]},
                "'https://shop.io' is no domain such as docs.shop.io",
                ("domains", 0),
                id="domain",
            ),
            pytest.param(
                {"domains": ["shop.io"], "kinds": ["named"]},
                "only links have a domain: add link",
                ("kinds",),
                id="domain without links",
            ),
            pytest.param(
                {"field": ""},
                "expected the name of a field: sources",
                ("field",),
                id="field",
            ),
        ],
    )
    def test_wrong_option_is_refused(
        self, value: object, message: str, path: tuple[str | int, ...]
    ) -> None:
        """The message says what is allowed, the path where it stands."""
        with pytest.raises(CriterionError) as caught:
            HasCitation.parse(value)

        assert (caught.value.message, caught.value.path) == (message, path)
