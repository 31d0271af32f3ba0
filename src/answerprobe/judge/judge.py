"""One judge: asks a model whether an answer meets a rubric, and survives its faults."""

import asyncio

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from answerprobe.case import Rubric
from answerprobe.errors import LlmError, LlmFault, NoVerdict
from answerprobe.judge._base import (
    Ambient,
    Judgement,
    JudgeObserver,
    JudgeOutcome,
)
from answerprobe.judge.parse import Vote, parse_vote, reason_line
from answerprobe.judge.prompt import (
    PROMPT_VERSION,
    RESPONSE_FORMAT,
    Brief,
    write_brief,
)
from answerprobe.llm import Completion, Llm
from answerprobe.monitor import JudgeSettings
from answerprobe.run import GradedBy
from answerprobe.sample import Sample, TokenUsage
from answerprobe.verdict import Outcome, Verdict


_FIRST_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 8.0
_CUT = frozenset({"length", "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ballot:
    """
    One vote: PASS, FAIL or NOT_JUDGED, and what it cost.

    *unquoted* is the reason without words of the judge or a server, who may quote.
    """

    outcome: Outcome
    reason: str
    unquoted: str
    usage: TokenUsage
    graded_by: GradedBy | None = None


@dataclass(slots=True, kw_only=True)
class _Tally:
    """The votes on one answer so far, of at most *votes*."""

    votes: int
    ballots: list[_Ballot] = field(default_factory=list)

    @property
    def count(self) -> Counter[Outcome]:
        """How many votes of each kind came."""
        return Counter(ballot.outcome for ballot in self.ballots)

    @property
    def majority(self) -> Outcome | None:
        """What more than half of all votes say, if they do."""
        for outcome in (Outcome.PASS, Outcome.FAIL):
            if 2 * self.count[outcome] > self.votes:
                return outcome
        return None

    @property
    def decided(self) -> bool:
        """Whether further votes could change nothing."""
        left = self.votes - len(self.ballots)
        best = max(self.count[Outcome.PASS], self.count[Outcome.FAIL])
        return self.majority is not None or 2 * (best + left) <= self.votes

    @property
    def disagrees(self) -> bool:
        """Whether some votes say pass and some fail."""
        return bool(self.count[Outcome.PASS] and self.count[Outcome.FAIL])

    @property
    def usage(self) -> TokenUsage:
        """What all votes cost."""
        return sum((ballot.usage for ballot in self.ballots), TokenUsage())


class Judge:
    """
    A grading model with its settings.

    *slots* bounds the requests under way at once, of all judges together. *scrub* takes
    our secrets out of what is sent and shown.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        *,
        slots: asyncio.Semaphore,
        observer: JudgeObserver,
        scrub: Callable[[str], str],
        ambient: Ambient | None = None,
    ) -> None:
        self._settings = settings
        self._slots = slots
        self._observer = observer
        self._scrub = scrub
        self._ambient = ambient or Ambient()
        self._llm = Llm(
            settings.connection, settings.model, scrub=scrub, now=self._ambient.now
        )

    @property
    def settings(self) -> JudgeSettings:
        """How it is configured."""
        return self._settings

    @property
    def prompt_version(self) -> str:
        """What stands for the wording of the prompt: 12 hexadecimal digits."""
        return PROMPT_VERSION

    async def grade(
        self, rubric: Rubric, label: str, sample: Sample, *, votes: int | None = None
    ) -> Judgement:
        """
        Return whether *sample* meets *rubric*, as the criterion *label*.

        Whatever goes wrong is a verdict NOT_JUDGED with its reason, never an exception.
        *votes*, an odd number, overrides the configured one.
        """
        brief = write_brief(rubric, sample, self._scrub)
        tally = _Tally(votes=votes or self._settings.votes)
        while not tally.decided:
            tally.ballots.append(await self._vote(brief))
        if tally.disagrees:
            self._observer.disagreed(self._settings.name)
        return _judgement(label, tally)

    async def _vote(self, brief: Brief) -> _Ballot:
        """Ask until there is a verdict or no use in asking."""
        spent = TokenUsage()
        attempt = 0
        while True:
            attempt += 1
            try:
                ballot = await self._request(brief)
            except LlmError as exc:
                spent += _cost(exc)
                wait_seconds = self._wait_seconds(exc, attempt)
                if wait_seconds is None:
                    return self._lost(exc, attempt, spent)
                await self._ambient.sleep(wait_seconds)
            else:
                return replace(ballot, usage=spent + ballot.usage)

    async def _request(self, brief: Brief) -> _Ballot:
        """Ask once, in a slot, and tell the observer how that ended."""
        name = self._settings.name
        async with self._slots:
            started = self._ambient.monotonic()
            try:
                completion, vote = await self._ask(brief)
            except LlmError as exc:
                seconds = self._ambient.monotonic() - started
                outcome = JudgeOutcome(exc.fault.value)
                self._observer.requested(name, outcome, seconds)
                raise
            seconds = self._ambient.monotonic() - started
        ballot = self._ballot(completion, vote)
        self._observer.requested(name, JudgeOutcome(ballot.outcome.value), seconds)
        if ballot.graded_by is not None:
            self._observer.graded_by(name, ballot.graded_by)
        return ballot

    async def _ask(self, brief: Brief) -> tuple[Completion, Vote]:
        """Ask once; what is no verdict is an LlmError."""
        completion = await self._llm.complete(
            brief.messages(self._ambient.boundary()),
            max_tokens=self._settings.max_tokens,
            temperature=0.0,
            response_format=RESPONSE_FORMAT,
            timeout_seconds=self._settings.timeout_seconds,
        )
        return completion, _read(completion, brief.shown)

    def _ballot(self, completion: Completion, vote: Vote) -> _Ballot:
        """Return what the judge said, fit to be kept and shown."""
        outcome = Outcome.PASS if vote.passes else Outcome.FAIL
        model = self._scrub(completion.model or self._settings.model)
        return _Ballot(
            outcome=outcome,
            reason=reason_line(self._scrub(vote.reason)),
            unquoted=f"the judge says {outcome.value}",
            usage=completion.usage,
            graded_by=GradedBy(model=model, prompt_version=PROMPT_VERSION),
        )

    def _wait_seconds(self, exc: LlmError, attempt: int) -> float | None:
        """Return how long to wait before asking again; None where that is no use."""
        asked_to_wait = exc.retry_after_seconds or 0.0
        if (
            exc.permanent
            or attempt >= self._settings.attempts
            or asked_to_wait > self._settings.timeout_seconds
        ):
            return None
        backoff = min(
            _FIRST_BACKOFF_SECONDS * 2.0 ** (attempt - 1), _LONGEST_BACKOFF_SECONDS
        )
        # Jitter only adds to what the server asked for, and spreads what we chose.
        return max(asked_to_wait, backoff / 2) + backoff / 2 * self._ambient.jitter()

    def _lost(self, exc: LlmError, attempts: int, spent: TokenUsage) -> _Ballot:
        """Return the vote that could not be had."""
        tried = f" ({attempts} attempts)" if attempts > 1 else ""
        waits = exc.retry_after_seconds or 0.0
        if not exc.permanent and waits > self._settings.timeout_seconds:
            tried = f", which asks to wait {waits:.0f} s"
        return _Ballot(
            outcome=Outcome.NOT_JUDGED,
            reason=f"judge {self._settings.name}: {exc}{tried}",
            unquoted=f"judge {self._settings.name}: {exc.fault.value}{tried}",
            usage=spent,
        )

    async def close(self) -> None:
        """Close its connections; requests under way fail."""
        await self._llm.close()


def _judgement(label: str, tally: _Tally) -> Judgement:
    """Return what the votes come to."""
    outcome = tally.majority or Outcome.NOT_JUDGED
    told = next(b for b in reversed(tally.ballots) if b.outcome is outcome)
    before, after = _counted(tally)
    return Judgement(
        verdict=Verdict(
            criterion=label,
            outcome=outcome,
            reason=f"{before}{told.reason}{after}",
            unquoted=f"{before}{told.unquoted}{after}",
        ),
        graded_by=told.graded_by,
        usage=tally.usage,
    )


def _counted(tally: _Tally) -> tuple[str, str]:
    """Return what stands before and after the reason where several votes were asked."""
    if tally.votes == 1:
        return "", ""
    if tally.majority is not None:
        given = len(tally.ballots)
        return "", f" ({tally.count[tally.majority]} of {given} votes)"
    passes, fails = tally.count[Outcome.PASS], tally.count[Outcome.FAIL]
    return f"no majority of {tally.votes} votes: {passes} pass, {fails} fail; ", ""


def _read(completion: Completion, shown: Sequence[str]) -> Vote:
    """Return the verdict in *completion*, or raise an LlmError for what it is not."""
    if completion.refusal is not None or completion.finish_reason == "content_filter":
        raise _unusable(completion, LlmFault.REFUSED, "the judge refused to judge")
    if completion.finish_reason in _CUT:
        message = "the judge's reply was cut, max_tokens is too low for it"
        raise _unusable(completion, LlmFault.TRUNCATED, message)
    try:
        return parse_vote(completion.text, shown)
    except NoVerdict as exc:
        raise _unusable(completion, LlmFault.INVALID, str(exc)) from exc


def _unusable(completion: Completion, fault: LlmFault, message: str) -> LlmError:
    """Return the error for a reply that is no verdict; only prose is asked again."""
    return LlmError(
        fault,
        message,
        permanent=fault is not LlmFault.INVALID,
        input_tokens=completion.usage.input_tokens,
        output_tokens=completion.usage.output_tokens,
        estimated=completion.usage.estimated,
    )


def _cost(exc: LlmError) -> TokenUsage:
    """Return what a request that failed has cost."""
    return TokenUsage(
        input_tokens=exc.input_tokens,
        output_tokens=exc.output_tokens,
        estimated=exc.estimated,
    )
