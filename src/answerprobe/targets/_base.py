"""What the rest of the program knows of a target."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from answerprobe.sample import Reply, ToolCall


class Dialogue(Protocol):
    """
    One sample's talk with a target.

    It has a cookie jar of its own, a fresh connection for each exchange, and its
    sample's `traceparent` on every request.
    """

    async def say(self, message: str, *, within_seconds: float) -> Reply:
        """
        Send *message* once and return what came, at the latest after *within_seconds*.

        Whatever the target does wrong is in the reply's `failure`.

        Raises:
            SecretError: a secret that the request needs cannot be had: our fault.
        """
        ...

    async def resume(
        self, results: Sequence[ToolCall], *, within_seconds: float
    ) -> Reply:
        """
        Tell the agent what came of the tools that it called, and return what it says.

        *results* are the calls of the last reply, with result or error filled in. Only
        a target that is offered tools can be resumed.
        """
        ...


class Target(Protocol):
    """An agent that can be asked."""

    @property
    def host(self) -> str:
        """`scheme://host:port`: what a limit per host counts by."""
        ...

    def dialogue(self, traceparent: str) -> AbstractAsyncContextManager[Dialogue]:
        """Return a new sample's dialogue; *traceparent* is the W3C header's value."""
        ...

    async def close(self) -> None:
        """Drop every connection; the target cannot be asked again."""
        ...
