"""One run of one monitor: its samples asked, graded and accounted for."""

import asyncio
import random

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from answerprobe.case import Case
from answerprobe.evidence import redacted
from answerprobe.ledger import Ledger, Reservation
from answerprobe.run import SampleResult
from answerprobe.runner._assignment import Assignment, Progress, RunObserver
from answerprobe.runner._grading import Grading
from answerprobe.runner._rule_threads import RULE_SECONDS
from answerprobe.runner._slots import Slots
from answerprobe.sample import TokenRole, TokenUsage, asked_once, estimate_tokens


# What an answer is taken to cost before any came, where max_tokens doesn't bound it.
_ASSUMED_ANSWER_TOKENS = 250
# Redacting texts above this would hold up the event loop for too long.
_REDACT_IN_THREAD_CHARACTERS = 8_000


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
    ) -> None:
        self._slots = slots
        self.per_monitor = per_monitor
        self._ledger = ledger
        self._observer = observer
        self._scrub = scrub
        self._clock = clock
        self._monotonic = monotonic
        self._rng = rng
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
            if reservation is None or progress.out_of_budget:
                return
            result = await self._sample(assignment, case, reservation, progress)
            progress.results[position] = result
            progress.done += 1

    async def _reserve(self, assignment: Assignment, case: Case) -> Reservation | None:
        """Set tokens for one sample of *case* aside; None where none are left."""
        target = assignment.monitor.target
        texts = (case.ask, target.system_prompt or "")
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
    ) -> SampleResult:
        """Put *case* to the target once and return what is kept of it."""
        trace_id = f"{self._rng.getrandbits(128):032x}"
        traceparent = f"00-{trace_id}-{self._rng.getrandbits(64):016x}-01"
        # What is spent when this is left early, such as at the daemon's end.
        spent: Mapping[TokenRole, TokenUsage] = {}
        try:
            async with self._slots.take(assignment.target.host):
                started_at = self._clock()
                if progress.first_started is None:
                    progress.first_started = self._monotonic()
                async with assignment.target.dialogue(traceparent) as dialogue:
                    reply = await dialogue.say(
                        case.ask, within_seconds=case.within_seconds
                    )
            spent = {TokenRole.AGENT: reply.usage}
            sample = asked_once(case.ask, reply)
            graded = await self._grading.grade(assignment.judge, case, sample)
        except BaseException:
            self._settle(assignment, reservation, spent)
            raise
        if graded.judge_usage is not None:
            spent = {**spent, TokenRole.JUDGE: graded.judge_usage}
        self._settle(assignment, reservation, spent)
        result = SampleResult(
            case_id=case.id,
            fingerprint=case.fingerprint,
            outcome=graded.outcome,
            started_at=started_at,
            duration_seconds=reply.duration_seconds,
            trace_id=trace_id,
            failure=reply.failure,
            answer=reply.answer or None,
            turns=sample.turns,
            verdicts=graded.verdicts,
            judge=graded.judge,
            tokens=spent,
            first_token_seconds=reply.first_token_seconds,
        )
        return await self._redacted(assignment, result)

    async def _redacted(
        self, assignment: Assignment, result: SampleResult
    ) -> SampleResult:
        """Return *result* without personal data and secrets, its texts cut."""
        answers = assignment.monitor.answers
        if len(result.answer or "") > _REDACT_IN_THREAD_CHARACTERS:
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
