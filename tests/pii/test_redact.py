"""Taking personal data out of what is stored."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe import pii
from pii.samples import PERSONAL
from rules.hostile import HOSTILE


_PIECES = st.sampled_from(
    [
        "ida.roth@web.de",
        "a@b.co",
        "@",
        "call ",
        "phone: ",
        "order no. ",
        "+49 30 901820",
        "0171 1234567",
        "1234567",
        "12",
        "5425 2334 3010 9903",
        "DE02 1203 0000 0000 2020 51",
        "536-22-4567",
        "[phone]",
        "[email]",
        " ",
        "-",
        ".",
        "\n",
        "x",
        "\u00e9",
        "電話",
    ]
)


class TestRedact:
    """Stored texts have no personal data."""

    def test_each_kind_has_its_mark(self) -> None:
        """The reader sees what stood there."""
        text = (
            "ida.roth@web.de, +49 30 901820, 5425 2334 3010 9903, "
            "DE02 1203 0000 0000 2020 51, SSN 536-22-4567."
        )

        assert pii.redact(text) == "[email], [phone], [card], [iban], SSN [ssn]."

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("Write to support@shop.io", id="role mailbox"),
            pytest.param("Call 1-800-356-9377", id="toll-free"),
            pytest.param("Use jane@example.com", id="example domain"),
            pytest.param("Pay with 4242 4242 4242 4242", id="test card"),
            pytest.param("IBAN: DE02 1203 0000 0000 2020 52", id="mistyped IBAN"),
        ],
    )
    def test_nothing_is_exempt(self, text: str) -> None:
        """The rule's exemptions do not hold for what is stored."""
        assert pii.redact(text) != text

    @pytest.mark.parametrize(
        "text", [pytest.param(text, id=str(i)) for i, (_, text) in enumerate(PERSONAL)]
    )
    def test_what_is_found_is_taken_out(self, text: str) -> None:
        """Redaction takes out at least what the rule finds."""
        redacted = pii.redact(text)

        for hit in pii.find(text):
            assert text[hit.start : hit.end] not in redacted

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("Within 30 days, for 1,249.00 EUR.", id="prices"),
            pytest.param("Order 112-3487654-9981234 of 2026-11-30 14:05", id="order"),
            pytest.param("Version 10.0.19045.3693, RFC 9110", id="version"),
            pytest.param("", id="nothing"),
        ],
    )
    def test_other_numbers_stay(self, text: str) -> None:
        """What an operator needs to read the answer is kept."""
        assert pii.redact(text) == text

    @given(st.lists(_PIECES, max_size=12).map("".join))
    def test_second_time_changes_nothing(self, text: str) -> None:
        """Redacting what is redacted gives the same."""
        once = pii.redact(text)

        assert pii.redact(once) == once

    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_text_is_redacted(self, text: str) -> None:
        """No text hangs or crashes it."""
        assert isinstance(pii.redact(text), str)
