"""Samples of one question or conversation, for tests of rules."""

from answerprobe.rules import ParsedRule
from answerprobe.sample import (
    Reply,
    Sample,
    Speaker,
    Termination,
    ToolCall,
    Turn,
    asked_once,
)
from answerprobe.verdict import Outcome


def said(answer: str, *, duration_seconds: float = 1.0) -> Sample:
    """Return the sample of an agent that said *answer*."""
    reply = Reply(answer=answer, duration_seconds=duration_seconds)
    return asked_once("How long is it?", reply)


def outcome(rule: ParsedRule, answer: str) -> Outcome:
    """Return how *rule* grades *answer*."""
    return rule.check(said(answer)).outcome


def called(tool: str, arguments: object = None, error: str | None = None) -> ToolCall:
    """Return a call of *tool*."""
    return ToolCall(name=tool, arguments=arguments or {}, error=error)


def acted(*calls: ToolCall, answer: str = "Done.") -> Sample:
    """Return the sample of an agent that made *calls* and then said *answer*."""
    return asked_once(
        "Where is it?", Reply(answer=answer, duration_seconds=1.0, tool_calls=calls)
    )


def talked(*answers: str | Reply) -> Sample:
    """Return the sample of a conversation in which the agent gave *answers*."""
    replies = tuple(
        each if isinstance(each, Reply) else Reply(answer=each, duration_seconds=1.0)
        for each in answers
    )
    turns: list[Turn] = []
    for number, reply in enumerate(replies, 1):
        turns += [
            Turn(speaker=Speaker.USER, text=f"Question {number}?"),
            Turn(
                speaker=Speaker.AGENT,
                text=reply.answer,
                tool_calls=reply.tool_calls,
                duration_seconds=reply.duration_seconds,
            ),
        ]
    return Sample(
        turns=tuple(turns),
        reply=replies[-1],
        termination=Termination.USER_DONE,
        replies=replies,
    )
