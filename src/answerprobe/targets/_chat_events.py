"""The streamed answer of a simple chat endpoint, put together."""

from collections.abc import Mapping

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason, ToolCall
from answerprobe.targets import _citations, _json, _status
from answerprobe.targets._chat_reply import (
    ANSWER_FIELDS,
    NO_PATHS,
    Paths,
    calls_of,
    claim_of,
    find,
    is_error_before,
)
from answerprobe.targets._content import NO_CLAIM, Content, failed
from answerprobe.targets._reading import Pieces
from answerprobe.targets._sse import Event


_DONE = "[DONE]"
_MOST_TOOL_CALLS = 100


class ChatEvents:
    """The pieces of a streamed answer: objects with an answer field, or plain text."""

    def __init__(self, message: str, paths: Paths = NO_PATHS) -> None:
        self._message = message
        self._paths = paths
        self._pieces = Pieces()
        self._citations: tuple[str, ...] = ()
        self._claim = NO_CLAIM
        self._calls: tuple[ToolCall, ...] = ()
        self._source = ""

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer has come."""
        return bool(self._pieces)

    def take(self, event: Event) -> bool:
        """Take in *event*; return whether it is the end."""
        data = event.data
        if data.strip() == _DONE:
            return True
        if event.name == "error":
            words = _status.upstream_error(_status.error_in(data))
            raise ReplyError(ErrorReason.UPSTREAM_ERROR, words)
        if data.lstrip().startswith("{"):
            self._take_object(_json.parse(data))
        else:
            self._source = self._source or "plain text"
            self._pieces.add(data)
        return False

    def _take_object(self, document: object) -> None:
        """Take in an event that is a JSON object."""
        if not isinstance(document, Mapping):
            return
        piece = self._piece(document)
        if piece:
            self._pieces.add(piece)
        elif error := document.get("error"):
            raise ReplyError(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
        claim = claim_of(document, self._paths)
        if claim != NO_CLAIM:
            self._claim = claim
        if calls := calls_of(document, self._paths):
            # Agents repeat what they did so far, or tell of each call once.
            repeated = calls[: len(self._calls)] == self._calls
            calls = calls if repeated else self._calls + calls
            self._calls = calls[:_MOST_TOOL_CALLS]
        found = _citations.in_document(document)
        if found:
            self._citations = _citations.merged(self._citations, found)

    def _piece(self, document: Mapping[str, object]) -> str:
        """Return the piece of the answer in *document*; a blank may be one."""
        if self._paths.answer is not None:
            found = find(self._paths.answer, document)
            self._source = "response.answer"
            return found if isinstance(found, str) else ""
        for name in ANSWER_FIELDS:
            value = document.get(name)
            if isinstance(value, str) and value and value != self._message:
                self._source = self._source or f"field {name}"
                return "" if is_error_before(document, name) else value
        return ""

    def content(self) -> Content:
        """Return the pieces joined."""
        if not self._pieces and not self._calls:
            detail = "no event of the stream has a piece of an answer"
            return failed(ErrorReason.NO_ANSWER, detail, claim=self._claim)
        return Content(
            text=self._pieces.joined(),
            tool_calls=self._calls,
            citations=self._citations,
            claim=self._claim,
            source=self._source,
        )
