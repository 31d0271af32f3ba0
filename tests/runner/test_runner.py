import asyncio
import random
import time

from collections.abc import Mapping
from dataclasses import replace

import pytest

from answerprobe.case import Case, Conversation, Criterion, Quorum
from answerprobe.ledger import Ledger
from answerprobe.monitor import AnswerStorage, Monitor, Price
from answerprobe.run import SampleResult
from answerprobe.runner import Assignment, Progress, Runner, Slots
from answerprobe.sample import ErrorReason, Reply, Termination, TokenRole, ToolCall
from answerprobe.verdict import Outcome
from builders import NOW, case, monitor
from conversation.talking import BYE, User, line, silence
from runner.test_grading import LONG, Endless
from scripted import (
    GOOD,
    ScriptedJudge,
    ScriptedTarget,
    Spending,
    no_reply,
    reply,
    until,
)


TALK = Conversation(persona="A customer.", goal="A refund.")
JUDGED: Mapping[str, object] = {"contains": "30 days", "judge": "Names the window."}


class Bench:
    """A runner with everything it needs, and one assignment of it."""

    def __init__(  # noqa: PLR0913  each test names only what it is about
        self,
        target: ScriptedTarget,
        *cases: Case,
        judge: ScriptedJudge | None = None,
        watched: Monitor | None = None,
        per_monitor: int = 5,
        prices: Mapping[TokenRole, Price] | None = None,
        rule_seconds: float = 10.0,
        user: User | None = None,
    ) -> None:
        self.spending = Spending()
        self.ledger = Ledger((), clock=lambda: NOW)
        self.progress = Progress()
        self.runner = Runner(
            slots=Slots(in_flight=50, per_host=50, monotonic=time.monotonic),
            per_monitor=per_monitor,
            ledger=self.ledger,
            observer=self.spending,
            scrub=lambda text: text.replace("hunter2", "<secret>"),
            clock=lambda: NOW,
            monotonic=time.monotonic,
            rng=random.Random(1),  # noqa: S311  a seed makes it repeatable
            rule_seconds=rule_seconds,
        )
        self.monitor = watched or monitor(cases=cases or (case(),))
        self.assignment = Assignment(
            monitor=self.monitor,
            cases=self.monitor.cases,
            target=target,
            judge=judge,
            prices=prices or {},
            user=user,
        )

    async def run(self) -> tuple[SampleResult, ...]:
        """Carry the assignment out."""
        await self.runner.run(self.assignment, self.progress)
        return self.progress.samples


