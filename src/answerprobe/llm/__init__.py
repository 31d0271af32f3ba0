"""
One call to an OpenAI-compatible API, on whatever server speaks it.

Importing this loads nothing heavy: the openai package comes with the first call.
"""

from answerprobe.llm._completion import Completion
from answerprobe.llm._llm import Llm, Message


__all__ = ["Completion", "Llm", "Message"]
