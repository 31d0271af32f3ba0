"""What runs of before say of one to come."""

import statistics

from collections.abc import Mapping

from answerprobe.evidence import Costs
from answerprobe.sample import TokenRole, TokenUsage


Means = Mapping[TokenRole, tuple[float, float]]


def means(past: Costs) -> Mapping[str, Means]:
    """Return what a sample read and wrote on average, by its case's fingerprint."""
    found: dict[str, list[Mapping[TokenRole, TokenUsage]]] = {}
    for sample in past.samples:
        # One that cost nothing met an agent that was down: it tells nothing.
        if any(usage.total for usage in sample.tokens.values()):
            found.setdefault(sample.fingerprint, []).append(sample.tokens)
    return {fingerprint: _means(spent) for fingerprint, spent in found.items()}


def seconds(past: Costs, samples: int, at_once: int) -> float | None:
    """
    Return how long *samples* would take, *at_once* of them at a time.

    By the median of the past: a second look makes a single run much longer. None
    without a past.
    """
    rounds = [
        run.seconds / _rounds(run.samples, at_once) for run in past.runs if run.samples
    ]
    if not rounds:
        return None
    return statistics.median(rounds) * _rounds(samples, at_once)


def _rounds(samples: int, at_once: int) -> int:
    """Return how often *at_once* samples are asked until *samples* are."""
    return -(-samples // at_once)


def _means(spent: list[Mapping[TokenRole, TokenUsage]]) -> Means:
    """Return what was read and written on average."""
    usages = {
        role: [tokens.get(role, TokenUsage()) for tokens in spent] for role in TokenRole
    }
    return {
        role: (
            statistics.fmean(usage.input_tokens for usage in kept),
            statistics.fmean(usage.output_tokens for usage in kept),
        )
        for role, kept in usages.items()
    }