class TestSamples:
    async def test_each_case_is_asked_as_often_as_its_quorum_says(self) -> None:
        """Samples stand in the order of the cases, whatever order they end in."""
        target = ScriptedTarget()
        cases = (case("a", samples=2), case("b", samples=1))

        samples = await Bench(target, *cases).run()

        assert [sample.case_id for sample in samples] == ["a", "a", "b"]
        assert sorted(target.asked) == ["What about a?"] * 2 + ["What about b?"]

    async def test_no_more_than_the_monitors_share_at_once(self) -> None:
        """`limits.per_monitor` bounds what one run has in flight."""
        target = ScriptedTarget()

        await Bench(target, case(samples=20), per_monitor=3).run()

        assert target.most == 3

    async def test_each_sample_has_a_trace_of_its_own(self) -> None:
        """The trace id in the evidence is the one that was sent."""
        target = ScriptedTarget()

        samples = await Bench(target).run()

        sent = {trace.split("-")[1] for trace in target.traces}
        assert sent == {sample.trace_id for sample in samples}
        assert len(sent) == 3

    async def test_tools_are_kept_that_were_missing_and_unexpected(self) -> None:
        """As `expected_actions` has it, in names and not in words."""
        calls = tuple(ToolCall(name=n, arguments={}) for n in ("get_order", "refund"))
        answer = replace(reply("Done."), tool_calls=calls)
        wanted = case(expect={"expected_actions": ["get_order", "send_mail"]})

        samples = await Bench(ScriptedTarget(say=lambda _: answer), wanted).run()

        amiss = {(s.tools_missing, s.tools_unexpected) for s in samples}
        assert amiss == {(("send_mail",), ("refund",))}

    async def test_no_answer_is_an_error_and_no_rule_sees_it(self) -> None:
        """The reason is kept, and `answered` is what says it."""
        target = ScriptedTarget(say=lambda _: no_reply())

        sample = (await Bench(target).run())[0]

        assert sample.outcome is Outcome.ERROR
        assert sample.failure
        assert sample.failure.reason is ErrorReason.HTTP_STATUS
        assert [(v.criterion, v.outcome) for v in sample.verdicts] == [
            ("answered", Outcome.ERROR)
        ]

    async def test_secrets_and_personal_data_leave_no_runner(self) -> None:
        """What comes out may be stored and shown."""
        text = "30 days, says hunter2, ask jane.roe@mailbox.org"
        target = ScriptedTarget(say=lambda _: reply(text))

        sample = (await Bench(target).run())[0]

        assert sample.answer
        assert "hunter2" not in sample.answer
        assert "jane.roe" not in sample.answer
        assert not sample.whole

    async def test_a_bug_in_a_rule_is_no_answer_of_the_agent(self) -> None:
        """It ends the run with an exception, which somebody else counts."""

        def burst(_: str) -> Reply:
            raise ZeroDivisionError

        target = ScriptedTarget(say=burst)

        with pytest.raises(ExceptionGroup):
            await Bench(target).run()

    async def test_a_rule_that_never_ends_is_no_verdict_on_the_agent(self) -> None:
        """Its samples are not judged and counted as faults of our own."""
        endless = Endless()
        asked = Case(
            id="a",
            ask="When?",
            criteria=(Criterion(label="endless", check=endless),),
            within_seconds=20,
            bar=Quorum(samples=2, pass_at_least=1),
            fingerprint="f",
        )
        target = ScriptedTarget(say=lambda _: reply(LONG))
        bench = Bench(target, asked, rule_seconds=0.01)

        samples = await bench.run()

        endless.release.set()
        assert [s.outcome for s in samples] == [Outcome.NOT_JUDGED] * 2
        assert "endless did not end" in samples[0].verdicts[0].reason
        assert bench.spending.internal_errors == 2


class TestJudge:
    async def test_is_asked_only_if_every_rule_passed(self) -> None:
        """A wrong answer costs no judge."""
        judge = ScriptedJudge()
        target = ScriptedTarget(say=lambda _: reply("no idea"))

        samples = await Bench(target, case(expect=JUDGED), judge=judge).run()

        assert {sample.outcome for sample in samples} == {Outcome.FAIL}
        assert not judge.asked

    @pytest.mark.parametrize(
        "outcome",
        [
            pytest.param(Outcome.PASS, id="passes"),
            pytest.param(Outcome.FAIL, id="fails"),
            pytest.param(Outcome.NOT_JUDGED, id="is-unusable"),
        ],
    )
    async def test_decides_where_rules_pass(self, outcome: Outcome) -> None:
        """Its verdict is the sample's outcome, and who gave it is kept."""
        judge = ScriptedJudge(decide=lambda _rubric, _answer: outcome)

        sample = (
            await Bench(ScriptedTarget(), case(expect=JUDGED), judge=judge).run()
        )[0]

        assert sample.outcome is outcome
        assert sample.judge
        assert sample.judge.model == "scripted-1"

    async def test_a_fail_outweighs_what_was_not_judged(self) -> None:
        """One criterion that fails fails the sample."""
        outcomes = {"a": Outcome.NOT_JUDGED, "b": Outcome.FAIL}
        judge = ScriptedJudge(decide=lambda rubric, _: outcomes[rubric])
        two = case()
        rubrics = tuple(case(expect={"judge": text}).criteria[0] for text in "ab")
        asked = Case(
            id=two.id,
            ask=two.ask,
            criteria=rubrics,
            within_seconds=20,
            bar=two.bar,
            fingerprint="f",
        )

        sample = (await Bench(ScriptedTarget(), asked, judge=judge).run())[0]

        assert sample.outcome is Outcome.FAIL


