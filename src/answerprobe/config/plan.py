"""What a configuration will ask for in a month: samples and, roughly, tokens."""

from dataclasses import dataclass

from answerprobe.case import Case
from answerprobe.config.settings import Config
from answerprobe.monitor import Monitor
from answerprobe.sample import estimate_tokens


MONTH_SECONDS = 30 * 86400.0
# What nobody can know beforehand: the answer of a support agent is some hundred words,
# a verdict is one sentence, and the judge's instructions are about a page.
ANSWER_TOKENS = 150
VERDICT_TOKENS = 60
JUDGE_PROMPT_TOKENS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorPlan:
    """
    What one monitor will ask for.

    *samples_a_month*, *agent_tokens_a_month* and *judge_tokens_a_month* are of 30 days
    of scheduled runs, None where *interval_seconds* is None: it runs on demand only.
    Tokens are estimated as if every rule passed, so that the judge is always asked.
    """

    monitor: str
    interval_seconds: float | None
    samples_a_run: int
    agent_tokens_a_run: int
    judge_tokens_a_run: int
    token_budget: int | None

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
    def tokens_a_month(self) -> int | None:
        """About how many tokens all of them will read and write."""
        return self._a_month(self.agent_tokens_a_run + self.judge_tokens_a_run)

    def _a_month(self, a_run: int) -> int | None:
        """Return *a_run* for all scheduled runs of 30 days."""
        runs = self.runs_a_month
        return None if runs is None else round(a_run * runs)


def plan(config: Config) -> tuple[MonitorPlan, ...]:
    """Return what each monitor of *config* will ask for, in their order."""
    return tuple(_plan(monitor, _votes(monitor, config)) for monitor in config.monitors)


def _plan(monitor: Monitor, votes: int) -> MonitorPlan:
    """Return what *monitor* will ask for, its judge voting so often."""
    answer = min(monitor.target.max_tokens or ANSWER_TOKENS, ANSWER_TOKENS)
    prompt = estimate_tokens(monitor.target.system_prompt or "")
    agent = judge = 0
    for case in monitor.cases:
        samples = case.quorum.samples
        agent += samples * (prompt + estimate_tokens(case.ask) + answer)
        judge += samples * votes * _judge_tokens(case, answer)
    return MonitorPlan(
        monitor=monitor.name,
        interval_seconds=monitor.every_seconds,
        samples_a_run=monitor.samples,
        agent_tokens_a_run=agent,
        judge_tokens_a_run=judge,
        token_budget=monitor.token_budget,
    )


def _judge_tokens(case: Case, answer_tokens: int) -> int:
    """Return about what one verdict on each judged criterion of *case* takes."""
    fixed = JUDGE_PROMPT_TOKENS + answer_tokens + VERDICT_TOKENS
    return sum(
        fixed + estimate_tokens(case.ask, *rubric.texts) for _, rubric in case.rubrics
    )


def _votes(monitor: Monitor, config: Config) -> int:
    """Return how many verdicts are asked for at once."""
    judge = config.judges.get(monitor.judge)
    return judge.votes if judge else 1
