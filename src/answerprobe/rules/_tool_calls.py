"""Looking for tool calls in an exchange, also for those that went astray."""

import re

from collections.abc import Mapping
from functools import lru_cache

from answerprobe.rules._reason import listed
from answerprobe.rules._turns import replies_of
from answerprobe.sample import Sample, ToolCall


_MOST_NAMED = 5
_ASTRAY = (
    "was written as text in the answer and not called: the agent's tool parser is "
    "broken"
)


def calls_of(sample: Sample, tool: str) -> tuple[ToolCall, ...]:
    """Return the calls of *tool* in the whole exchange."""
    return tuple(call for call in sample.tool_calls if call.name == tool)


def names_called(sample: Sample) -> tuple[str, ...]:
    """Return the names of all tools that were called, each once, in order."""
    return tuple(dict.fromkeys(call.name for call in sample.tool_calls))


def named(names: tuple[str, ...]) -> str:
    """Return tools' *names* in words."""
    return listed(names, _MOST_NAMED)


def astray(sample: Sample, tool: str) -> str:
    """Return a note where a call of *tool* is text in an answer, else nothing."""
    for reply in replies_of(sample):
        if tool in reply.answer and _written(tool).search(reply.answer):
            return f"{tool} {_ASTRAY}"
    return ""


@lru_cache(maxsize=512)
def _written(tool: str) -> re.Pattern[str]:
    """Return what matches a call of *tool* in the spellings of common models."""
    # {"name": "x"}, also escaped, <function=x>, <invoke name="x">; a whole document is
    # not to be expected: what breaks the parser is often that it is cut.
    name = re.escape(tool)
    key = r"""\\?["'](?:name|tool|tool_name|function|function_name|action)\\?["']"""
    return re.compile(
        rf"""{key}\s{{0,20}}:\s{{0,20}}\\?["']{name}\\?["']"""
        rf"""|<(?:function=|(?:invoke|function|tool)\s+name=["']){name}["'>]"""
    )


def arguments_of(call: ToolCall) -> object:
    """Return what *call* sent: nothing is an object without parameters."""
    if isinstance(call.arguments, Mapping):
        return call.arguments
    blank = call.arguments is None or (
        isinstance(call.arguments, str) and not call.arguments.strip()
    )
    return {} if blank else call.arguments
