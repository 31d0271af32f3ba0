"""About how many tokens a run takes, by who spends them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from answerprobe.case import Case, Conversation
from answerprobe.monitor import Monitor, TargetProtocol, TargetSettings
from answerprobe.sample import (
    ANSWER_TOKENS,
    MESSAGE_TOKENS,
    REQUESTS_WITH_TOOLS,
    VERDICT_TOKENS,
    TokenRole,
    TokenUsage,
    estimate_tokens,
)


# The instructions of a judge are about a page, those of a simulated user half of it.
JUDGE_PROMPT_TOKENS = 400
USER_PROMPT_TOKENS = 200
_HISTORY = "{{history}}"


def tokens_a_run(monitor: Monitor, votes: int) -> Mapping[TokenRole, TokenUsage]:
    """
    Return about what one run of *monitor* takes, its judge voting so often.

    As if every rule passed, so that the judge is always asked, and every conversation
    had all of its turns.
    """
    answer = min(monitor.target.max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)
    spent = {role: [0, 0] for role in TokenRole}
    for case in monitor.cases:
        said = _Said.of(case, answer)
        times = case.samples
        _add(spent[TokenRole.AGENT], times, _agent(monitor.target, said))
        _add(spent[TokenRole.JUDGE], times * votes, _judge(case, said))
        if case.conversation:
            _add(spent[TokenRole.SIMULATED_USER], times, _user(case.conversation, said))
    return {
        role: TokenUsage(input_tokens=read, output_tokens=written, estimated=True)
        for role, (read, written) in spent.items()
    }


def _add(spent: list[int], times: int, once: tuple[int, int]) -> None:
    """Add what is read and written *once* to *spent*, so many *times*."""
    spent[0] += times * once[0]
    spent[1] += times * once[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What is said in one sample: so many turns of a message and an answer."""

    turns: int
    message_tokens: int
    answer_tokens: int

    @classmethod
    def of(cls, case: Case, answer_tokens: int) -> Self:
        """Return what is said in *case* at most."""
        message = MESSAGE_TOKENS if case.ask is None else estimate_tokens(case.ask)
        return cls(
            turns=case.turns, message_tokens=message, answer_tokens=answer_tokens
        )

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.turns * (self.message_tokens + self.answer_tokens)

    @property
    def tokens_before(self) -> int:
        """What was said before each of the turns, summed up over them."""
        a_turn = self.message_tokens + self.answer_tokens
        return self.turns * (self.turns - 1) // 2 * a_turn


def _agent(target: TargetSettings, said: _Said) -> tuple[int, int]:
    """Return about what an agent reads and writes in one sample."""
    fixed = estimate_tokens(
        target.system_prompt or "", *(tool.offer for tool in target.tools)
    )
    before = said.tokens_before if _is_told_again(target) else 0
    read = said.turns * (fixed + said.message_tokens) + before
    requests = REQUESTS_WITH_TOOLS if target.tools else 1
    return requests * read, said.turns * said.answer_tokens


def _is_told_again(target: TargetSettings) -> bool:
    """Whether each message comes with all that was said before."""
    if target.protocol is TargetProtocol.OPENAI:
        return True
    return target.request.history is not None or stands_in(
        target.request.body, _HISTORY
    )


def stands_in(body: object, place: str) -> bool:
    """Whether the text *place* is a value in *body*."""
    if isinstance(body, Mapping):
        return any(stands_in(value, place) for value in body.values())
    if isinstance(body, Sequence) and not isinstance(body, str):
        return any(stands_in(value, place) for value in body)
    return body == place


def _judge(case: Case, said: _Said) -> tuple[int, int]:
    """Return about what one verdict on each judged criterion of *case* takes."""
    fixed = JUDGE_PROMPT_TOKENS + said.tokens
    read = sum(fixed + estimate_tokens(*rubric.texts) for _, rubric in case.rubrics)
    return read, len(case.rubrics) * VERDICT_TOKENS


def _user(conversation: Conversation, said: _Said) -> tuple[int, int]:
    """Return about what a simulated user reads and writes in one *conversation*."""
    messages = said.turns - (1 if conversation.opening else 0)
    role = estimate_tokens(conversation.persona, conversation.goal)
    read = messages * (USER_PROMPT_TOKENS + role) + said.tokens_before
    return read, messages * said.message_tokens