class TestBudget:
    async def test_what_samples_spent_is_in_the_ledger_with_its_price(self) -> None:
        """Agent and judge apart, cost where a price is set."""
        price = Price(input_dollars=1_000_000, output_dollars=0)
        bench = Bench(
            ScriptedTarget(),
            case(expect=JUDGED),
            judge=ScriptedJudge(),
            prices={TokenRole.JUDGE: price},
        )

        await bench.run()

        assert bench.spending.tokens == {TokenRole.AGENT: 30, TokenRole.JUDGE: 21}
        assert bench.ledger.used_tokens("shop") == 51
        assert bench.spending.cost == 15.0

    async def test_a_run_is_cut_short_when_tokens_are_used_up(self) -> None:
        """At most one sample more than the limit allows is asked."""
        target = ScriptedTarget(say=lambda _: reply(GOOD, tokens=100))
        watched = monitor(cases=(case(samples=50),), token_budget=450)
        bench = Bench(target, watched=watched)

        samples = await bench.run()

        assert bench.progress.out_of_budget
        assert len(samples) == len(target.asked) == 5
        assert bench.ledger.used_tokens("shop") == 500

    async def test_a_month_that_turns_leaves_nothing_reserved(self) -> None:
        """Of two workers one sees the old month's end, the other tokens again."""
        target = ScriptedTarget(say=lambda _: reply(GOOD, tokens=100))
        watched = monitor(cases=(case(samples=9),), token_budget=150)
        bench = Bench(target, watched=watched, per_monitor=2)
        bench.progress.out_of_budget = True

        await bench.run()

        whole = bench.ledger.reserve(
            "shop", limit_tokens=1, total_limit_tokens=1, estimate_tokens=1
        )
        assert whole is not None

    async def test_a_cancelled_run_leaves_nothing_reserved(self) -> None:
        """Tokens set aside for samples that never came are free again."""
        target = ScriptedTarget(gate=asyncio.Event())
        watched = monitor(token_budget=100_000)
        bench = Bench(target, watched=watched)
        task = asyncio.create_task(bench.run())
        await until(lambda: target.busy)

        task.cancel()
        await asyncio.wait([task])

        whole = bench.ledger.reserve(
            "shop", limit_tokens=1, total_limit_tokens=1, estimate_tokens=1
        )
        assert whole is not None


class TestConversation:
    async def test_is_graded_once_after_it_ended(self) -> None:
        """The judge sees one sample; all roles' tokens are in the ledger."""
        judge = ScriptedJudge()
        judged = replace(case(expect=JUDGED, samples=1), ask=None, conversation=TALK)
        user = User([line("Refund?"), line("Sure?"), BYE])
        bench = Bench(ScriptedTarget(), judged, judge=judge, user=user)

        (sample,) = await bench.run()

        assert sample.outcome is Outcome.PASS
        assert sample.termination is Termination.USER_DONE
        assert len(judge.asked) == 1
        assert [turn.text for turn in sample.turns[:2]] == ["Refund?", GOOD]
        assert bench.spending.tokens == {
            TokenRole.AGENT: 20,
            TokenRole.SIMULATED_USER: 30,
            TokenRole.JUDGE: 7,
        }

    async def test_a_useless_user_is_not_judged(self) -> None:
        """Never a pass, a fail, or an error of the agent."""
        talk = replace(case(samples=1), ask=None, conversation=TALK)
        bench = Bench(ScriptedTarget(), talk, user=User([silence()]))

        (sample,) = await bench.run()

        assert sample.outcome is Outcome.NOT_JUDGED
        assert sample.termination is Termination.USER_ERROR
        assert sample.failure is None

    async def test_results_only_keeps_no_word_of_its_server(self) -> None:
        """What it says went wrong may quote the agent."""
        talk = replace(case(samples=1), ask=None, conversation=TALK)
        watched = replace(monitor(cases=(talk,)), answers=AnswerStorage.NONE)
        bench = Bench(ScriptedTarget(), watched=watched, user=User([silence()]))

        (sample,) = await bench.run()

        assert [v.reason for v in sample.verdicts] == ["simulated user: unreachable"]

    async def test_a_budget_ends_it_between_turns(self) -> None:
        """The run is cut short, and what was spent is spent."""
        talk = replace(case(samples=1), ask=None, conversation=TALK)
        watched = monitor(cases=(talk,), token_budget=35)
        user = User([line("More?")])
        bench = Bench(ScriptedTarget(), watched=watched, user=user)

        samples = await bench.run()

        assert samples == ()
        assert bench.progress.out_of_budget
        assert bench.ledger.used_tokens("shop") == 40
