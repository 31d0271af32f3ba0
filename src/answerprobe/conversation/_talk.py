"""One sample's talk with an agent: a question, or a conversation turn by turn."""

import asyncio

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from answerprobe.case import Case, Conversation
from answerprobe.conversation._user import Line, Silence
from answerprobe.run import GradedBy
from answerprobe.sample import (
    ErrorReason,
    Failure,
    Reply,
    Sample,
    Speaker,
    Termination,
    TokenRole,
    TokenUsage,
    ToolCall,
    Turn,
)
from answerprobe.targets import Dialogue


# An agent that calls tools for ever is stopped.
MOST_ROUNDS = 10


class Host(Protocol):
    """Who answers an agent's tool calls."""

    async def answer(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """Return *calls* with what came of them."""
        ...


class User(Protocol):
    """Who talks to the agent."""

    async def speak(
        self, conversation: Conversation, turns: Sequence[Turn]
    ) -> Line | Silence:
        """Return what it says after *turns*, or why nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """
    What is to be talked about, with whom.

    *host* is None where we answer no tools, *user* where the case is one question.
    *may_go_on* is asked before each turn, with the tokens spent in the talk so far.
    """

    case: Case
    dialogue: Dialogue
    host: Host | None = None
    user: User | None = None
    may_go_on: Callable[[int], bool] = lambda _: True


@dataclass(slots=True, kw_only=True)
class Talk:
    """
    A talk, as far as it has come; also one that is cancelled has its tokens in it.

    *replies* are those that ended the agent's turns. *problem* says why the simulated
    user could not be used, *unquoted_problem* without a word of its server.
    *cut_short*: it was not allowed to go on.
    """

    turns: list[Turn] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    termination: Termination | None = None
    tokens: dict[TokenRole, TokenUsage] = field(default_factory=dict)
    simulated_user: GradedBy | None = None
    problem: str | None = None
    unquoted_problem: str | None = None
    cut_short: bool = False

    @property
    def sample(self) -> Sample:
        """The talk as criteria see it; there must have been a reply."""
        return Sample(
            turns=tuple(self.turns),
            reply=self.replies[-1],
            termination=self.termination,
            replies=tuple(self.replies),
        )

    @property
    def longest_seconds(self) -> float:
        """How long the agent's slowest turn took."""
        return max((turn.duration_seconds or 0.0 for turn in self.turns), default=0.0)

    @property
    def spent_tokens(self) -> int:
        """All tokens of all roles so far."""
        return sum(usage.total for usage in self.tokens.values())

    def spend(self, role: TokenRole, usage: TokenUsage) -> None:
        """Count what *role* spent."""
        before = self.tokens.get(role)
        self.tokens[role] = usage if before is None else before + usage


async def hold(ask: Ask, talk: Talk) -> None:
    """
    Hold the talk that *ask* describes, filling *talk*.

    A single question is a talk of one turn. Nothing that agent or simulated user do
    wrong raises: it is in the last reply's failure, or in the talk's problem.
    """
    conversation = ask.case.conversation
    if conversation is None or ask.user is None:
        await _turn(ask, talk, ask.case.ask or "")
        return
    while talk.termination is None and not talk.cut_short:
        await _exchange(ask, ask.user, conversation, talk)


async def _exchange(
    ask: Ask, user: User, conversation: Conversation, talk: Talk
) -> None:
    """Let the user speak and the agent answer, or the conversation end."""
    taken = len(talk.replies)
    if not ask.may_go_on(talk.spent_tokens):
        talk.cut_short = True
        return
    message, done = conversation.opening, False
    if taken or message is None:
        line = await user.speak(conversation, talk.turns)
        talk.spend(TokenRole.SIMULATED_USER, line.usage)
        if isinstance(line, Silence):
            talk.termination = Termination.USER_ERROR
            talk.problem, talk.unquoted_problem = line.reason, line.unquoted
            return
        talk.simulated_user = line.spoken_by
        message, done = line.utterance.message, line.utterance.done
    if not message:
        _end_without_words(conversation, talk)
        return
    await _turn(ask, talk, message)
    if talk.termination is None and done and taken + 1 >= conversation.min_turns:
        talk.termination = Termination.USER_DONE
    if talk.termination is None and taken + 1 >= conversation.max_turns:
        talk.termination = Termination.MAX_TURNS


def _end_without_words(conversation: Conversation, talk: Talk) -> None:
    """End the talk as the user wants, which has nothing more to say."""
    if len(talk.replies) >= conversation.min_turns:
        talk.termination = Termination.USER_DONE
        return
    talk.termination = Termination.USER_ERROR
    talk.problem = talk.unquoted_problem = (
        f"simulated user: it ended the conversation after {len(talk.replies)} of at "
        f"least {conversation.min_turns} turns, with nothing more to say"
    )


@dataclass(slots=True, kw_only=True)
class _Rounds:
    """The agent's turn so far: its last *reply*, its calls, and how long it took."""

    reply: Reply
    seconds: float
    calls: tuple[ToolCall, ...] = ()

    @property
    def open(self) -> bool:
        """Whether the agent waits for what its tools say."""
        return bool(self.reply.tool_calls) and self.reply.failure is None

    def fail(self, reason: ErrorReason, detail: str) -> None:
        """End the turn without an answer."""
        failure = Failure(reason=reason, detail=detail)
        self.reply = replace(self.reply, failure=failure)


async def _turn(ask: Ask, talk: Talk, message: str) -> None:
    """Put *message* to the agent, and answer its tools, until it has answered."""
    talk.turns.append(Turn(speaker=Speaker.USER, text=message))
    within = ask.case.within_seconds
    deadline = asyncio.get_running_loop().time() + within
    reply = await ask.dialogue.say(message, within_seconds=within)
    talk.spend(TokenRole.AGENT, reply.usage)
    if ask.host is None:
        _take(talk, ask, reply, reply.tool_calls)
        return
    rounds = _Rounds(reply=reply, seconds=reply.duration_seconds)
    for _ in range(MOST_ROUNDS):
        if rounds.open:
            await _round(ask, ask.host, talk, rounds, deadline)
    if rounds.open:
        detail = f"it still calls tools after {MOST_ROUNDS} rounds"
        rounds.fail(ErrorReason.NO_ANSWER, detail)
    last = replace(rounds.reply, duration_seconds=rounds.seconds)
    _take(talk, ask, last, rounds.calls)


async def _round(
    ask: Ask, host: Host, talk: Talk, rounds: _Rounds, deadline: float
) -> None:
    """Answer the tools that the agent called, and let it go on."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    called = rounds.reply.tool_calls
    try:
        async with asyncio.timeout_at(deadline):
            results = await host.answer(called)
    except TimeoutError:
        rounds.calls += called
        rounds.seconds += loop.time() - began
        within = f"{ask.case.within_seconds:g} s"
        detail = f"no answer within {within}: its tools took the time"
        rounds.fail(ErrorReason.TIMEOUT, detail)
        return
    rounds.calls += results
    rounds.seconds += loop.time() - began
    left = max(deadline - loop.time(), 0.0)
    reply = await ask.dialogue.resume(results, within_seconds=left)
    if reply.first_token_seconds is not None:
        # The user has waited since the first round.
        first = rounds.seconds + reply.first_token_seconds
        reply = replace(reply, first_token_seconds=first)
    rounds.reply = reply
    rounds.seconds += reply.duration_seconds
    talk.spend(TokenRole.AGENT, rounds.reply.usage)


def _take(talk: Talk, ask: Ask, reply: Reply, calls: tuple[ToolCall, ...]) -> None:
    """Add the agent's turn that *reply* ended; a failure ends a conversation."""
    talk.replies.append(reply)
    talk.turns.append(
        Turn(
            speaker=Speaker.AGENT,
            text=reply.answer,
            tool_calls=calls,
            duration_seconds=reply.duration_seconds,
        )
    )
    if ask.case.conversation is None:
        return
    if reply.failure is not None:
        timed_out = reply.failure.reason is ErrorReason.TIMEOUT
        talk.termination = Termination.TIMEOUT if timed_out else Termination.AGENT_ERROR
    elif reply.filtered:
        # What the provider blocks is no answer that a user could go on from.
        talk.termination = Termination.AGENT_ERROR
