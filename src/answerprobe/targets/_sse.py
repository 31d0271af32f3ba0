"""Server-sent events, read as they come, whatever pieces they come in."""

from collections.abc import Iterator
from typing import NamedTuple

from answerprobe import text
from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason


EVENT_LIMIT_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """One event: its type, empty where none was given, and its data."""

    name: str
    data: str


class EventParser:
    """
    Turns bytes into events, as the HTML standard says (9.2.6).

    One thing is kinder than there: an event that the end of the stream cuts off before
    its blank line is still handed out, so that a half event is seen and not lost.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._parts_bytes = 0
        self._after_cr = False
        self._first_line = True
        self._name = ""
        self._data: list[str] = []
        self._data_bytes = 0

    def feed(self, data: bytes) -> Iterator[Event]:
        """
        Yield the events that *data* completes.

        Raises:
            ReplyError: decode: an event is no UTF-8; body_too_large: it has no end.
        """
        lines = self._normalised(data).split(b"\n")
        if len(lines) > 1:
            self._parts.append(lines[0])
            lines[0] = b"".join(self._parts)
            self._parts.clear()
            self._parts_bytes = 0
        rest = lines.pop()
        if rest:
            self._parts.append(rest)
            self._parts_bytes += len(rest)
        for line in lines:
            event = self._line(line)
            if event is not None:
                yield event
        self._check_size()

    def finish(self) -> Iterator[Event]:
        """
        Yield the event that the end of the stream cut off, if any.

        Raises:
            ReplyError: decode: it is no UTF-8.
        """
        yield from self.feed(b"\n\n")

    def _normalised(self, data: bytes) -> bytes:
        """Return *data* with every line end as LF, also where CR LF was split."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if b"\r" not in data:
            return data
        self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _line(self, line: bytes) -> Event | None:
        """Take in one whole *line*; return the event that it ends."""
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(_decoded(value))
            self._data_bytes += len(value)
        elif field == b"event":
            self._name = _decoded(value)
        return None

    def _dispatch(self) -> Event | None:
        """Return the event that is complete now, if it has data."""
        event = Event(self._name, "\n".join(self._data)) if self._data else None
        self._name = ""
        self._data.clear()
        self._data_bytes = 0
        return event

    def _check_size(self) -> None:
        """Refuse an event that grows without end."""
        if self._parts_bytes + self._data_bytes > EVENT_LIMIT_BYTES:
            message = f"an event of more than {EVENT_LIMIT_BYTES:,} bytes"
            raise ReplyError(ErrorReason.BODY_TOO_LARGE, message)


def _decoded(value: bytes) -> str:
    """Return *value* as text."""
    try:
        return text.scrub(value.decode())
    except UnicodeDecodeError as exc:
        message = f"an event is no UTF-8 text: its byte {exc.start} does not fit"
        raise ReplyError(ErrorReason.DECODE, message) from exc
