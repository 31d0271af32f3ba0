"""One run of one monitor: its samples asked, graded and accounted for."""

import asyncio
import random

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from answerprobe.actions import Caller, ToolHost
from answerprobe.case import Case
from answerprobe.conversation import Ask, Talk, hold
from answerprobe.evidence import redacted
from answerprobe.ledger import Ledger, Reservation
from answerprobe.rules import ExpectedActions
from answerprobe.run import SampleResult
from answerprobe.runner._assignment import Assignment, Progress, RunObserver
from answerprobe.runner._grading import Graded, Grading
from answerprobe.runner._rule_threads import RULE_SECONDS
from answerprobe.runner._slots import Slots
from answerprobe.sample import TokenRole, TokenUsage, estimate_tokens
from answerprobe.targets import Dialogue
from answerprobe.verdict import Outcome


# What an answer is taken to cost before any came, where max_tokens doesn't bound it.
_ASSUMED_ANSWER_TOKENS = 250
# Redacting texts above this would hold up the event loop for too long.
_REDACT_IN_THREAD_CHARACTERS = 8_000
# Arguments and result of a tool call are structures: their size is guessed.
_TOOL_CALL_CHARACTERS = 3_000


class Runner:
    """Carries out runs: puts cases to targets and grades what comes back."""

    def __init__(  # noqa: PLR0913  everything with a side effect is handed in
        self,
        *,
        slots: Slots,
        per_monitor: int,
        ledger: Ledger,
        observer: RunObserver,
        scrub: Callable[[str], str],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        rng: random.Random,
        rule_seconds: float = RULE_SECONDS,
        caller: Caller | None = None,
    ) -> None:
        self._slots = slots
        self.per_monitor = per_monitor
        self._ledger = ledger
        self._observer = observer
        self._scrub = scrub
        self._clock = clock
        self._monotonic = monotonic
        self._rng = rng
        self._caller = caller
        self._grading = Grading(
            internal_error=observer.internal_error, rule_seconds=rule_seconds
        )

    async def run(self, assignment: Assignment, progress: Progress) -> None:
        """
        Ask and grade every sample of *assignment*, filling *progress*.

        It stops early, with `progress.out_of_budget` set, once the budget is used up.
        """
        plan = assignment.plan
        progress.results = [None] * len(plan)
        todo = iter(enumerate(plan))
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.per_monitor, len(plan))):
                group.create_task(self._work(assignment, todo, progress))

    async def ask(self, assignment: Assignment, case: Case) -> SampleResult | None:
        """Put *case* to the target once; None where the budget is used up."""
        reservation = await self._reserve(assignment, case)
        if reservation is None:
            return None
        return await self._sample(assignment, case, reservation, Progress())

    async def _work(
        self,
        assignment: Assignment,
        todo: Iterator[tuple[int, Case]],
        progress: Progress,
    ) -> None:
        """Do samples of *todo*, which other workers share, until none is left."""
        for position, case in todo:
            reservation = await self._reserve(assignment, case)
            if reservation is None:
                progress.out_of_budget = True
                return
            if progress.out_of_budget or progress.claim_lost:
                # What nobody settles or releases would be held for ever.
                self._ledger.release(reservation)
                return
            result = await self._sample(assignment, case, reservation, progress)
            if result is None:
                if assignment.holds():
                    progress.out_of_budget = True
                else:
                    progress.claim_lost = True
                return
            progress.results[position] = result
            progress.done += 1

    async def _reserve(self, assignment: Assignment, case: Case) -> Reservation | None:
        """Set tokens for one sample of *case* aside; None where none are left."""
        target = assignment.monitor.target
        texts = (*case.texts, target.system_prompt or "")
        rubrics = tuple(text for _, rubric in case.rubrics for text in rubric.texts)
        answer_tokens = target.max_tokens or _ASSUMED_ANSWER_TOKENS
        judged_tokens = len(case.rubrics) * (answer_tokens + estimate_tokens(*texts))
        return await self._ledger.acquire(
            assignment.monitor.name,
            limit_tokens=assignment.monitor.token_budget,
            total_limit_tokens=assignment.total_token_budget,
            estimate_tokens=estimate_tokens(*texts, *rubrics)
            + answer_tokens
            + judged_tokens,
        )

    async def _sample(
        self,
        assignment: Assignment,
        case: Case,
        reservation: Reservation,
        progress: Progress,
    ) -> SampleResult | None:
        """Put *case* to the target once; None where budget or claim ended it midway."""
        trace_id = f"{self._rng.getrandbits(128):032x}"
        traceparent = f"00-{trace_id}-{self._rng.getrandbits(64):016x}-01"
        # Has what was spent also when this is left early, such as at the daemon's end.
        talk = Talk()
        graded: Graded | None = None
        try:
            async with self._slots.take(assignment.target.host):
                # Waiting for a place may have taken longer than the claim lasts.
                if not assignment.holds():
                    return None
                started_at = self._clock()
                if progress.first_started is None:
                    progress.first_started = self._monotonic()
                async with assignment.target.dialogue(traceparent) as dialogue:
                    await hold(self._ask(assignment, case, dialogue), talk)
            if not talk.cut_short:
                graded = await self._grading.grade_talk(assignment.judge, case, talk)
        finally:
            if graded is not None and graded.judge_usage is not None:
                talk.spend(TokenRole.JUDGE, graded.judge_usage)
            self._settle(assignment, reservation, talk.tokens)
        if graded is None:
            return None
        result = _result(case, talk, graded, started_at=started_at, trace_id=trace_id)
        return await self._redacted(assignment, result)

    def _ask(self, assignment: Assignment, case: Case, dialogue: Dialogue) -> Ask:
        """Return what is to be talked about in one sample of *case*."""
        monitor = assignment.monitor
        tools = monitor.target.tools
        limits = {
            "limit_tokens": monitor.token_budget,
            "total_limit_tokens": assignment.total_token_budget,
        }
        return Ask(
            case=case,
            dialogue=dialogue,
            host=ToolHost(tools, case.actions, caller=self._caller) if tools else None,
            user=assignment.user,
            may_go_on=lambda spent: (
                not self._ledger.exhausted(monitor.name, **limits, further_tokens=spent)
            ),
        )

    async def _redacted(
        self, assignment: Assignment, result: SampleResult
    ) -> SampleResult:
        """Return *result* without personal data and secrets, its texts cut."""
        answers = assignment.monitor.answers
        if _characters(result) > _REDACT_IN_THREAD_CHARACTERS:
            return await asyncio.to_thread(
                redacted, result, scrub=self._scrub, answers=answers
            )
        return redacted(result, scrub=self._scrub, answers=answers)

    def _settle(
        self,
        assignment: Assignment,
        reservation: Reservation,
        spent: Mapping[TokenRole, TokenUsage],
    ) -> None:
        """Write what a sample really *spent* into the ledger, and tell the observer."""
        self._ledger.settle(reservation, spent)
        self._tell(assignment, spent)

    def account(
        self, assignment: Assignment, spent: Mapping[TokenRole, TokenUsage]
    ) -> None:
        """Write into the ledger what was *spent* outside of any sample."""
        self._ledger.spend(assignment.monitor.name, spent)
        self._tell(assignment, spent)

    def _tell(
        self, assignment: Assignment, spent: Mapping[TokenRole, TokenUsage]
    ) -> None:
        """Tell the observer what was spent."""
        for role, usage in spent.items():
            price = assignment.prices.get(role)
            cost = (
                price.cost_dollars(usage.input_tokens, usage.output_tokens)
                if price
                else None
            )
            self._observer.tokens_spent(assignment.monitor.name, role, usage, cost)


