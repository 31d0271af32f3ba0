"""What a judge gives, and what it needs from outside."""

import asyncio
import random
import secrets
import time

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Protocol

from answerprobe.run import GradedBy
from answerprobe.sample import TokenUsage
from answerprobe.verdict import Verdict


class JudgeOutcome(StrEnum):
    """How one request to a judge ended. A closed set: a metric's label."""

    PASS = "pass"
    FAIL = "fail"
    UNREACHABLE = "unreachable"
    INVALID = "invalid"
    REFUSED = "refused"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """
    A verdict and what it cost, all attempts and votes together.

    *graded_by* is None where nothing usable was said.
    """

    verdict: Verdict
    graded_by: GradedBy | None
    usage: TokenUsage


class JudgeObserver(Protocol):
    """Who wants to know how judges fare."""

    def requested(self, judge: str, outcome: JudgeOutcome, seconds: float) -> None:
        """One request to *judge* ended like this after *seconds*."""
        ...

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """*judge* gave a usable verdict, as this model and with this prompt."""
        ...

    def disagreed(self, judge: str) -> None:
        """The votes on one answer were not all the same."""
        ...


class Unobserved:
    """A JudgeObserver for where nobody watches."""

    def requested(self, judge: str, outcome: JudgeOutcome, seconds: float) -> None:
        """Do nothing."""

    def graded_by(self, judge: str, graded_by: GradedBy) -> None:
        """Do nothing."""

    def disagreed(self, judge: str) -> None:
        """Do nothing."""


def _utc_now() -> datetime:
    """Return the present instant."""
    return datetime.now(UTC)


def _fresh_boundary() -> str:
    """Return 128 bits that nobody can guess, as text."""
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambient:
    """Time and chance as a judge meets them; *jitter* is between 0 and 1."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _utc_now
    jitter: Callable[[], float] = random.random
    boundary: Callable[[], str] = _fresh_boundary
