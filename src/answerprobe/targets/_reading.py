"""The body of a good reply taken in, whole or as a stream, and what it says."""

import asyncio

from collections.abc import Callable, Mapping
from typing import Protocol

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason, Failure
from answerprobe.targets import _decode, _detail, _json, _sse
from answerprobe.targets._content import Content, failed


BODY_LIMIT_BYTES = 1 << 20
# Every few letters of a streamed answer come in an envelope of 200 to 300 bytes.
STREAM_LIMIT_BYTES = 8 << 20
# Parsed in a thread from here on: less takes at most a few milliseconds.
_LARGE_BYTES = 1 << 16
_EVENT_STREAM = "text/event-stream"
_EVENT_FIELDS = (b"data", b"event", b"id:", b"retry", b":")
_LONGEST_FIELD_BYTES = 5
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Reading(Protocol):
    """Takes in the body of one good reply."""

    def begin(self, content_type: str) -> None:
        """Hear what the headers say that will come."""
        ...

    def feed(self, data: bytes) -> bool:
        """
        Take *data*; return whether the reply is complete and no more is wanted.

        Raises:
            ReplyError: it is too much, or no good.
        """
        ...

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer itself has come: a stream's first token."""
        ...

    async def content(self, status: int) -> Content:
        """
        Return what the body says, now that it is complete.

        Raises:
            ReplyError: it cannot be read.
        """
        ...

    def partial(self) -> Content:
        """Return what came so far of a reply that failed in the middle."""
        ...


class Whole:
    """A reply that is one JSON document; *read* knows where the answer is in it."""

    begun = False

    def __init__(self, read: Callable[[object], Content]) -> None:
        self._read = read
        self._content_type = ""
        self._body = bytearray()

    def begin(self, content_type: str) -> None:
        """Keep *content_type* for decoding and for the words of a failure."""
        self._content_type = content_type

    def feed(self, data: bytes) -> bool:
        """Take *data*, up to 1 MiB in all."""
        self._body += data
        if len(self._body) > BODY_LIMIT_BYTES:
            raise too_large(BODY_LIMIT_BYTES)
        return False

    async def content(self, status: int) -> Content:
        """Return what the document says; a large one is parsed off the loop."""
        body = bytes(self._body)
        if not body.strip():
            return failed(ErrorReason.EMPTY_ANSWER, f"HTTP {status}, empty body")
        if len(body) > _LARGE_BYTES:
            return await asyncio.to_thread(self._parsed, body)
        return self._parsed(body)

    def _parsed(self, body: bytes) -> Content:
        """Return what *body* says."""
        charset = _decode.charset_of(self._content_type)
        document = _decode.decode(body, charset)
        try:
            value = _json.parse(document)
        except ReplyError as exc:
            raise _not_json(exc, self._content_type, document) from exc
        return self._read(value)

    def partial(self) -> Content:
        """Return nothing: half a document says nothing."""
        return Content()


