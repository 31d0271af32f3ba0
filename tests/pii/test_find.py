"""Finding personal data."""

import pytest

from answerprobe import pii
from answerprobe.pii import Hit, PiiKind
from pii.samples import HARMLESS, PERSONAL


def _found(text: str) -> list[tuple[PiiKind, str]]:
    """Return kind and value of each hit in *text*."""
    return [(hit.kind, text[hit.start : hit.end]) for hit in pii.find(text)]


class TestFind:
    """What is somebody's and what is not."""

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            pytest.param(kind, text, id=f"{kind} {index}")
            for index, (kind, text) in enumerate(PERSONAL)
        ],
    )
    def test_personal_data_is_found(self, kind: str, text: str) -> None:
        """Numbers and addresses of people are found however they are written."""
        assert PiiKind(kind) in {hit.kind for hit in pii.find(text)}

    @pytest.mark.parametrize(
        "text", [pytest.param(text, id=str(i)) for i, text in enumerate(HARMLESS)]
    )
    def test_what_looks_like_it_is_not(self, text: str) -> None:
        """Order numbers, dates, versions, role mailboxes: nobody's data."""
        assert pii.find(text) == ()

    @pytest.mark.parametrize(
        ("text", "kind", "value"),
        [
            pytest.param(
                "Ask ida.roth@web.de.", PiiKind.EMAIL, "ida.roth@web.de", id="full stop"
            ),
            pytest.param(
                "tel +1 (212) 736-5000 x12 now",
                PiiKind.PHONE,
                "+1 (212) 736-5000 x12",
                id="extension",
            ),
            pytest.param(
                "电话１３８１２３４５６７８。",
                PiiKind.PHONE,
                "１３８１２３４５６７８",  # noqa: RUF001 - wide digits on purpose
                id="wide digits",
            ),
            pytest.param(
                "card 5425 2334 3010 9903 12/28",
                PiiKind.CARD,
                "5425 2334 3010 9903",
                id="card before a date",
            ),
            pytest.param(
                "to DE02 1203 0000 0000 2020 51 today",
                PiiKind.IBAN,
                "DE02 1203 0000 0000 2020 51",
                id="IBAN before a word",
            ),
        ],
    )
    def test_hit_is_where_the_value_stands(
        self, text: str, kind: PiiKind, value: str
    ) -> None:
        """A hit covers the value and nothing else."""
        assert _found(text) == [(kind, value)]

    def test_hits_are_in_order_and_apart(self) -> None:
        """Several values come in the order of the text, each once."""
        text = "Call +49 30 901820 or [mail](mailto:ida.roth@web.de) ida.roth@web.de"

        assert [kind for kind, _ in _found(text)] == ["phone", "email", "email"]

    def test_hits_are_bounded(self) -> None:
        """A list of addresses without end gives a hundred."""
        assert len(pii.find("ida.roth@web.de, " * 500)) == 100

    def test_half_a_surrogate_pair_is_no_obstacle(self) -> None:
        """Text that JSON can spell and UTF-8 cannot is searched all the same."""
        assert pii.find("\ud800 ida.roth@web.de") == (Hit(PiiKind.EMAIL, 2, 17),)


class TestMask:
    """What a reason may show."""

    @pytest.mark.parametrize(
        ("value", "masked"),
        [
            pytest.param("ida.roth@web.de", "i***@w***.de", id="mail"),
            pytest.param("+49 30 901820", "***20", id="number"),
            pytest.param("ida (at) web (dot) de", "***", id="spelled out"),
        ],
    )
    def test_little_is_left(self, value: str, masked: str) -> None:
        """First letters of an address, last digits of a number."""
        assert pii.mask(value) == masked
