"""The dialect of simple chat endpoints: `{"message": …}` in, `{"answer": …}` out."""

import json

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from answerprobe.monitor import TargetSettings
from answerprobe.sample import Reply, ToolCall
from answerprobe.secret import reveal
from answerprobe.targets._chat_events import ChatEvents
from answerprobe.targets._chat_reply import Paths, read
from answerprobe.targets._content import Content
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import Reading, Streamed, Whole
from answerprobe.targets._template import fill


class Chat:
    """Asks and reads as the settings' request and response shapes say."""

    path = ""

    def __init__(self, settings: TargetSettings) -> None:
        self.stream = settings.stream
        self.request = settings.request
        self._paths = Paths.of(settings.response)

    def transcript(self, new_session: Callable[[], str]) -> "Script":
        """Return what is said in a new dialogue, to an agent that may remember it."""
        return Script(self, new_session)

    def reading(self, message: str) -> Reading:
        """Return what takes in the reply to *message*."""
        whole = Whole(lambda document: read(document, message, self._paths))
        if self.stream:
            return Streamed(ChatEvents(message, self._paths), whole)
        return whole

    def asks_again(self, body: bytes, head: Head) -> bool:  # noqa: ARG002 - Dialect's
        """Never ask twice."""
        return False


class Script:
    """What is said in one dialogue, and the session that the agent knows it by."""

    def __init__(self, dialect: Chat, new_session: Callable[[], str]) -> None:
        self._dialect = dialect
        self._new_session = new_session
        self._session = ""
        self._said: list[Mapping[str, str]] = []
        self._message = ""

    def ask(self, message: str) -> None:
        """Say *message* next."""
        self._message = message

    def report(self, results: Sequence[ToolCall]) -> None:  # noqa: ARG002 - Transcript's
        """Refuse: the agent runs its own tools."""
        problem = "a chat endpoint is offered no tools"
        raise RuntimeError(problem)

    def body(self) -> bytes:
        """Return the body; a field of `extra` hides nothing that is said."""
        shape = self._dialect.request
        if shape.body is not None:
            places = {
                "message": lambda: self._message,
                "session": self.session,
                "history": lambda: self._said,
            }
            return json.dumps(fill(shape.body, places)).encode()
        extra = cast("dict[str, object]", reveal(shape.extra))
        if shape.history is not None:
            extra[shape.history] = self._said
        if shape.session is not None:
            extra[shape.session] = self.session()
        extra[shape.message] = self._message
        return json.dumps(extra).encode()

    def session(self) -> str:
        """Return the id of the dialogue, made when it is first needed."""
        if not self._session:
            self._session = self._new_session()
        return self._session

    def texts(self) -> tuple[str, ...]:
        """Return what was said: what else the agent tells its model is not known."""
        return (*(turn["content"] for turn in self._said), self._message)

    def reading(self) -> Reading:
        """Return what takes in the reply."""
        return self._dialect.reading(self._message)

    def hear(self, content: Content, reply: Reply) -> Reply:  # noqa: ARG002 - Transcript's
        """Remember the message and its answer."""
        self._said += [
            {"role": "user", "content": self._message},
            {"role": "assistant", "content": reply.answer},
        ]
        return reply
