"""Who answers an agent's tool calls: mocks, and where the user says so real servers."""

import asyncio
import json

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from answerprobe.actions._live import SUCCESS, LiveError
from answerprobe.errors import SecretError
from answerprobe.rules import Schema, load_schema
from answerprobe.sample import ToolCall, ToolSource
from answerprobe.text import one_line
from answerprobe.tool import Fault, Live, Response, Success, Tool, Value


ARGUMENTS_LIMIT_CHARACTERS = 1 << 16
_MOST_LIVE_AT_ONCE = 8
# Checked in a thread from here on: other samples' times are measured on the loop.
_LOOP_HELD_NANOSECONDS = 5_000_000
_NAME_CHARACTERS = 64
_MOST_NAMES = 20


class Caller(Protocol):
    """Who calls real tools."""

    async def call(self, live: Live, arguments: Mapping[str, object]) -> object:
        """
        Return what the tool behind *live* answers to *arguments*.

        Raises:
            LiveError: it answers nothing usable.
            SecretError: a secret that the request needs cannot be had: our fault.
        """
        ...


class ToolHost:
    """
    The host of *tools* in one sample.

    *actions* answer in place of the tools' own responses, by name. What an agent calls
    wrongly (no such tool, arguments that don't fit) is told to it as an error, and is a
    call all the same. Only tools that write nothing are ever really called, by
    *caller*; without one none is.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        actions: Mapping[str, Response],
        *,
        caller: Caller | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._actions = actions
        self._caller = caller
        # Protects servers from an agent that calls a hundred times in one reply.
        self._slots = asyncio.Semaphore(_MOST_LIVE_AT_ONCE)

    async def answer(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """
        Return *calls* with what came of them, in their order.

        Raises:
            SecretError: a secret that a real tool needs cannot be had: our fault.
        """
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._guarded(call)) for call in calls]
        answered: list[ToolCall] = []
        for task in tasks:
            result = task.result()
            if isinstance(result, SecretError):
                raise result
            answered.append(result)
        return tuple(answered)

    async def _guarded(self, call: ToolCall) -> ToolCall | SecretError:
        """Return the answer to *call*; a group of tasks would wrap what it raises."""
        try:
            return await self._answer(call)
        except SecretError as exc:
            return exc

    async def _answer(self, call: ToolCall) -> ToolCall:
        """Return *call* with what came of it."""
        tool = self._tools.get(call.name)
        if tool is None:
            return _failed(call, self._unknown(call.name))
        arguments = _arguments(call.arguments)
        if not isinstance(arguments, Mapping):
            return _failed(call, "the arguments are no JSON object")
        if problem := await _problem(tool, arguments):
            return _failed(call, problem)
        response = self._actions.get(tool.name, tool.respond)
        if isinstance(response, Live):
            return await self._really(tool, response, call, arguments)
        return _mocked(call, response)

    async def _really(
        self, tool: Tool, live: Live, call: ToolCall, arguments: Mapping[str, object]
    ) -> ToolCall:
        """Return *call* with what *tool*, which is at *live*, really answers."""
        if tool.writes:
            return _failed(call, "the tool writes: it is never called for real")
        if self._caller is None:
            return _failed(call, "no tool can be called for real here")
        call = replace(call, source=ToolSource.LIVE)
        try:
            async with self._slots:
                result = await self._caller.call(live, arguments)
        except LiveError as exc:
            return replace(call, error=str(exc))
        return replace(call, result=result)

    def _unknown(self, name: str) -> str:
        """Return what is said of a tool that is not there."""
        shown = one_line(name, _NAME_CHARACTERS)
        known = ", ".join(list(self._tools)[:_MOST_NAMES])
        return f"there is no tool {shown!r}; there are: {known}"


def _mocked(call: ToolCall, response: Success | Value | Fault) -> ToolCall:
    """Return *call* with the configured *response*."""
    match response:
        case Success():
            return replace(call, result=SUCCESS, source=ToolSource.MOCKED)
        case Value(value=value):
            return replace(call, result=value, source=ToolSource.MOCKED)
        case Fault(text=text):
            return _failed(call, text)


def _failed(call: ToolCall, error: str) -> ToolCall:
    """Return *call* with an *error* of our own."""
    return replace(call, error=error, source=ToolSource.MOCKED)


def _arguments(written: object) -> object:
    """Return what was sent; nothing is an object without parameters."""
    blank = written is None or (isinstance(written, str) and not written.strip())
    return {} if blank else written


async def _problem(tool: Tool, arguments: Mapping[str, object]) -> str | None:
    """Return what is wrong with the *arguments* of *tool*, in words for the agent."""
    written = json.dumps(arguments)
    size = len(written)
    if size > ARGUMENTS_LIMIT_CHARACTERS:
        limit = f"at most {ARGUMENTS_LIMIT_CHARACTERS:,}"
        return f"the arguments are too long: {size:,} characters, {limit}"
    if tool.parameters is None:
        return None
    schema = _schema(json.dumps(tool.parameters))
    if written.count(",") > schema.most_values:
        return f"the arguments are more than {schema.most_values:,} values"
    cost = schema.nanoseconds_per_character
    if cost is None or cost * size > _LOOP_HELD_NANOSECONDS:
        misfit = await asyncio.to_thread(schema.misfit, arguments)
    else:
        misfit = schema.misfit(arguments)
    return None if misfit is None else f"the arguments do not fit: {misfit.reason}"


@lru_cache(maxsize=512)
def _schema(written: str) -> Schema:
    """Return the JSON Schema *written*, made once: that takes milliseconds."""
    return load_schema(json.loads(written))
