"""Which encoding bytes are in."""

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _decode
from targets import raw


_JSON = '{"answer": "à €"}'


class TestDecode:
    """Mark, declaration, zero bytes, UTF-8: in this order."""

    @pytest.mark.parametrize(
        ("data", "charset"),
        [
            pytest.param(_JSON.encode(), None, id="UTF-8"),
            pytest.param(_JSON.encode("utf-8-sig"), None, id="UTF-8 mark"),
            pytest.param(_JSON.encode("utf-16"), "utf-8", id="mark before charset"),
            pytest.param(_JSON.encode("utf-32"), None, id="UTF-32 mark"),
            pytest.param(_JSON.encode("utf-16-le"), None, id="UTF-16 little"),
            pytest.param(_JSON.encode("utf-16-be"), None, id="UTF-16 big"),
            pytest.param(_JSON.encode("utf-32-le"), None, id="UTF-32 little"),
            pytest.param(_JSON.encode("utf-32-be"), None, id="UTF-32 big"),
            pytest.param(_JSON.encode("cp1252"), "Windows-1252", id="declared"),
            pytest.param(_JSON.encode(), "utf8mb4", id="unknown charset"),
            pytest.param(_JSON.encode(), "unicode_escape", id="no charset of the web"),
            pytest.param(_JSON.encode(), "hex", id="no charset at all"),
            pytest.param(_JSON.encode(), "a\0b", id="rubbish"),
        ],
    )
    def test_text_is_read_as_it_was_meant(
        self, data: bytes, charset: str | None
    ) -> None:
        """In every encoding that JSON comes in."""
        assert _decode.decode(data, charset) == _JSON

    def test_bytes_that_do_not_fit_are_decode(self) -> None:
        """The place counts from the start of the body, mark included."""
        with pytest.raises(ReplyError, match="utf-8 text: byte 4 of 5") as caught:
            _decode.decode(b"\xef\xbb\xbfa\xff")

        assert caught.value.reason is ErrorReason.DECODE

    @given(st.binary(max_size=100), st.none() | st.text(max_size=20))
    def test_no_bytes_do_harm(self, data: bytes, charset: str | None) -> None:
        """They are text, or `decode`."""
        reason = raw.reason_of(lambda: _decode.decode(data, charset))

        assert reason in {None, ErrorReason.DECODE}


class TestCharsetOf:
    """The charset parameter of a Content-Type."""

    @pytest.mark.parametrize(
        ("content_type", "charset"),
        [
            pytest.param("application/json", None, id="none"),
            pytest.param("text/html; charset=UTF-8", "UTF-8", id="plain"),
            pytest.param('text/html;q=1;Charset="latin1"', "latin1", id="quoted"),
            pytest.param(
                "; charset=utf-8,charset=utf-8", "utf-8,charset=utf-8", id="2"
            ),
            pytest.param("", None, id="no header"),
        ],
    )
    def test_it_is_found(self, content_type: str, charset: str | None) -> None:
        """Whatever its case and quotes."""
        assert _decode.charset_of(content_type) == charset
