"""The dialect of OpenAI-compatible APIs: `chat/completions`, plain and streamed."""

import json

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

from answerprobe.monitor import TargetSettings
from answerprobe.sample import Reply, ToolCall
from answerprobe.targets import _calls
from answerprobe.targets._chunks import Chunks
from answerprobe.targets._completion import read
from answerprobe.targets._content import Content
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import Reading, Streamed, Whole
from answerprobe.tool import Tool


_BAD_REQUEST = 400
_STREAM_OPTIONS = b"stream_options"
# What takes any arguments: some servers want a schema for every tool.
_ANY_ARGUMENTS = {"type": "object", "properties": {}}

Message = Mapping[str, object]


class OpenAi:
    """Asks and reads as the OpenAI API reference says, and as others understand it."""

    path = "/chat/completions"

    def __init__(self, settings: TargetSettings) -> None:
        self.stream = settings.stream
        self.tools = [_definition(tool) for tool in settings.tools]
        self.tools_text = json.dumps(self.tools) if self.tools else ""
        self._settings = settings
        self._with_stream_options = True

    def transcript(self, new_session: Callable[[], str]) -> "Messages":  # noqa: ARG002 - Dialect's
        """Return the message list of a new dialogue, which is its only session."""
        prompt = self._settings.system_prompt
        opening = [] if prompt is None else [{"role": "system", "content": prompt}]
        return Messages(self, opening)

    def body(self, messages: Sequence[Message]) -> bytes:
        """Return the body that sends *messages*; keys that are not set are not sent."""
        settings = self._settings
        body: dict[str, object] = {"model": settings.model, "messages": messages}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.max_tokens is not None:
            body["max_tokens"] = settings.max_tokens
        if self.tools:
            body["tools"] = self.tools
        if settings.stream:
            body["stream"] = True
            if self._with_stream_options:
                body["stream_options"] = {"include_usage": True}
        return json.dumps(body).encode()

    def reading(self) -> Reading:
        """Return what takes in one reply."""
        whole = Whole(read)
        return Streamed(Chunks(), whole) if self.stream else whole

    def asks_again(self, body: bytes, head: Head) -> bool:
        """Ask without `stream_options` where that is what *head* refuses; for good."""
        refused = (
            head.status == _BAD_REQUEST
            and b'"%b": {' % _STREAM_OPTIONS in body
            and _STREAM_OPTIONS in head.body
        )
        if refused:
            self._with_stream_options = False
        return refused


class Messages:
    """The whole message list of one dialogue: the API remembers nothing."""

    def __init__(self, dialect: OpenAi, opening: Iterable[Message]) -> None:
        self._dialect = dialect
        self._said: list[Message] = [*opening]
        self._next: list[Message] = []
        self._calling: Message | None = None
        # Nine letters and digits are an id for every API that is known.
        self._new_ids = (f"call{number:05}" for number in count(1))

    def ask(self, message: str) -> None:
        """Say *message* next; calls that were not answered are forgotten."""
        self._next = [{"role": "user", "content": message}]
        self._calling = None

    def report(self, results: Sequence[ToolCall]) -> None:
        """Tell next what came of the calls, right behind the message that made them."""
        if self._calling is None:
            problem = "the last reply called no tool of ours"
            raise RuntimeError(problem)
        self._next = [*self._next, self._calling, *map(_tool_message, results)]
        self._calling = None

    def body(self) -> bytes:
        """Return the body with everything said so far and what is said next."""
        return self._dialect.body([*self._said, *self._next])

    def texts(self) -> tuple[str, ...]:
        """Return system prompt, tools, and everything said so far."""
        messages = (*self._said, *self._next)
        return (self._dialect.tools_text, *map(_text, messages))

    def reading(self) -> Reading:
        """Return what takes in the reply."""
        return self._dialect.reading()

    def hear(self, content: Content, reply: Reply) -> Reply:
        """Remember the answer, or that it calls tools and waits for their results."""
        if self._dialect.tools and content.given:
            given = _calls.with_ids(content.given, self._new_ids)
            self._calling = _assistant(content, reply, given)
            if given != content.given:
                reply = replace(reply, tool_calls=_calls.read(given))
            return reply
        answer = {"role": "assistant", "content": reply.answer}
        self._said += [*self._next, answer]
        self._next = []
        return reply


def _definition(tool: Tool) -> Mapping[str, object]:
    """Return how *tool* is offered: what is ours alone is not the agent's business."""
    function: dict[str, object] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    parameters = tool.parameters
    function["parameters"] = _ANY_ARGUMENTS if parameters is None else parameters
    return {"type": "function", "function": function}


def _assistant(content: Content, reply: Reply, given: Sequence[Message]) -> Message:
    """
    Return the message that made the calls *given*, to be sent back.

    APIs of models that think between calls refuse it without what was thought.
    """
    message: dict[str, object] = {
        "role": "assistant",
        "content": reply.answer or None,
        "tool_calls": list(given),
    }
    if content.reasoning_field:
        message[content.reasoning_field] = content.reasoning
    return message


def _tool_message(result: ToolCall) -> Message:
    """Return the message that says what came of a call."""
    return {
        "role": "tool",
        "tool_call_id": result.call_id,
        "content": _calls.result_text(result),
    }


def _text(message: Message) -> str:
    """Return what a model reads of *message*."""
    content = message["content"]
    calls = message.get("tool_calls")
    if calls is not None:
        return f"{content or ''}{json.dumps(calls)}"
    return str(content)
