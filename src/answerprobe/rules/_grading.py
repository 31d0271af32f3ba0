"""Grading a sample by all the rules of its case."""

from collections.abc import Mapping, Sequence

from answerprobe.rules._base import Rule
from answerprobe.rules._turns import replies_of
from answerprobe.rules.in_turns import InTurns
from answerprobe.rules.json_schema import JsonSchema
from answerprobe.rules.regex import NotRegex, Regex
from answerprobe.rules.tools import (
    DoesNotInvokeTool,
    ExpectedActions,
    InvokesTool,
    ToolParametersContain,
)
from answerprobe.sample import Sample
from answerprobe.verdict import Verdict


def check_all(rules: Sequence[tuple[str, Rule]], sample: Sample) -> tuple[Verdict, ...]:
    """Return the verdict of each of *rules*, told apart by the label before it."""
    return tuple(_labelled(label, rule.check(sample)) for label, rule in rules)


def _labelled(label: str, verdict: Verdict) -> Verdict:
    """Return *verdict* under *label*."""
    if verdict.criterion == label:
        return verdict
    return Verdict(
        criterion=label,
        outcome=verdict.outcome,
        reason=verdict.reason,
        unquoted=verdict.unquoted,
    )


# The event loop is not held longer by grading: other samples' times are measured on it.
_LOOP_HELD_NANOSECONDS = 5_000_000
# What a rule costs for each character of an answer made to be slow, at most; measured
# on answers of 200 to 8,000 characters. Ordinary ones cost a hundredth of it.
_NANOSECONDS_PER_CHARACTER: Mapping[str, int] = {
    "answered": 20,
    "has_citation": 1_500,
    "max_words": 20,
    "no_pii": 10_000,
    "no_refusal": 5_000,
    "responds_within": 20,
}
_NANOSECONDS_OTHERWISE = 600
_NANOSECONDS_PER_CALL = 20_000
_ABOUT_TOOLS = (DoesNotInvokeTool, ExpectedActions, InvokesTool, ToolParametersContain)


def costly(rules: Sequence[tuple[str, Rule]], sample: Sample) -> bool:
    """
    Whether `check_all` may take longer than the event loop can be held.

    A thread costs about 100 µs, so most samples are better graded where they are.
    """
    total = 0
    for _, rule in rules:
        nanoseconds = _nanoseconds(rule, sample)
        if nanoseconds is None:
            return True
        total += nanoseconds
    return total > _LOOP_HELD_NANOSECONDS


def _nanoseconds(rule: Rule, sample: Sample) -> int | None:
    """Return what *rule* costs for *sample* at most; None where there is no bound."""
    if isinstance(rule, ToolParametersContain) and rule.has_arrays:
        return None
    everywhere = isinstance(rule, _ABOUT_TOOLS)
    calls = len(sample.tool_calls) if everywhere else 0
    if isinstance(rule, InTurns):
        everywhere = rule.wanted is not None
        rule = rule.rule
    answers = replies_of(sample) if everywhere else (sample.reply,)
    cost = _nanoseconds_per_character(rule)
    if cost is None:
        return None
    characters = sum(len(reply.answer) for reply in answers)
    return cost * characters + _NANOSECONDS_PER_CALL * calls


def _nanoseconds_per_character(rule: Rule) -> int | None:
    """Return what *rule* costs at most; None where there is no bound."""
    if isinstance(rule, Regex | NotRegex):
        return rule.pattern.nanoseconds_per_character
    if isinstance(rule, JsonSchema):
        return rule.schema.nanoseconds_per_character
    return _NANOSECONDS_PER_CHARACTER.get(rule.criterion, _NANOSECONDS_OTHERWISE)
