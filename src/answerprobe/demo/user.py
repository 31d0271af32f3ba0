"""
A stand-in for a simulated user, for the demo only: a script, no person and no model.

It speaks the protocol of a real one and does read persona, goal and what the agent last
said of each request, by keywords, so that a newcomer sees conversations without an API
key. Never let it try an agent that matters: it says the same few sentences to anybody.
"""

import json
import re

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from answerprobe.demo.wire import (
    BadRequest,
    completion,
    openai_error,
    read_object,
    usage,
)


MODEL = "scripted-stand-in"
_PART = re.compile(
    r"\n\nWho you are: (?P<persona>.*?)\n\nWhat you want: (?P<goal>.*?)\n\nWrite only",
    re.DOTALL,
)
_ANNOYED = re.compile(r"\b(?:annoyed|angry|furious|impatient|upset)\b", re.IGNORECASE)
_HAS_NO = re.compile(r"\b(?:has no|have no|without|lost)\b[^.]*", re.IGNORECASE)
_NUMBER = re.compile(r"\b[A-Z]-\d{4}\b")
_ASKED_FOR = re.compile(r"\b(?:receipt|order|invoice)\b", re.IGNORECASE)
_DONE = re.compile(r"\b(?:done|matches|on its way|refunded|paid)\b", re.IGNORECASE)
# Nobody keeps at it for ever, this one less than most.
_MOST_MESSAGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Whom the stand-in plays, and what that person wants."""

    persona: str
    goal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What it says, and whether that is the end of the conversation."""

    message: str
    done: bool = False

    def as_json(self) -> str:
        """Return it as a simulated user replies."""
        return json.dumps({"message": self.message, "done": self.done})


def next_line(part: Part, said: int, heard: str) -> Line:
    """Return the next line after *said* of its own, the agent's last being *heard*."""
    annoyed = _ANNOYED.search(part.persona) is not None
    if not said:
        goal = part.goal[:1].lower() + part.goal[1:]
        return Line(message=f"I want to {goal}" + (" Now!" if annoyed else ""))
    if _DONE.search(heard):
        return Line(message="Thank you, that is all.", done=True)
    if said + 1 >= _MOST_MESSAGES:
        end = "That is ridiculous. I give up." if annoyed else "I see. Goodbye."
        return Line(message=end, done=True)
    asked = [word.lower() for word in _ASKED_FOR.findall(heard)]
    lacking = " ".join(_HAS_NO.findall(part.persona)).lower()
    for word in asked:
        if word in lacking:
            end = " Just do it!" if annoyed else " What now?"
            return Line(message=f"I have no {word}.{end}")
    numbers = _NUMBER.findall(f"{part.persona} {part.goal}")
    if asked and numbers:
        return Line(message=f"The number is {numbers[0]}.")
    return Line(message="I told you what I want. Can you do it or not?")


class StandInUser:
    """The stand-in behind the protocol of a real model."""

    def routes(self) -> list[web.RouteDef]:
        """Return where it answers."""
        return [web.post("/user/v1/chat/completions", self._completions)]

    async def _completions(self, request: web.Request) -> web.Response:
        """Answer one request for a line."""
        try:
            texts = _texts((await read_object(request)).get("messages"))
            part = read_part(texts)
        except BadRequest as exc:
            return openai_error(400, str(exc))
        own = [text for role, text in texts if role == "assistant"]
        reply = next_line(part, len(own), texts[-1][1]).as_json()
        shown = "".join(text for _, text in texts)
        return web.json_response(completion(MODEL, reply, usage(shown, reply)))


def read_part(texts: Sequence[tuple[str, str]]) -> Part:
    """
    Return the part that answerprobe gives to simulated users, in roles and *texts*.

    Raises:
        BadRequest: there is none.
    """
    told = next((text for role, text in texts if role == "system"), "")
    found = _PART.search(told)
    if found is None:
        raise BadRequest("no persona and goal as answerprobe writes them")
    return Part(persona=found["persona"], goal=found["goal"])


def _texts(messages: object) -> list[tuple[str, str]]:
    """Return role and text of each message."""
    return [
        (str(message.get("role")), str(message.get("content")))
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, dict)
    ]
