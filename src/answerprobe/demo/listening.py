"""What the demo agent makes of requests: messages, earlier turns, tools and results."""

import json

from collections import OrderedDict
from collections.abc import Mapping
from json import JSONDecodeError

from answerprobe.demo.desk import TOOLS, Heard
from answerprobe.demo.wire import BadRequest


_MAX_MESSAGE_CHARACTERS = 4000
_MOST_SESSIONS = 1000
_MOST_MESSAGES = 100


class Sessions:
    """What was said in the latest sessions, by their ids."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def add(self, session: str, message: str) -> tuple[str, ...]:
        """Return all messages of *session*, *message* the last."""
        said = (*self._said.pop(session, ()), message)[-_MOST_MESSAGES:]
        self._said[session] = said
        if len(self._said) > _MOST_SESSIONS:
            self._said.popitem(last=False)
        return said


def over_chat(body: Mapping[str, object], sessions: Sessions) -> Heard:
    """
    Return what a request of the chat protocol says; its session is kept.

    Raises:
        BadRequest: there is no message that the agent reads.
    """
    message = _message(body.get("message"))
    session, history = body.get("session"), body.get("history")
    if isinstance(session, str):
        said = sessions.add(session[:_MOST_MESSAGES], message)
    else:
        earlier = [
            _message(entry.get("content"))
            for entry in (history if isinstance(history, list) else ())
            if isinstance(entry, dict) and entry.get("role") == "user"
        ]
        said = (*earlier, message)[-_MOST_MESSAGES:]
    return Heard(messages=said, tools=TOOLS)


def over_openai(body: Mapping[str, object]) -> Heard:
    """
    Return what a request of the OpenAI protocol says.

    Raises:
        BadRequest: there is no user message, or none that the agent reads.
    """
    listed = body.get("messages")
    messages = [
        message
        for message in (listed if isinstance(listed, list) else ())
        if isinstance(message, dict)
    ]
    users = [at for at, each in enumerate(messages) if each.get("role") == "user"]
    if not users:
        raise BadRequest("messages holds no message of the role user")
    said = tuple(_message(messages[at].get("content")) for at in users)
    return Heard(
        messages=said[-_MOST_MESSAGES:],
        tools=_offered(body.get("tools")),
        results=_results(messages[users[-1] + 1 :]),
    )


def _message(value: object) -> str:
    """Return *value* if it is a message that the agent reads."""
    if not isinstance(value, str) or not value.strip():
        raise BadRequest('write {"message": "your question"}')
    if len(value) > _MAX_MESSAGE_CHARACTERS:
        raise BadRequest(f"the question is over {_MAX_MESSAGE_CHARACTERS} characters")
    return value


def _offered(tools: object) -> frozenset[str]:
    """Return those of *tools* that the agent knows what to do with."""
    functions = [
        tool.get("function")
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, dict)
    ]
    names = [each.get("name") for each in functions if isinstance(each, dict)]
    return TOOLS.intersection(name for name in names if isinstance(name, str))


def _results(messages: list[dict[str, object]]) -> dict[str, object]:
    """Return what came of calls, by the tool's name: it is in the id that we gave."""
    return {
        str(message.get("tool_call_id")).removeprefix("call_"): _value(message)
        for message in messages
        if message.get("role") == "tool"
    }


def _value(message: Mapping[str, object]) -> object:
    """Return the result in *message*: JSON, or else what it is."""
    content = message.get("content")
    if not isinstance(content, str):
        return content
    try:
        value: object = json.loads(content)
    except (JSONDecodeError, RecursionError):
        return content
    return value