def _characters(result: SampleResult) -> int:
    """Return about how many characters *result* has to be looked through."""
    calls = sum(len(turn.tool_calls) for turn in result.turns)
    texts = sum(len(turn.text) for turn in result.turns)
    return len(result.answer or "") + texts + calls * _TOOL_CALL_CHARACTERS


def _result(
    case: Case, talk: Talk, graded: Graded, *, started_at: datetime, trace_id: str
) -> SampleResult:
    """Return what is kept of one sample."""
    last = talk.replies[-1] if talk.replies else None
    calls = [call.name for turn in talk.turns for call in turn.tool_calls]
    called = tuple(dict.fromkeys(calls))
    # Without a usable answer nothing was expected of the tools either.
    failed = graded.outcome is Outcome.FAIL
    expected = [rule for _, rule in case.rules if isinstance(rule, ExpectedActions)]
    amiss = expected if failed else []
    return SampleResult(
        case_id=case.id,
        fingerprint=case.fingerprint,
        outcome=graded.outcome,
        started_at=started_at,
        duration_seconds=talk.longest_seconds,
        trace_id=trace_id,
        failure=last.failure if last else None,
        answer=(last.answer or None) if last else None,
        turns=tuple(talk.turns),
        verdicts=graded.verdicts,
        judge=graded.judge,
        simulated_user=talk.simulated_user,
        termination=talk.termination,
        tokens=talk.tokens,
        first_token_seconds=talk.replies[0].first_token_seconds if last else None,
        tools_missing=_united(rule.missing(called) for rule in amiss),
        tools_unexpected=_united(rule.unexpected(called) for rule in amiss),
    )


def _united(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all of *names*, each once."""
    return tuple(dict.fromkeys(name for some in names for name in some))
