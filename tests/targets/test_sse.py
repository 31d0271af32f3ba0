"""Server-sent events in whatever pieces they come."""

from itertools import pairwise

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets._sse import EVENT_LIMIT_BYTES, Event, EventParser
from targets import raw


def _events(*pieces: bytes) -> list[Event]:
    parser = EventParser()
    found = [event for piece in pieces for event in parser.feed(piece)]
    return [*found, *parser.finish()]


def _datas(*pieces: bytes) -> list[str]:
    return [event.data for event in _events(*pieces)]


_LINES = st.sampled_from(
    [
        *("data: a", "data:ä€😀", "data:  b", "data", "data: {}", "data: [DONE]"),
        *(": hi", "event: x", "id: 1", "unknown: 1", "nothing", "", ""),
    ]
)
_ENDS = st.sampled_from(["\n", "\r", "\r\n"])


class TestEventParser:
    """Bytes become events as the HTML standard says."""

    @pytest.mark.parametrize(
        ("stream", "datas"),
        [
            pytest.param(b"data: a\n\ndata: b\n\n", ["a", "b"], id="two"),
            pytest.param(b"data:a\n\n", ["a"], id="no space"),
            pytest.param(b"data:  a\n\n", [" a"], id="one space is dropped"),
            pytest.param(b"data: a\ndata: b\n\n", ["a\nb"], id="two lines"),
            pytest.param(b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"], id="CR LF"),
            pytest.param(b"data: a\r\rdata: b\r\r", ["a", "b"], id="CR"),
            pytest.param(b"\xef\xbb\xbfdata: a\n\n", ["a"], id="byte order mark"),
            pytest.param(b": hi\n\ndata: a\n\n", ["a"], id="comment"),
            pytest.param(b"id: 1\nretry: 2\nx: 3\ndata: a\n\n", ["a"], id="fields"),
            pytest.param(b"event: ping\n\ndata: a\n\n", ["a"], id="event without data"),
            pytest.param(b"data\n\n", [""], id="empty data"),
            pytest.param(b"data: a\n", ["a"], id="no blank line at the end"),
            pytest.param(b"data: a", ["a"], id="no line end at the end"),
            pytest.param(b"", [], id="nothing"),
        ],
    )
    def test_a_stream_becomes_events(self, stream: bytes, datas: list[str]) -> None:
        """What is no data is left out."""
        assert _datas(stream) == datas

    def test_an_events_type_is_kept(self) -> None:
        """And belongs to that event alone."""
        stream = b"event: error\ndata: a\n\ndata: b\n\n"

        assert _events(stream) == [Event("error", "a"), Event("", "b")]

    @given(st.lists(st.tuples(_LINES, _ENDS)), st.data())
    def test_pieces_make_no_difference(
        self, lines: list[tuple[str, str]], data: st.DataObject
    ) -> None:
        """Any split of the bytes gives the same events."""
        stream = "".join(line + end for line, end in lines).encode()
        cuts = data.draw(st.lists(st.integers(0, len(stream))).map(sorted))
        edges = [0, *cuts, len(stream)]
        pieces = [stream[a:b] for a, b in pairwise(edges)]

        assert _events(*pieces) == _events(stream)

    @given(st.binary(max_size=300))
    def test_no_bytes_do_harm(self, stream: bytes) -> None:
        """Rubbish gives events, none, or `decode`."""
        reason = raw.reason_of(lambda: _events(stream))

        assert reason in {None, ErrorReason.DECODE}

    def test_an_event_that_is_no_text_is_decode(self) -> None:
        """The place is named."""
        with pytest.raises(ReplyError, match="its byte 1 does not fit") as caught:
            _events(b"data: a\xff\n\n")

        assert caught.value.reason is ErrorReason.DECODE

    @pytest.mark.parametrize(
        "piece",
        [
            pytest.param(b"data: " + b"x" * 1000, id="one line"),
            pytest.param(b"data: " + b"x" * 1000 + b"\n", id="many lines"),
        ],
    )
    def test_an_event_without_end_is_too_large(self, piece: bytes) -> None:
        """Memory stays bounded however it comes."""
        pieces = [piece] * (EVENT_LIMIT_BYTES // 1000 + 10)

        with pytest.raises(ReplyError, match="1,048,576") as caught:
            _events(*pieces)

        assert caught.value.reason is ErrorReason.BODY_TOO_LARGE
