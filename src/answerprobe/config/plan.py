"""What a configuration will ask for in a month: samples and, roughly, tokens."""

import json

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from answerprobe.case import Case, Conversation
from answerprobe.config.settings import Config
from answerprobe.monitor import Monitor, TargetProtocol, TargetSettings
from answerprobe.sample import estimate_tokens
from answerprobe.tool import Tool


MONTH_SECONDS = 30 * 86400.0
# What nobody can know beforehand: the answer of a support agent is some hundred words,
# what its users write a sentence or two, a verdict one, and the instructions of a judge
# are about a page, those of a simulated user half of it.
ANSWER_TOKENS = 150
MESSAGE_TOKENS = 40
VERDICT_TOKENS = 60
JUDGE_PROMPT_TOKENS = 400
USER_PROMPT_TOKENS = 200
# An agent with tools calls one of them for most questions, and is asked anew.
_REQUESTS_WITH_TOOLS = 2
_HISTORY = "{{history}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPlan:
    """
    What one monitor will ask for.

    *samples_a_month*, *agent_tokens_a_month*, *judge_tokens_a_month* and
    *user_tokens_a_month* (of the simulated user) are of 30 days of scheduled runs, None
    where *interval_seconds* is None: it runs on demand only. Tokens are estimated as if
    every rule passed, so that the judge is always asked, and every conversation had all
    of its turns.
    """

    monitor: str
    interval_seconds: float | None
    samples_a_run: int
    agent_tokens_a_run: int
    judge_tokens_a_run: int
    token_budget: int | None
    user_tokens_a_run: int = 0

    @property
    def tokens_a_run(self) -> int:
        """About how many tokens all of them will read and write in one run."""
        judged = self.agent_tokens_a_run + self.judge_tokens_a_run
        return judged + self.user_tokens_a_run

    @property
    def runs_a_month(self) -> float | None:
        """How many scheduled runs there are in 30 days."""
        return MONTH_SECONDS / self.interval_seconds if self.interval_seconds else None

    @property
    def samples_a_month(self) -> int | None:
        """How many samples that is."""
        return self._a_month(self.samples_a_run)

    @property
    def agent_tokens_a_month(self) -> int | None:
        """About how many tokens the agent will read and write."""
        return self._a_month(self.agent_tokens_a_run)

    @property
    def judge_tokens_a_month(self) -> int | None:
        """About how many tokens the judge will read and write."""
        return self._a_month(self.judge_tokens_a_run)

    @property
    def user_tokens_a_month(self) -> int | None:
        """About how many tokens the simulated user will read and write."""
        return self._a_month(self.user_tokens_a_run)

    @property
    def tokens_a_month(self) -> int | None:
        """About how many tokens all of them will read and write."""
        return self._a_month(self.tokens_a_run)

    def _a_month(self, a_run: int) -> int | None:
        """Return *a_run* for all scheduled runs of 30 days."""
        runs = self.runs_a_month
        return None if runs is None else round(a_run * runs)


def plan(config: Config) -> tuple[MonitorPlan, ...]:
    """Return what each monitor of *config* that runs will ask for, in their order."""
    return tuple(
        _plan(monitor, _votes(monitor, config))
        for monitor in config.monitors
        if monitor.cases
    )


def _plan(monitor: Monitor, votes: int) -> MonitorPlan:
    """Return what *monitor* will ask for, its judge voting so often."""
    answer = min(monitor.target.max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)
    agent = judge = user = 0
    for case in monitor.cases:
        samples = case.samples
        said = _Said.of(case, answer)
        agent += samples * _agent_tokens(monitor.target, said)
        judge += samples * votes * _judge_tokens(case, said)
        if case.conversation:
            user += samples * _user_tokens(case.conversation, said)
    return MonitorPlan(
        monitor=monitor.name,
        interval_seconds=monitor.every_seconds,
        samples_a_run=monitor.samples,
        agent_tokens_a_run=agent,
        judge_tokens_a_run=judge,
        token_budget=monitor.token_budget,
        user_tokens_a_run=user,
    )


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


def _agent_tokens(target: TargetSettings, said: _Said) -> int:
    """Return about what an agent reads and writes in one sample."""
    fixed = estimate_tokens(target.system_prompt or "", *map(_offer, target.tools))
    before = said.tokens_before if _is_told_again(target) else 0
    read = said.turns * (fixed + said.message_tokens) + before
    requests = _REQUESTS_WITH_TOOLS if target.tools else 1
    return requests * read + said.turns * said.answer_tokens


def _offer(tool: Tool) -> str:
    """Return about what an agent has to read of *tool*."""
    return tool.name + tool.description + json.dumps(tool.parameters or {})


def _is_told_again(target: TargetSettings) -> bool:
    """Whether each message comes with all that was said before."""
    if target.protocol is TargetProtocol.OPENAI:
        return True
    return target.request.history is not None or _has_history(target.request.body)


def _has_history(body: object) -> bool:
    """Whether the history has a place in *body*."""
    if isinstance(body, Mapping):
        return any(map(_has_history, body.values()))
    if isinstance(body, Sequence) and not isinstance(body, str):
        return any(map(_has_history, body))
    return body == _HISTORY


def _judge_tokens(case: Case, said: _Said) -> int:
    """Return about what one verdict on each judged criterion of *case* takes."""
    fixed = JUDGE_PROMPT_TOKENS + said.tokens + VERDICT_TOKENS
    return sum(fixed + estimate_tokens(*rubric.texts) for _, rubric in case.rubrics)


def _user_tokens(conversation: Conversation, said: _Said) -> int:
    """Return about what a simulated user reads and writes in one *conversation*."""
    messages = said.turns - (1 if conversation.opening else 0)
    role = estimate_tokens(conversation.persona, conversation.goal)
    fixed = USER_PROMPT_TOKENS + role + said.message_tokens
    return messages * fixed + said.tokens_before


def _votes(monitor: Monitor, config: Config) -> int:
    """Return how many verdicts are asked for at once."""
    judge = config.judges.get(monitor.judge)
    return judge.votes if judge else 1
