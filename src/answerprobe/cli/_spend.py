"""What an experiment will take, told before it starts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from answerprobe.case import Case, Quorum
from answerprobe.comparison import Setup
from answerprobe.config import Config, tokens_a_run
from answerprobe.monitor import Monitor, Price
from answerprobe.run import SampleResult
from answerprobe.sample import TokenRole


class _Tokens(NamedTuple):
    """About how many tokens."""

    input: float = 0.0
    output: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """
    About what an experiment takes.

    *calls* are messages to the agent: where a case is a conversation, *at most* so
    many. *dollars* is None where no price is set; *unpriced* are left out of it.
    *from_past* tells whether past runs said so, and not the texts alone.
    """

    calls: int
    at_most: bool
    tokens: Mapping[TokenRole, int]
    dollars: float | None
    unpriced: tuple[TokenRole, ...]
    from_past: bool

    @property
    def total_tokens(self) -> int:
        """All roles together."""
        return sum(self.tokens.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How often each setup is still to be asked each case."""

    samples: int
    asked: Mapping[tuple[Setup, str], int]

    def of(self, setup: Setup, case: Case) -> int:
        """Return how often *setup* is still to be asked *case*."""
        return self.samples - self.asked.get((setup, case.id), 0)


def estimate(
    config: Config,
    monitors: Mapping[Setup, Monitor],
    left: Left,
    recent: Mapping[str, Sequence[SampleResult]],
    prices: Mapping[TokenRole, Price],
) -> Spend:
    """Return about what is still to be spent, by *recent* samples where there are."""
    reads: Counter[TokenRole] = Counter()
    writes: Counter[TokenRole] = Counter()
    calls, cases = 0, monitors[Setup.CURRENT].cases
    for setup, monitor in monitors.items():
        for case in cases:
            times = left.of(setup, case)
            calls += times * case.turns
            for role, a_sample in _a_sample(config, monitor, case, recent).items():
                reads[role] += round(times * a_sample.input)
                writes[role] += round(times * a_sample.output)
    roles = [role for role in TokenRole if reads[role] + writes[role]]
    priced = [role for role in roles if role in prices]
    return Spend(
        calls=calls,
        at_most=any(case.conversation for case in cases),
        tokens={role: reads[role] + writes[role] for role in roles},
        dollars=sum(
            prices[role].cost_dollars(reads[role], writes[role]) for role in priced
        )
        if priced
        else None,
        unpriced=tuple(role for role in roles if role not in prices),
        from_past=any(_spent(recent.get(case.id, ())) for case in cases),
    )


def _a_sample(
    config: Config,
    monitor: Monitor,
    case: Case,
    recent: Mapping[str, Sequence[SampleResult]],
) -> Mapping[TokenRole, _Tokens]:
    """Return about what one sample of *case* takes."""
    past = _spent(recent.get(case.id, ()))
    if not past:
        return _by_text(config, monitor, case)
    return {
        role: _Tokens(
            sum(s.tokens[role].input_tokens for s in past if role in s.tokens)
            / len(past),
            sum(s.tokens[role].output_tokens for s in past if role in s.tokens)
            / len(past),
        )
        for role in TokenRole
    }


def _spent(samples: Sequence[SampleResult]) -> Sequence[SampleResult]:
    """Return those of *samples* that cost something; a failure tells nothing."""
    return [
        sample
        for sample in samples
        if any(usage.total for usage in sample.tokens.values())
    ]


def _by_text(
    config: Config, monitor: Monitor, case: Case
) -> Mapping[TokenRole, _Tokens]:
    """Return what the texts of *case* and of *monitor* let expect of one sample."""
    once = replace(case, bar=Quorum(samples=1, pass_at_least=1))
    judge = config.judges.get(monitor.judge)
    alone = replace(monitor, cases=(once,))
    return {
        role: _Tokens(usage.input_tokens, usage.output_tokens)
        for role, usage in tokens_a_run(alone, judge.votes if judge else 1).items()
    }
