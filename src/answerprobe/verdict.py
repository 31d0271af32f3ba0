"""What a criterion says of a sample."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a sample, or one criterion of it, ended. A closed set: a metric's label."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    One criterion's outcome and the reason, for a person; passes have one too.

    *unquoted* is the reason without words of the answer, where *reason* has some: for
    monitors that keep no answer text.
    """

    criterion: str
    outcome: Outcome
    reason: str
    unquoted: str | None = None