class Pieces:
    """The pieces of a streamed text, no more of them than a body may have."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._characters = 0

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def add(self, piece: str) -> None:
        """
        Keep *piece*, unless it is empty.

        Raises:
            ReplyError: body_too_large: all together are more than 1 MiB.
        """
        if piece:
            self._pieces.append(piece)
            self._characters += len(piece)
            if self._characters > BODY_LIMIT_BYTES:
                raise too_large(BODY_LIMIT_BYTES)

    def joined(self) -> str:
        """Return the text so far."""
        return "".join(self._pieces)


class EventReader(Protocol):
    """Knows where the pieces of an answer are in a protocol's events."""

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer has come."""
        ...

    def take(self, event: _sse.Event) -> bool:
        """
        Take in *event*; return whether it is the end.

        Raises:
            ReplyError: the event is broken, or tells of a failure.
        """
        ...

    def content(self) -> Content:
        """Return what all events together say."""
        ...


class Streamed:
    """A stream of events, or the plain document that came where one was asked for."""

    def __init__(self, events: EventReader, document: Whole) -> None:
        self._events = events
        self._document = document
        self._parser = _sse.EventParser()
        self._content_type = ""
        self._start: bytearray | None = bytearray()
        self._is_stream = False
        self._taken_bytes = 0
        self._number = 0

    def begin(self, content_type: str) -> None:
        """Keep *content_type*: it says what comes, if the first bytes agree."""
        self._content_type = content_type
        self._document.begin(content_type)

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer has come."""
        return self._events.begun

    def feed(self, data: bytes) -> bool:
        """Take *data*, up to 8 MiB of events or 1 MiB of a document in all."""
        if self._start is not None:
            self._start += data
            is_stream = _is_stream(bytes(self._start), self._content_type)
            if is_stream is None and len(self._start) < BODY_LIMIT_BYTES:
                return False
            self._is_stream = bool(is_stream)
            data, self._start = bytes(self._start), None
        return self._take(data) if self._is_stream else self._document.feed(data)

    def _take(self, data: bytes) -> bool:
        """Take *data* of a stream."""
        self._taken_bytes += len(data)
        done = any(self._take_event(event) for event in self._parser.feed(data))
        if self._taken_bytes > STREAM_LIMIT_BYTES and not done:
            raise too_large(STREAM_LIMIT_BYTES)
        return done

    def _take_event(self, event: _sse.Event) -> bool:
        """Take in *event*; a failure names its number."""
        self._number += 1
        try:
            return self._events.take(event)
        except ReplyError as exc:
            message = _detail.one_line(f"event {self._number}: {exc.detail}")
            raise ReplyError(exc.reason, message) from exc

    async def content(self, status: int) -> Content:
        """Return what the events, or the document, say."""
        if not self._is_stream:
            if self._start:
                self._document.feed(bytes(self._start))
            return await self._document.content(status)
        for event in self._parser.finish():
            self._take_event(event)
        if not self._number:
            return failed(ErrorReason.EMPTY_ANSWER, f"HTTP {status}, no events")
        return self._events.content()

    def partial(self) -> Content:
        """Return the pieces that came."""
        return self._events.content() if self._number else Content()


def _is_stream(start: bytes, content_type: str) -> bool | None:
    """Return whether a body that begins with *start* is events; None: not yet known."""
    start = start.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not start:
        return None
    if start.startswith((b"{", b"[")):
        return False
    if _media_type(content_type) == _EVENT_STREAM:
        return True
    if len(start) < _LONGEST_FIELD_BYTES:
        return None
    return start.startswith(_EVENT_FIELDS)


def too_large(limit_bytes: int) -> ReplyError:
    """Return the failure of a body of more than *limit_bytes*."""
    message = f"the body has more than {limit_bytes:,} bytes"
    return ReplyError(ErrorReason.BODY_TOO_LARGE, message)


def _media_type(content_type: str) -> str:
    """Return the media type of a Content-Type header."""
    return content_type.partition(";")[0].strip().lower()


def _not_json(exc: ReplyError, content_type: str, document: str) -> ReplyError:
    """Return *exc* with what the body is instead of JSON, as far as it says."""
    media_type = _media_type(content_type) or "no content type"
    parts = [f"{media_type}: {exc.detail}"]
    if title := html_title(document):
        parts.append(f"a page titled {title!r}")
    elif media_type == _EVENT_STREAM:
        parts.append("a stream came where none was asked for; stream: true reads it")
    return ReplyError(exc.reason, _detail.one_line("; ".join(parts)))


def html_title(document: str) -> str:
    """Return the title of an HTML page, an empty text for anything else."""
    head = document[:4096]
    start = head.lower().find("<title")
    if start < 0:
        return ""
    title = head[start:].partition(">")[2].partition("</")[0]
    return _detail.one_line(title, 60)


def fields(document: Mapping[str, object]) -> str:
    """Return the names of *document*'s fields, for the words of a failure."""
    names = [_detail.one_line(name, 20) for name in list(document)[:6]]
    more = f" and {len(document) - 6} more" if len(document) > 6 else ""
    return f"{', '.join(names)}{more}" if names else "none"


def failure_of(exc: ReplyError) -> Failure:
    """Return *exc* as a value."""
    return Failure(reason=ErrorReason(exc.reason), detail=exc.detail)
