"""Any rule about the answer, put to all the agent's answers in a conversation."""

from dataclasses import dataclass, replace
from enum import StrEnum

from answerprobe.rules._base import Rule
from answerprobe.rules._reason import failed, passed
from answerprobe.rules._turns import replies_of
from answerprobe.sample import Sample
from answerprobe.verdict import Outcome, Verdict


# What these forbid must not be "in any answer": for them any means all, since one clean
# answer among many says nothing.
_FORBIDDING = frozenset(
    {"max_words", "no_pii", "no_refusal", "not_contains", "not_regex"}
)


class TurnChoice(StrEnum):
    """Which of the agent's answers a rule looks at."""

    ANY = "any"
    ALL = "all"
    LAST = "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurns:
    """
    *rule* holds for the chosen of the agent's answers, tool calls and times included.

    ANY: for at least one; a rule that forbids something (`not_contains`) must hold for
    all, as with ALL. LAST: for the last, as without it.
    """

    rule: Rule
    turns: TurnChoice

    @property
    def criterion(self) -> str:
        """The name of the rule in the configuration."""
        return self.rule.criterion

    @property
    def wanted(self) -> Outcome | None:
        """Which verdict on one answer decides for all; None: that on the last one."""
        match self.turns:
            case TurnChoice.LAST:
                return None
            case TurnChoice.ANY if self.criterion not in _FORBIDDING:
                return Outcome.PASS
            case TurnChoice.ANY | TurnChoice.ALL:
                return Outcome.FAIL

    def check(self, sample: Sample) -> Verdict:
        """Grade *sample*; the reason says which answer decided."""
        wanted, replies = self.wanted, replies_of(sample)
        count = len(replies)
        if wanted is None or count == 1:
            return self.rule.check(sample)
        for number, reply in enumerate(replies[:-1], 1):
            verdict = self.rule.check(replace(sample, reply=reply, replies=()))
            if verdict.outcome is wanted:
                return _prefixed(verdict, f"answer {number} of {count}: ")
        last = self.rule.check(sample)
        if last.outcome is wanted:
            return _prefixed(last, f"answer {count} of {count}: ")
        told = "none" if wanted is Outcome.PASS else "all"
        return _prefixed(last, f"{told} of {count} answers, the last: ")


def _prefixed(verdict: Verdict, prefix: str) -> Verdict:
    """Return *verdict* with *prefix* before its reason."""
    unquoted = None if verdict.unquoted is None else prefix + verdict.unquoted
    make = passed if verdict.outcome is Outcome.PASS else failed
    return make(verdict.criterion, prefix + verdict.reason, unquoted)
