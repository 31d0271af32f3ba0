"""The dialect of simple chat endpoints: `{"message": …}` in, `{"answer": …}` out."""

import json

from collections.abc import Mapping
from typing import NamedTuple, cast

import jmespath

from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from answerprobe import text
from answerprobe.errors import ReplyError
from answerprobe.monitor import ResponseShape, TargetSettings
from answerprobe.sample import ErrorReason
from answerprobe.secret import reveal
from answerprobe.targets import _citations, _detail, _json, _status
from answerprobe.targets._content import NO_CLAIM, Claim, Content, failed
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import Pieces, Reading, Streamed, Whole, fields
from answerprobe.targets._sse import Event


ANSWER_FIELDS = (
    "answer", "message", "reply", "response", "output", "text", "content",
)  # fmt: skip
_DONE = "[DONE]"


class Chat:
    """Asks and reads as the settings' request and response shapes say."""

    path = ""

    def __init__(self, settings: TargetSettings) -> None:
        self.stream = settings.stream
        self._request = settings.request
        self._paths = Paths.of(settings.response)

    def body(self, message: str) -> bytes:
        """Return the request's body; a field of `extra` never hides the message."""
        extra = cast("dict[str, object]", reveal(self._request.extra))
        return json.dumps({**extra, self._request.message: message}).encode()

    def texts(self, message: str) -> tuple[str, ...]:
        """Return the message: what else the agent tells its model is not known."""
        return (message,)

    def reading(self, message: str) -> Reading:
        """Return what takes in the reply to *message*."""
        whole = Whole(lambda document: read(document, message, self._paths))
        if self.stream:
            return Streamed(ChatEvents(message, self._paths), whole)
        return whole

    def asks_again(self, body: bytes, head: Head) -> bool:  # noqa: ARG002 - Dialect's
        """Never ask twice."""
        return False


class Paths(NamedTuple):
    """Where the answer and the usage are, if the monitor says so."""

    answer: ParsedResult | None = None
    usage: ParsedResult | None = None

    @classmethod
    def of(cls, shape: ResponseShape) -> "Paths":
        """Return the expressions of *shape*, compiled."""
        return cls(*(_compiled(path) for path in (shape.answer, shape.usage)))


_NO_PATHS = Paths()


def read(document: object, message: str, paths: Paths = _NO_PATHS) -> Content:
    """Return what *document*, the reply to *message*, says."""
    claim = _claim(document, paths)
    if paths.answer is not None:
        found = _found(paths.answer, document)
        content = _mapped(found, document)
    elif isinstance(document, Mapping):
        content = _answer(document, message)
    else:
        what = _detail.name_type(document)
        content = failed(ErrorReason.NO_ANSWER, f"the reply is {what}, no object")
    if content.failure is not None:
        return failed(content.failure.reason, content.failure.detail, claim=claim)
    citations = (
        _citations.in_document(document) if isinstance(document, Mapping) else ()
    )
    return Content(
        text=content.text,
        blank=content.blank,
        citations=citations,
        claim=claim,
        document=document,
    )


def _answer(document: Mapping[str, object], message: str) -> Content:
    """Return the first field of *document* that can be the answer."""
    for name in ANSWER_FIELDS:
        value = document.get(name)
        if _is_answer(value, message):
            if _is_error_before(document, name):
                break
            return Content(text=str(value))
    if error := document.get("error"):
        return failed(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
    return _without_answer(document)


def _is_answer(value: object, message: str) -> bool:
    """Whether *value* says something, and more than *message* itself."""
    return (
        isinstance(value, str)
        and not text.is_blank(value)
        and value.strip() != message.strip()
    )


def _is_error_before(document: Mapping[str, object], name: str) -> bool:
    """Whether *document* is an error first: `{"error": true, "message": …}`."""
    if not document.get("error"):
        return False
    names = list(document)
    return names.index("error") < names.index(name)


def _without_answer(document: Mapping[str, object]) -> Content:
    """Return the failure of a *document* that has no usable answer."""
    for name in ANSWER_FIELDS:
        if name not in document:
            continue
        value = document[name]
        if value is None or (isinstance(value, str) and text.is_blank(value)):
            what = "null" if value is None else "blank"
            return failed(ErrorReason.EMPTY_ANSWER, f"field {name} is {what}")
    for name in ANSWER_FIELDS:
        if name in document:
            echo = isinstance(document[name], str)
            what = _detail.name_type(document[name])
            detail = f"field {name} " + (
                "only echoes the question" if echo else f"is {what}, no text"
            )
            return failed(ErrorReason.NO_ANSWER, detail)
    wanted = ", ".join(ANSWER_FIELDS)
    detail = f"none of {wanted} in the reply; its fields: {fields(document)}"
    return failed(ErrorReason.NO_ANSWER, detail)


def _mapped(found: object, document: object) -> Content:
    """Return the content where `response.answer` found *found* in *document*."""
    if isinstance(found, str):
        return Content(text=found, blank="what response.answer finds is blank")
    error = document.get("error") if isinstance(document, Mapping) else None
    if error:
        return failed(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
    what = "nothing" if found is None else f"{_detail.name_type(found)}, no text"
    return failed(ErrorReason.NO_ANSWER, f"response.answer finds {what}")


def _claim(document: object, paths: Paths) -> Claim:
    """Return the usage that `response.usage` finds in *document*."""
    usage = None if paths.usage is None else _found(paths.usage, document)
    if not isinstance(usage, Mapping):
        return NO_CLAIM
    return Claim(usage.get("prompt_tokens"), usage.get("completion_tokens"))


def _compiled(path: str | None) -> ParsedResult | None:
    """Return *path* compiled, if there is one."""
    return None if path is None else jmespath.compile(path)


def _found(path: ParsedResult, document: object) -> object:
    """Return what *path* finds in *document*: nothing where it does not apply."""
    try:
        found: object = path.search(document)
    except JMESPathError:
        return None
    return found


class ChatEvents:
    """The pieces of a streamed answer: objects with an answer field, or plain text."""

    def __init__(self, message: str, paths: Paths = _NO_PATHS) -> None:
        self._message = message
        self._paths = paths
        self._pieces = Pieces()
        self._citations: tuple[str, ...] = ()
        self._claim = NO_CLAIM

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
        claim = _claim(document, self._paths)
        if claim != NO_CLAIM:
            self._claim = claim
        found = _citations.in_document(document)
        if found:
            self._citations = _citations.merged(self._citations, found)

    def _piece(self, document: Mapping[str, object]) -> str:
        """Return the piece of the answer in *document*; a blank may be one."""
        if self._paths.answer is not None:
            found = _found(self._paths.answer, document)
            return found if isinstance(found, str) else ""
        for name in ANSWER_FIELDS:
            value = document.get(name)
            if isinstance(value, str) and value and value != self._message:
                return "" if _is_error_before(document, name) else value
        return ""

    def content(self) -> Content:
        """Return the pieces joined."""
        if not self._pieces:
            detail = "no event of the stream has a piece of an answer"
            return failed(ErrorReason.NO_ANSWER, detail, claim=self._claim)
        return Content(
            text=self._pieces.joined(), citations=self._citations, claim=self._claim
        )
