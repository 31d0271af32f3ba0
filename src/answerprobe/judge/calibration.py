"""Calibration: a judge grades answers whose verdict is known, as it grades others."""

import asyncio
import hashlib
import json

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple, Protocol

from answerprobe import pii
from answerprobe.calibration import Agreement, Calibration, CanaryVerdict
from answerprobe.case import Rubric
from answerprobe.judge._base import Judgement
from answerprobe.judge.canaries import built_in_canaries
from answerprobe.judge.prompt import PROMPT_VERSION
from answerprobe.monitor import Canary, JudgeSettings
from answerprobe.sample import Reply, Sample, TokenUsage, asked_once
from answerprobe.text import one_line
from answerprobe.verdict import Outcome


_LABEL = "judge"
# So many in a row without a verdict: the judge is out, and is left alone.
_MOST_LOST_IN_A_ROW = 5
_QUESTION_CHARACTERS = 200
_REASON_CHARACTERS = 400
_MODEL_CHARACTERS = 100
_MOST_MODELS = 10
# Only so much is looked through for personal data: more than is kept of it.
_LOOKED_AT_CHARACTERS = 2_000


class Candidate(Protocol):
    """What is needed of a judge that is calibrated."""

    @property
    def settings(self) -> JudgeSettings:
        """How it is configured."""
        ...

    async def grade(self, rubric: Rubric, label: str, sample: Sample) -> Judgement:
        """Return the verdict on *sample*; NOT_JUDGED where none could be had."""
        ...


class _Numbered(NamedTuple):
    """A canary and its place in the list, from 1."""

    number: int
    canary: Canary


def canaries_of(settings: JudgeSettings) -> tuple[Canary, ...]:
    """Return the canaries of a judge: its own, else the built-in ones."""
    if settings.canaries is None:
        return built_in_canaries()
    return settings.canaries


def definition_of(settings: JudgeSettings) -> str:
    """Return what changes when an earlier calibration says nothing of this judge."""
    meaning = [
        settings.connection.url.written,
        settings.model,
        settings.votes,
        PROMPT_VERSION,
        [[c.question, c.answer, c.rubric, c.passes] for c in canaries_of(settings)],
    ]
    return hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:32]


def model_name(model: str) -> str:
    """Return *model*, which is whatever an API reported, fit to be kept and shown."""
    return one_line(model, _MODEL_CHARACTERS)


async def calibrate(
    judge: Candidate,
    *,
    slots: asyncio.Semaphore,
    clock: Callable[[], datetime],
    spend: Callable[[TokenUsage], None],
    affordable: Callable[[], bool] = lambda: True,
) -> Calibration:
    """
    Let *judge* grade all its canaries, in *slots*, and return how it fared.

    Each is graded as an answer of an agent is, votes and attempts included, and told to
    *spend*. What is asked no longer, because the judge gives no verdicts or nothing is
    *affordable*, counts as not judged.
    """
    canaries = canaries_of(judge.settings)
    round_ = _Round(judge=judge, slots=slots, spend=spend, affordable=affordable)
    async with asyncio.TaskGroup() as group:
        for numbered in _mixed(canaries):
            group.create_task(round_.grade(numbered))
    return Calibration(
        judge=judge.settings.name,
        definition=definition_of(judge.settings),
        models=tuple(name for name, _ in round_.models.most_common(_MOST_MODELS)),
        prompt_version=PROMPT_VERSION,
        at=clock(),
        passes=round_.agreement(Outcome.PASS),
        fails=round_.agreement(Outcome.FAIL),
        wrong=tuple(sorted(round_.wrong, key=lambda verdict: verdict.number)),
    )


@dataclass(slots=True, kw_only=True)
class _Round:
    """One calibration as it goes on."""

    judge: Candidate
    slots: asyncio.Semaphore
    spend: Callable[[TokenUsage], None]
    affordable: Callable[[], bool]
    counts: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    wrong: list[CanaryVerdict] = field(default_factory=list)
    lost_in_a_row: int = 0

    async def grade(self, numbered: _Numbered) -> None:
        """Grade one canary, unless there is no use in it."""
        async with self.slots:
            outcome, reason = await self._outcome(numbered.canary)
        lost = outcome is Outcome.NOT_JUDGED
        self.lost_in_a_row = self.lost_in_a_row + 1 if lost else 0
        expected = _known(numbered.canary)
        self.counts[expected, outcome] += 1
        if outcome is not expected:
            self.wrong.append(_verdict(numbered, outcome, reason))

    def agreement(self, known: Outcome) -> Agreement:
        """Return how often the canaries whose verdict is *known* got it."""
        judged = [self.counts[known, said] for said in (Outcome.PASS, Outcome.FAIL)]
        return Agreement(agreed=self.counts[known, known], judged=sum(judged))

    async def _outcome(self, canary: Canary) -> tuple[Outcome, str]:
        """Return the judge's verdict on *canary* and its reason."""
        if self.lost_in_a_row >= _MOST_LOST_IN_A_ROW:
            times = f"{_MOST_LOST_IN_A_ROW} times in a row"
            return Outcome.NOT_JUDGED, f"not asked: no verdict came {times}"
        if not self.affordable():
            return Outcome.NOT_JUDGED, "not asked: the token budget is used up"
        reply = Reply(answer=canary.answer, duration_seconds=0.0)
        judgement = await self.judge.grade(
            Rubric(criterion=_LABEL, text=canary.rubric),
            _LABEL,
            asked_once(canary.question, reply),
        )
        self.spend(judgement.usage)
        if judgement.graded_by is not None:
            self.models[model_name(judgement.graded_by.model)] += 1
        return judgement.verdict.outcome, judgement.verdict.reason


def _mixed(canaries: Sequence[Canary]) -> Iterator[_Numbered]:
    """
    Yield *canaries* with those to pass and those to fail in turns.

    A provider's filter may refuse many attacks one after the other: that is no outage.
    """
    numbered = [_Numbered(number, canary) for number, canary in enumerate(canaries, 1)]
    passes = [item for item in numbered if item.canary.passes]
    fails = [item for item in numbered if not item.canary.passes]
    for pair in zip_longest(passes, fails):
        yield from (item for item in pair if item is not None)


def _known(canary: Canary) -> Outcome:
    """Return the verdict that *canary* ought to get."""
    return Outcome.PASS if canary.passes else Outcome.FAIL


def _verdict(numbered: _Numbered, outcome: Outcome, reason: str) -> CanaryVerdict:
    """Return what *numbered* got, fit to be kept and shown."""
    canary = numbered.canary
    return CanaryVerdict(
        number=numbered.number,
        question=_kept(canary.question, _QUESTION_CHARACTERS),
        answer=_kept(canary.answer, _QUESTION_CHARACTERS),
        expected=_known(canary),
        outcome=outcome,
        reason=_kept(reason, _REASON_CHARACTERS),
    )


def _kept(text: str, limit_characters: int) -> str:
    """Return the start of *text* on one line, without personal data."""
    return one_line(pii.redact(text[:_LOOKED_AT_CHARACTERS]), limit_characters)
