"""
A stand-in for a judge, for the demo only: it matches keywords, it understands nothing.

It speaks the protocol of a real one and does read the rubric and the answer of each
request, so that a newcomer sees verdicts change without an API key. Never let it grade
an agent that matters: it cannot tell a promise from its denial.
"""

import json
import re

from collections.abc import Mapping
from dataclasses import dataclass
from json import JSONDecodeError

from aiohttp import web

from answerprobe.demo.wire import (
    BadRequest,
    completion,
    openai_error,
    read_object,
    usage,
)


MODEL = "keyword-stand-in"
_PROMPT = re.compile(
    r"\n\nRUBRIC [^\n]*:\n(?P<rubric>.*?)"
    r"(?:\n\nREFERENCE MATERIAL [^\n]*:\n[^\n]*)?"
    r"\n\nANSWER [^\n]*:\n(?P<mark>[^\n]+)\n(?P<data>[^\n]*)\n(?P=mark)\n",
    re.DOTALL,
)
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[a-z]{4,}")
_LINK = re.compile(r"https?://\S")
# Enough of a word to find it again in another form: "links", "linked".
_STEM_LETTERS = 5
# What rubrics are made of, whatever they ask for.
_SMALL_TALK = re.compile(
    r"\b(?:about|agents?|answers?|asks?|customers?|gives?|links?|mentions?|must|names?"
    r"|says|should|states?|tells?|that|the[mry]|this|users?|what|when|which|with)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the stand-in makes of an answer, and why."""

    passes: bool
    reason: str

    def as_json(self) -> str:
        """Return it as a judge replies."""
        verdict = "pass" if self.passes else "fail"
        return json.dumps({"reason": self.reason, "verdict": verdict})


def opinion(rubric: str, answer: str) -> Opinion:
    """Say whether *answer* has the numbers, the link and the words of *rubric*."""
    wanted, given = rubric.lower(), answer.lower()
    told = set(_NUMBER.findall(given))
    numbers = dict.fromkeys(_NUMBER.findall(wanted))
    missing = [f"the number {number}" for number in numbers if number not in told]
    if "link" in wanted and not _LINK.search(given):
        missing.append("a link")
    missing += _missing_words(wanted, given)
    if missing:
        return Opinion(passes=False, reason=f"The answer lacks {', '.join(missing)}.")
    return Opinion(passes=True, reason="The answer has all the rubric asks for.")


class StandInJudge:
    """The stand-in behind the protocol of a real judge."""

    def routes(self) -> list[web.RouteDef]:
        """Return where it answers."""
        return [web.post("/judge/v1/chat/completions", self._completions)]

    async def _completions(self, request: web.Request) -> web.Response:
        """Answer one request for a verdict."""
        try:
            prompt = _prompt((await read_object(request)).get("messages"))
            rubric, answer = read_prompt(prompt)
        except BadRequest as exc:
            return openai_error(400, str(exc))
        reply = opinion(rubric, answer).as_json()
        return web.json_response(completion(MODEL, reply, usage(prompt, reply)))


def read_prompt(prompt: str) -> tuple[str, str]:
    """
    Return the rubric and the answer out of answerprobe's *prompt* for judges.

    The answer of a conversation is all that the agent said in it.

    Raises:
        BadRequest: it is no such prompt.
    """
    found = _PROMPT.search(prompt)
    if found is None:
        raise BadRequest("no rubric and answer as answerprobe writes them")
    try:
        data = json.loads(found["data"])
    except (JSONDecodeError, RecursionError) as exc:
        raise BadRequest("the answer is no JSON") from exc
    if not isinstance(data, dict) or not isinstance(data.get("answer"), str):
        raise BadRequest("the data holds no answer")
    return found["rubric"], "\n".join([*_earlier(data), data["answer"]])


def _earlier(data: Mapping[str, object]) -> list[str]:
    """Return what the agent said before its answer, where that was a conversation."""
    turns = data.get("conversation")
    said = [
        turn["text"]
        for turn in (turns if isinstance(turns, list) else ())
        if isinstance(turn, dict)
        and turn.get("role") == "agent"
        and isinstance(turn.get("text"), str)
    ]
    return said[:-1]


def _prompt(messages: object) -> str:
    """Return the text of the last message."""
    last = messages[-1] if isinstance(messages, list) and messages else None
    text = last.get("content") if isinstance(last, dict) else None
    if not isinstance(text, str):
        raise BadRequest("messages holds no text")
    return text


def _missing_words(wanted: str, given: str) -> list[str]:
    """Return the words that *given* lacks, unless it has at least half of them."""
    words = dict.fromkeys(_WORD.findall(_SMALL_TALK.sub("", wanted)))
    absent = [word for word in words if word[:_STEM_LETTERS] not in given]
    few = 2 * len(absent) <= len(words)
    return [] if few else [f"the word {word!r}" for word in absent]
