"""A scripted agent, user and tools for one talk."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from answerprobe.case import Case, Conversation
from answerprobe.conversation import Ask, Line, Silence, Talk, Utterance, hold
from answerprobe.run import GradedBy
from answerprobe.sample import Reply, TokenUsage, ToolCall, ToolSource, Turn
from builders import case as build_case


USAGE = TokenUsage(input_tokens=7, output_tokens=3)
SPOKEN_BY = GradedBy(model="user-1", prompt_version="abc")


def says(answer: str, *calls: str) -> Reply:
    """Return a reply that took a second, with calls of the tools *calls*."""
    return Reply(
        answer=answer,
        duration_seconds=1.0,
        usage=USAGE,
        tool_calls=tuple(
            ToolCall(name=name, arguments={}, call_id=f"c{n}")
            for n, name in enumerate(calls)
        ),
    )


@dataclass
class Agent:
    """Replies in order; keeps what it was told. The last reply repeats."""

    replies: Sequence[Reply]
    told: list[object] = field(default_factory=list)

    def _next(self) -> Reply:
        """Return the next reply."""
        return self.replies[min(len(self.told), len(self.replies)) - 1]

    async def say(self, message: str, *, within_seconds: float) -> Reply:
        """Take *message* in and answer it."""
        del within_seconds
        self.told.append(message)
        return self._next()

    async def resume(
        self, results: Sequence[ToolCall], *, within_seconds: float
    ) -> Reply:
        """Take *results* in and go on."""
        del within_seconds
        self.told.append([(call.name, call.result) for call in results])
        return self._next()


@dataclass
class User:
    """Says its lines in order; keeps how much it was shown. The last line repeats."""

    lines: Sequence[Line | Silence]
    shown: list[int] = field(default_factory=list)

    async def speak(
        self, conversation: Conversation, turns: Sequence[Turn]
    ) -> Line | Silence:
        """Return the next line."""
        del conversation
        self.shown.append(len(turns))
        return self.lines[min(len(self.shown), len(self.lines)) - 1]


class Tools:
    """Answers every call with its own name."""

    async def answer(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return *calls* with a result each."""
        return tuple(
            replace(call, result=f"{call.name} done", source=ToolSource.MOCKED)
            for call in calls
        )


class SlowTools:
    """Never answers."""

    async def answer(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Wait for ever."""
        await asyncio.Event().wait()
        return tuple(calls)


def line(message: str, *, done: bool = False) -> Line:
    """Return something a user says."""
    return Line(
        utterance=Utterance(message=message, done=done),
        spoken_by=SPOKEN_BY,
        usage=USAGE,
    )


BYE = line("", done=True)


def silence() -> Silence:
    """Return a user that cannot be used."""
    return Silence(
        reason="simulated user: HTTP 503: you said refund",
        unquoted="simulated user: unreachable",
        usage=USAGE,
    )


def talk_case(
    *, opening: str | None = None, min_turns: int = 1, max_turns: int = 8
) -> Case:
    """Return a case with a conversation."""
    conversation = Conversation(
        persona="A customer.",
        goal="A refund.",
        opening=opening,
        min_turns=min_turns,
        max_turns=max_turns,
    )
    return replace(build_case(), ask=None, conversation=conversation)


async def talk(
    asked: Case,
    agent: Agent,
    user: User | None = None,
    *,
    tools: Tools | SlowTools | None = None,
    may_go_on: Callable[[int], bool] = lambda _: True,
) -> Talk:
    """Hold the talk and return it."""
    held = Talk()
    ask = Ask(case=asked, dialogue=agent, host=tools, user=user, may_go_on=may_go_on)
    await hold(ask, held)
    return held
