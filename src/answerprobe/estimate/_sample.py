"""What one sample reads and writes, by role, under given assumptions."""

import json

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from answerprobe.case import Case, Conversation
from answerprobe.conversation import ATTEMPTS, MAX_TOKENS, MOST_ROUNDS, messages_for
from answerprobe.judge import FIXED_TEXT
from answerprobe.monitor import (
    JudgeSettings,
    Monitor,
    TargetProtocol,
    TargetSettings,
)
from answerprobe.sample import (
    ANSWER_TOKENS,
    MESSAGE_TOKENS,
    REQUESTS_WITH_TOOLS,
    VERDICT_TOKENS,
    TokenRole,
    estimate_tokens,
)
from answerprobe.tool import Fault, Live, Response, Success, Value


# What a model's own format puts around a message.
_FRAME_TOKENS = 16
# Of a tool's result the longest that we know nothing of: what a live one may answer.
_RESULT_BYTES = 64 * 1024
_JUDGE_RESULT_BYTES = 2 * 1024
_SUCCESS = '{"status": "success"}'

Spent = Mapping[TokenRole, tuple[float, float]]


def _bytes(*texts: str) -> int:
    """Return the most tokens that *texts* can be: no tokenizer splits a byte."""
    return sum(len(text.encode("utf-8", "replace")) + _FRAME_TOKENS for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """
    How long everything is, and how often it is tried.

    *tokens* are those of a text, *answer* those of a reply, *message* those of what a
    simulated user writes, *verdict* those of a judge's reply.
    """

    tokens: Callable[..., int]
    answer: int
    message: int
    requests: int
    result: Callable[[Response], int]
    verdict: int
    judge_attempts: int
    user_attempts: int


def typical(monitor: Monitor, judge: JudgeSettings | None) -> Assumed:
    """Return what can be expected of *monitor*."""
    target = monitor.target
    return Assumed(
        tokens=estimate_tokens,
        answer=min(target.max_tokens or ANSWER_TOKENS, ANSWER_TOKENS),
        message=MESSAGE_TOKENS,
        requests=REQUESTS_WITH_TOOLS if target.tools else 1,
        result=lambda response: estimate_tokens(_text(response) or ""),
        verdict=VERDICT_TOKENS,
        judge_attempts=judge.votes if judge else 0,
        user_attempts=1,
    )


def worst(monitor: Monitor, judge: JudgeSettings | None) -> Assumed | None:
    """Return the most that *monitor* can take; None where nothing bounds it."""
    target = monitor.target
    if target.protocol is not TargetProtocol.OPENAI or target.max_tokens is None:
        return None
    return Assumed(
        tokens=_bytes,
        answer=target.max_tokens,
        message=MAX_TOKENS,
        requests=MOST_ROUNDS + 1 if target.tools else 1,
        result=_longest_result,
        verdict=judge.max_tokens if judge else 0,
        judge_attempts=judge.votes * judge.attempts if judge else 0,
        user_attempts=ATTEMPTS,
    )


def spent(case: Case, target: TargetSettings, assumed: Assumed) -> Spent:
    """Return what one sample of *case* reads and writes by *assumed*."""
    return {
        TokenRole.AGENT: _agent(case, target, assumed),
        TokenRole.JUDGE: _judge(case, target, assumed),
        TokenRole.SIMULATED_USER: _user(case.conversation, assumed)
        if case.conversation
        else (0, 0),
    }


def _agent(case: Case, target: TargetSettings, assumed: Assumed) -> tuple[int, int]:
    """Return what the agent reads and writes: all that was said, at each request."""
    offers = (tool.offer for tool in target.tools)
    fixed = assumed.tokens(target.system_prompt or "", *offers)
    results = sum(map(assumed.result, _responses(case, target)))
    said = read = 0
    for _ in range(case.turns):
        said += _message(case, assumed)
        for request in range(assumed.requests):
            read += fixed + said
            called = request + 1 < assumed.requests
            said += assumed.answer + (results if called else 0)
    requests = case.turns * assumed.requests
    return read, requests * assumed.answer


def _judge(case: Case, target: TargetSettings, assumed: Assumed) -> tuple[int, int]:
    """Return what the judge reads and writes, for each criterion and vote."""
    said = case.turns * (_message(case, assumed) + assumed.requests * assumed.answer)
    results = map(assumed.result, _responses(case, target))
    shown = sum(min(result, _JUDGE_RESULT_BYTES) for result in results)
    seen = said + case.turns * (assumed.requests - 1) * shown
    read = sum(
        assumed.tokens(FIXED_TEXT, *rubric.texts) + seen for _, rubric in case.rubrics
    )
    times = assumed.judge_attempts
    return times * read, times * len(case.rubrics) * assumed.verdict


def _user(conversation: Conversation, assumed: Assumed) -> tuple[int, int]:
    """Return what the simulated user reads and writes."""
    prompt = (str(m["content"]) for m in messages_for(conversation, ()))
    fixed = assumed.tokens(*prompt)
    messages = range(1 if conversation.opening else 0, conversation.max_turns)
    a_turn = assumed.message + assumed.answer
    read = sum(fixed + turn * a_turn for turn in messages)
    times = assumed.user_attempts
    return times * read, times * len(messages) * assumed.message


def _message(case: Case, assumed: Assumed) -> int:
    """Return how long a message to the agent is."""
    return assumed.message if case.ask is None else assumed.tokens(case.ask)


def _responses(case: Case, target: TargetSettings) -> list[Response]:
    """Return what each tool that the agent is offered answers in *case*."""
    return [case.actions.get(tool.name, tool.respond) for tool in target.tools]


def _text(response: Response) -> str | None:
    """Return the text of *response*; None where it is not known beforehand."""
    match response:
        case Value(value=str() as text) | Fault(text=text):
            return text
        case Value(value=value):
            return json.dumps(value)
        case Success():
            return _SUCCESS
        case Live():
            return None


def _longest_result(response: Response) -> int:
    """Return the most tokens that *response* is."""
    text = _text(response)
    return _RESULT_BYTES if text is None else _bytes(text)
