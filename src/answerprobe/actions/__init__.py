"""The tools that answerprobe offers to an agent, answered: mocked, or really called."""

from answerprobe.actions._host import Caller, ToolHost
from answerprobe.actions._live import LiveCaller, LiveError


__all__ = ["Caller", "LiveCaller", "LiveError", "ToolHost"]
