"""Samples of one question, for tests of rules."""

from answerprobe.rules import ParsedRule
from answerprobe.sample import Reply, Sample, asked_once
from answerprobe.verdict import Outcome


def said(answer: str, *, duration_seconds: float = 1.0) -> Sample:
    """Return the sample of an agent that said *answer*."""
    reply = Reply(answer=answer, duration_seconds=duration_seconds)
    return asked_once("How long is it?", reply)


def outcome(rule: ParsedRule, answer: str) -> Outcome:
    """Return how *rule* grades *answer*."""
    return rule.check(said(answer)).outcome
