"""The chunks of a streamed chat completion, put together."""

from collections.abc import Mapping

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _citations, _completion, _detail, _json, _status
from answerprobe.targets._content import NO_CLAIM, Content, failed
from answerprobe.targets._reading import Pieces
from answerprobe.targets._sse import Event


_DONE = "[DONE]"
_MOST_TOOL_CALLS = 100


class _Function:
    """One tool call whose arguments come in pieces."""

    def __init__(self) -> None:
        self.name = ""
        self.arguments = Pieces()
        self.whole: object = None

    def add(self, function: Mapping[str, object]) -> None:
        """Take in a piece of the call."""
        name, piece = function.get("name"), function.get("arguments")
        if isinstance(name, str) and not self.name:
            self.name = name
        if isinstance(piece, str):
            self.arguments.add(piece)
        elif piece is not None:
            self.whole = piece

    def as_document(self) -> Mapping[str, object]:
        """Return the call as a plain completion would have it."""
        whole = self.arguments.joined() if self.whole is None else self.whole
        return {"name": self.name, "arguments": whole}


class Chunks:
    """Reads the deltas of choice 0; of usage, the last report counts."""

    def __init__(self) -> None:
        self._pieces = Pieces()
        self._reasoning = Pieces()
        self._refusal = Pieces()
        self._functions: dict[object, _Function] = {}
        self._citations: tuple[str, ...] = ()
        self._finish_reason: object = None
        self._claim = NO_CLAIM
        self._model: str | None = None
        self._seen_choice = False

    @property
    def begun(self) -> bool:
        """Whether a piece of the answer, or of a tool call, has come."""
        return bool(self._pieces or self._functions or self._refusal)

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
        self._reasoning.add(_completion.reasoning_of(delta))
        self._refusal.add(_completion.text_of(delta.get("refusal")))
        if delta.get("tool_calls"):
            self._take_calls(delta["tool_calls"])
        if found := _citations.in_annotations(delta):
            self._citations = _citations.merged(self._citations, found)

    def _take_calls(self, calls: object) -> None:
        """Take in pieces of tool calls, each to the call with its index."""
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            if not isinstance(call, Mapping):
                continue
            function = call.get("function")
            key = call.get("index", position)
            known = isinstance(key, int | str) and (
                key in self._functions or len(self._functions) < _MOST_TOOL_CALLS
            )
            if known and isinstance(function, Mapping):
                self._functions.setdefault(key, _Function()).add(function)

    def content(self) -> Content:
        """Return the deltas joined; without a finish_reason they are cut."""
        if not self._seen_choice:
            detail = "no event of the stream has a choice"
            return failed(ErrorReason.NO_ANSWER, detail, claim=self._claim)
        content = Content(
            text=self._pieces.joined(),
            reasoning=self._reasoning.joined(),
            refusal=self._refusal.joined().strip() or None,
            tool_calls=_completion.calls_of(
                function.as_document() for function in self._functions.values()
            ),
            citations=self._citations,
            claim=self._claim,
            model=self._model,
            blank="the stream's content is blank",
            cut=None if self._finish_reason else "the stream ended without its end",
        )
        return _completion.finish(content, self._finish_reason)
