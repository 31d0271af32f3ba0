"""What a protocol has to know so that it can be talked over HTTP."""

from collections.abc import Callable, Sequence
from typing import Protocol

from answerprobe.sample import Reply, ToolCall
from answerprobe.targets._content import Content
from answerprobe.targets._exchange import Head
from answerprobe.targets._reading import Reading


class Transcript(Protocol):
    """
    What was said in one dialogue, as its protocol words it.

    A message that got no usable reply is forgotten: the two sides always alternate.
    """

    def ask(self, message: str) -> None:
        """Say *message* next."""
        ...

    def report(self, results: Sequence[ToolCall]) -> None:
        """
        Tell next what came of the tools that the last reply called.

        Raises:
            RuntimeError: it called none that we offer.
        """
        ...

    def body(self) -> bytes:
        """
        Return the body of the request that says what is next.

        Raises:
            SecretError: a secret in it cannot be had.
        """
        ...

    def texts(self) -> Sequence[str]:
        """Return all that the model then has to read."""
        ...

    def reading(self) -> Reading:
        """Return what takes in the reply."""
        ...

    def hear(self, content: Content, reply: Reply) -> Reply:
        """Remember a usable *reply* and its *content*; every call in it gets an id."""
        ...


class Dialect(Protocol):
    """How one protocol words what is said; the same for all samples of a target."""

    path: str
    stream: bool

    def transcript(self, new_session: Callable[[], str]) -> Transcript:
        """Return the transcript of a new dialogue; its session is a *new_session*."""
        ...

    def asks_again(self, body: bytes, head: Head) -> bool:
        """Return whether *head* refuses only how *body* asked, and learn from it."""
        ...
