"""The chunks of a streamed chat completion, put together."""

from collections.abc import Mapping
from typing import TypeGuard

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import (
    _calls,
    _citations,
    _completion,
    _detail,
    _json,
    _status,
)
from answerprobe.targets._content import NO_CLAIM, Content, failed
from answerprobe.targets._reading import Pieces
from answerprobe.targets._sse import Event


_DONE = "[DONE]"
_INDEX = "index"
_MOST_TOOL_CALLS = 100


class _Call:
    """One tool call whose arguments come in pieces."""

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.name = ""
        self._fields: dict[str, object] = {}
        self._arguments = Pieces()
        self._whole: object = None

    def add(self, call: Mapping[str, object], function: Mapping[str, object]) -> None:
        """Take in a piece of the call."""
        self.id = self.id or _id_of(call)
        self._fields.update(call)
        name, piece = function.get("name"), function.get("arguments")
        if isinstance(name, str) and not self.name:
            self.name = name
        if isinstance(piece, str):
            self._arguments.add(piece)
        elif piece is not None:
            self._whole = piece

    def as_document(self) -> Mapping[str, object]:
        """Return the call as a plain completion would have it."""
        whole = self._arguments.joined() if self._whole is None else self._whole
        function = {"name": self.name, "arguments": whole}
        return {**self._fields, "id": self.id, "function": function}


def _id_of(call: Mapping[str, object]) -> str:
    """Return the id of a piece of a call, empty where it has none."""
    call_id = call.get("id")
    return call_id if isinstance(call_id, str) else ""


class _Calls:
    """The tool calls of a stream."""

    def __init__(self) -> None:
        self.all: list[_Call] = []
        self._open: dict[int | str, _Call] = {}

    def take(self, pieces: object) -> None:
        """Take in *pieces* of calls, each to the call with its index."""
        for position, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            function = piece.get("function") if isinstance(piece, Mapping) else None
            if not isinstance(piece, Mapping) or not isinstance(function, Mapping):
                continue
            key = piece.get(_INDEX, position)
            call = self._call(key, piece, function) if _is_key(key) else None
            if call is not None:
                call.add(piece, function)

    def _call(
        self,
        key: int | str,
        piece: Mapping[str, object],
        function: Mapping[str, object],
    ) -> _Call | None:
        """Return the call that *piece* belongs to, None where there are too many."""
        call, call_id = self._open.get(key), _id_of(piece)
        if call is not None:
            # Some gateways send whole calls, all with index 0, each with an id.
            another = call_id and call.id and call_id != call.id
            if not (another and function.get("name")):
                return call
        if len(self.all) == _MOST_TOOL_CALLS:
            return None
        self._open[key] = call = _Call(call_id)
        self.all.append(call)
        return call


def _is_key(value: object) -> TypeGuard[int | str]:
    """Whether *value* can tell calls apart."""
    return isinstance(value, int | str)


class Chunks:
    """Reads the deltas of choice 0; of usage, the last report counts."""

    def __init__(self) -> None:
        self._pieces = Pieces()
        self._reasoning = Pieces()
        self._refusal = Pieces()
        self._calls = _Calls()
        self._reasoning_field = ""
        self._citations: tuple[str, ...] = ()
        self._finish_reason: object = None
        self._claim = NO_CLAIM
        self._model: str | None = None
        self._seen_choice = False

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer, or of a tool call, has come."""
        return bool(self._pieces or self._calls.all or self._refusal)

    def take(self, event: Event) -> bool:
        """Take in *event*; return whether it is the end."""
        if event.data.strip() == _DONE:
            return True
        if event.name == "error":
            words = _status.upstream_error(_status.error_in(event.data))
            raise ReplyError(ErrorReason.UPSTREAM_ERROR, words)
        document = _json.parse(event.data)
        if not isinstance(document, Mapping):
            what = f"{_detail.name_type(document)}, no object"
            raise ReplyError(ErrorReason.NOT_JSON, what)
        if error := document.get("error"):
            raise ReplyError(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
        if document.get("usage"):
            self._claim = _completion.claim_of(document["usage"])
        self._model = self._model or _completion.model_of(document)
        if found := _citations.in_document(document):
            self._citations = _citations.merged(self._citations, found)
        choice = _completion.first_choice(document)
        if choice is not None:
            self._take_choice(choice)
        return False

    def _take_choice(self, choice: Mapping[str, object]) -> None:
        """Take in what *choice* adds."""
        self._seen_choice = True
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            return
        self._pieces.add(_completion.text_of(delta.get("content")))
        reasoning = _completion.reasoning_of(delta)
        self._reasoning.add(reasoning.text)
        self._reasoning_field = self._reasoning_field or reasoning.field
        self._refusal.add(_completion.text_of(delta.get("refusal")))
        if delta.get("tool_calls"):
            self._calls.take(delta["tool_calls"])
        if delta.get("function_call"):  # the old way
            self._calls.take([{"function": delta["function_call"]}])
        if found := _citations.in_annotations(delta):
            self._citations = _citations.merged(self._citations, found)

    def content(self) -> Content:
        """Return the deltas joined; without a finish_reason they are cut."""
        if not self._seen_choice:
            detail = "no event of the stream has a choice"
            return failed(ErrorReason.NO_ANSWER, detail, claim=self._claim)
        given = _calls.usable(call.as_document() for call in self._calls.all)
        content = Content(
            text=self._pieces.joined(),
            reasoning=self._reasoning.joined(),
            reasoning_field=self._reasoning_field,
            refusal=self._refusal.joined().strip() or None,
            tool_calls=_calls.read(given),
            given=given,
            citations=self._citations,
            claim=self._claim,
            model=self._model,
            blank="the stream's content is blank",
            cut=None if self._finish_reason else "the stream ended without its end",
        )
        return _completion.finish(content, self._finish_reason)
