"""What a simulated user is told, and what its words mean."""

import hashlib
import json
import re

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answerprobe.case import Conversation
from answerprobe.errors import NoUtterance
from answerprobe.llm import Message
from answerprobe.sample import Speaker, Turn
from answerprobe.text import is_blank, scrub, split_reasoning


# The mark that ends a conversation where the server knows no structured output.
END_MARK = "###STOP###"
_LONGEST_MESSAGE = 8_000
_SYSTEM = """\
You play a customer who talks to a support agent. You are never the agent: you ask, \
answer its questions and react to what it says, as that person would.

Who you are: {persona}

What you want: {goal}

Write only your next message to the agent, in your own words and in the language this \
person speaks; no stage directions, no comment. Make up no orders, names or numbers \
that are not given above. When you have what you want, or see that you will not get \
it, the conversation is over: say so with "done": true in your JSON reply, or, where \
you write plain text, end your message with {mark}."""
_BEGIN = "The conversation begins. Write your first message to the agent."
RESPONSE_FORMAT: Mapping[str, object] = {
    "type": "json_schema",
    "json_schema": {
        "name": "next_message",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "message": {"type": "string"},
                "done": {"type": "boolean"},
            },
            "required": ["message", "done"],
            "additionalProperties": False,
        },
    },
}
# Another word in here is another simulated user.
PROMPT_VERSION = hashlib.sha256(
    json.dumps([_SYSTEM, _BEGIN, RESPONSE_FORMAT]).encode()
).hexdigest()[:12]
# Models fence their JSON where the server does not hold them to it.
_FENCED = re.compile(r"\s*```(?:json)?\s*(\{.*\})\s*```\s*", re.DOTALL | re.IGNORECASE)
# What only the agent's side of a support chat says.
_AGENT_WORDS = re.compile(
    r"\bhow (?:can|may) i (?:help|assist)\b"
    r"|\bi(?:'|\u2019)?(?: a)?m (?:the|your|a|an) (?:\w+ ){0,3}(?:assistant|agent)\b"
    r"|\bis there anything else i can (?:help|do|assist)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What a simulated user says next; an empty *message* only where it is *done*."""

    message: str
    done: bool


def messages_for(conversation: Conversation, turns: Sequence[Turn]) -> list[Message]:
    """
    Return what the simulated user is shown: its part, and what was said so far.

    Its own words are the assistant's, the agent's are the user's: it sees the other
    side of the conversation.
    """
    # Not str.format: a persona may hold braces.
    system = (
        _SYSTEM.replace("{mark}", END_MARK)
        .replace("{persona}", conversation.persona)
        .replace("{goal}", conversation.goal)
    )
    roles = {Speaker.USER: "assistant", Speaker.AGENT: "user"}
    said: list[Message] = [
        {"role": roles[turn.speaker], "content": turn.text or "(no words)"}
        for turn in turns
    ]
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": _BEGIN},
        *said,
    ]


def read_utterance(reply: str, turns: Sequence[Turn], *, structured: bool) -> Utterance:
    """
    Return what *reply* says after *turns*.

    Raises:
        NoUtterance: it is blank, breaks the schema, or plays the agent.
    """
    text = split_reasoning(scrub(reply)).answer
    utterance = _as_json(text)
    if utterance is None:
        if structured:
            raise NoUtterance("its reply does not fit the schema")
        utterance = _as_text(text)
    message = utterance.message
    if is_blank(message):
        if utterance.done:
            return Utterance(message="", done=True)
        raise NoUtterance("its message is blank")
    if len(message) > _LONGEST_MESSAGE:
        raise NoUtterance(f"its message has more than {_LONGEST_MESSAGE} characters")
    spoken = next((t for t in reversed(turns) if t.speaker is Speaker.AGENT), None)
    if _AGENT_WORDS.search(message) or (spoken and spoken.text == message):
        raise NoUtterance("it plays the agent")
    return utterance


def _as_json(text: str) -> Utterance | None:
    """Return the utterance that *text* is as JSON; None where it is none."""
    fenced = _FENCED.fullmatch(text)
    try:
        document = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or set(document) != {"message", "done"}:
        return None
    message, done = document["message"], document["done"]
    if not isinstance(message, str) or not isinstance(done, bool):
        return None
    words = _as_text(scrub(message))
    return Utterance(message=words.message, done=done or words.done)


def _as_text(text: str) -> Utterance:
    """Return the utterance that *text* is as plain words, with or without the mark."""
    return Utterance(message=text.replace(END_MARK, "").strip(), done=END_MARK in text)
