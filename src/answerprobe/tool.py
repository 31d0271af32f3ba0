"""Tools that answerprobe offers to an agent, and what they answer."""

import json

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from answerprobe.connection import Connection


class LiveMethod(StrEnum):
    """How a live tool is called: GET with a query, POST with JSON."""

    GET = "GET"
    POST = "POST"


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """A generic success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A JSON value: a text is sent as it is, anything else as JSON."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An error, in these words."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """
    What a server really answers; only for tools that write nothing.

    *connection* is the tool's own: credentials of the monitor are never sent to it.
    """

    connection: Connection
    method: LiveMethod = LiveMethod.POST


Response = Success | Value | Fault | Live


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """
    One tool.

    *parameters* is the JSON Schema of its arguments, None where any will do. *writes*:
    whether it changes anything where it really runs.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, object] | None = None
    writes: bool = True
    respond: Response = Success()

    @property
    def offer(self) -> str:
        """About what an agent has to read of it."""
        return self.name + self.description + json.dumps(self.parameters or {})
