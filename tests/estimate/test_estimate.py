"""What a run would take: by the past, by a guess, and at most."""

from dataclasses import replace

import pytest

from hypothesis import given
from hypothesis import strategies as st

from answerprobe.case import Case, Conversation
from answerprobe.estimate import Question, estimate
from answerprobe.evidence import Costs, RunTime, SampleCost
from answerprobe.monitor import JudgeSettings, Monitor, Price, TargetProtocol
from answerprobe.run import RunRequest, Trigger
from answerprobe.sample import TokenRole, TokenUsage
from answerprobe.tool import Live, Tool, Value
from builders import case, monitor


ALL = RunRequest(monitor="shop", trigger=Trigger.MANUAL)
PRICE = Price(input_dollars=1.0, output_dollars=10.0)
TWO = (case(), case("greeting", samples=6, fingerprint="f2"))
JUDGED = case(expect={"judge": "Gives the window."})
TALK = replace(
    case(), ask=None, conversation=Conversation(persona="p", goal="g", max_turns=4)
)


def cost(fingerprint: str = "f1", tokens: int = 100, judged: int = 0) -> SampleCost:
    """Return what a sample took: a tenth of *tokens* was written."""
    spent = {
        TokenRole.AGENT: TokenUsage(
            input_tokens=tokens * 9 // 10, output_tokens=tokens // 10
        ),
        TokenRole.JUDGE: TokenUsage(input_tokens=judged),
    }
    return SampleCost(case_id="c", fingerprint=fingerprint, tokens=spent)


def openai(*cases: Case, max_tokens: int | None = 500, tools: int = 0) -> Monitor:
    """Return a monitor whose agent speaks OpenAI's protocol."""
    one = monitor(cases=cases or None)
    target = replace(
        one.target,
        protocol=TargetProtocol.OPENAI,
        model="m",
        max_tokens=max_tokens,
        system_prompt="Be kind.",
        tools=tuple(
            Tool(name=f"t{n}", respond=Value(value="x" * 100)) for n in range(tools)
        ),
    )
    return replace(one, target=target)


def judge(**changes: object) -> JudgeSettings:
    """Return a judge that nobody asks."""
    connection = monitor().target.connection
    made = JudgeSettings(name="default", connection=connection, model="m", attempts=1)
    return replace(made, **changes)  # type: ignore[arg-type]  # by each test


def most(asked: Monitor, judged_by: JudgeSettings | None = None) -> float | None:
    """Return the most tokens that a run of *asked* can take."""
    question = Question(monitor=asked, request=ALL, judge=judged_by)
    return estimate(question, Costs()).tokens.at_most


class TestExpected:
    def test_it_is_the_mean_of_past_samples(self) -> None:
        """Of each case, as often as it is asked."""
        past = Costs(samples=(cost(tokens=100), cost(tokens=300), cost("f2", 1000)))
        question = Question(monitor=monitor(cases=TWO), request=ALL)

        found = estimate(question, past)

        assert (found.samples, found.tokens.expected) == (9, 3 * 200 + 6 * 1000)

    def test_samples_that_cost_nothing_tell_nothing(self) -> None:
        """The agent was down."""
        past = Costs(samples=(cost(tokens=100), cost(tokens=0)))

        found = estimate(Question(monitor=monitor(), request=ALL), past)

        assert found.tokens.expected == 300

    def test_a_changed_case_is_guessed_anew(self) -> None:
        """What its earlier definition took is another thing."""
        question = Question(monitor=monitor(), request=ALL)

        guess = estimate(question, Costs())
        assert estimate(question, Costs(samples=(cost("old", 10**6),))) == guess
        assert 300 < guess.tokens.expected < 1000

    def test_only_what_is_asked_for_counts(self) -> None:
        """Some of the cases, so many samples."""
        some = replace(ALL, case_ids=("greeting",), samples=20)
        past = Costs(samples=(cost(), cost("f2", 10)))

        found = estimate(Question(monitor=monitor(cases=TWO), request=some), past)

        assert (found.samples, found.tokens.expected) == (20, 200)

    @pytest.mark.parametrize(
        ("less", "more"),
        [
            pytest.param(monitor(), monitor(cases=[JUDGED]), id="judge"),
            pytest.param(monitor(), monitor(cases=[TALK]), id="conversation"),
            pytest.param(openai(), openai(tools=2), id="tools"),
        ],
    )
    def test_a_guess_counts_what_there_is_to_do(
        self, less: Monitor, more: Monitor
    ) -> None:
        """Before the first run."""
        guesses = [
            estimate(Question(monitor=m, request=ALL, judge=judge()), Costs())
            for m in (less, more)
        ]

        assert guesses[0].tokens.expected < guesses[1].tokens.expected


class TestAtMost:
    def test_nothing_bounds_a_chat_agent(self) -> None:
        """It may answer as long as it likes."""
        assert most(monitor()) is None

    def test_nothing_bounds_a_model_without_max_tokens(self) -> None:
        """Neither."""
        assert most(openai(max_tokens=None)) is None

    def test_a_single_answer_is_bounded_by_max_tokens(self) -> None:
        """And a byte of what is read is a token at most."""
        bound = most(openai(max_tokens=500))

        read = len("Be kind.") + len("What about refund?")
        assert bound is not None
        assert 3 * (500 + read) <= bound <= 3 * (500 + read + 100)

    @pytest.mark.parametrize(
        ("less", "more"),
        [
            pytest.param(openai(), openai(max_tokens=501), id="max-tokens"),
            pytest.param(openai(), openai(tools=1), id="rounds"),
            pytest.param(openai(tools=1), openai(tools=2), id="results"),
            pytest.param(openai(), openai(TALK), id="turns"),
            pytest.param(openai(), openai(JUDGED), id="judge"),
        ],
    )
    def test_more_to_do_can_take_more(self, less: Monitor, more: Monitor) -> None:
        """Each of them counts."""
        bounds = most(less, judge()), most(more, judge())

        assert bounds[0] is not None
        assert bounds[1] is not None
        assert bounds[0] < bounds[1]

    def test_each_vote_and_attempt_counts(self) -> None:
        """A judge that is asked six times can take six times as much."""
        alone, once, often = (
            most(openai(JUDGED if judged_by else case()), judged_by)
            for judged_by in (None, judge(), judge(votes=3, attempts=2))
        )

        assert alone is not None
        assert once is not None
        assert often is not None
        assert often - alone == 6 * (once - alone)

    def test_a_live_tool_answers_up_to_its_limit(self) -> None:
        """64 KB, by what the agent reads of it."""
        asked = openai()
        live = Tool(name="t", respond=Live(connection=asked.target.connection))
        target = replace(asked.target, tools=(live,))

        bound = most(replace(asked, target=target))

        assert bound is not None
        assert bound > 3 * 10 * 65536

    def test_it_is_never_below_what_was_seen(self) -> None:
        """An agent that reports more than its max_tokens allow took it all the same."""
        question = Question(monitor=openai(), request=ALL)

        found = estimate(question, Costs(samples=(cost(tokens=10**6),)))

        assert found.tokens.at_most == found.tokens.expected == 3 * 10**6


class TestDollars:
    def test_those_with_a_price_are_counted(self) -> None:
        """By what they read and what they write."""
        prices = {TokenRole.AGENT: PRICE}
        question = Question(monitor=monitor(), request=ALL, prices=prices)

        found = estimate(question, Costs(samples=(cost(tokens=1000, judged=500),)))

        assert found.tokens.expected == 4500
        assert found.dollars is not None
        assert found.dollars.expected == pytest.approx(3 * (900 + 100 * 10) / 1e6)
        assert found.dollars.at_most is None

    @pytest.mark.parametrize(
        "prices",
        [
            pytest.param({}, id="none"),
            pytest.param({TokenRole.JUDGE: PRICE}, id="unused"),
        ],
    )
    def test_without_a_price_nobody_knows(self, prices: dict[TokenRole, Price]) -> None:
        """Also where only somebody has one who isn't asked."""
        question = Question(monitor=monitor(), request=ALL, prices=prices)

        assert estimate(question, Costs()).dollars is None


class TestSeconds:
    def test_it_is_the_median_of_the_past(self) -> None:
        """A run that waited for its second look does not count for more."""
        runs = tuple(RunTime(samples=10, seconds=s) for s in (4.0, 40.0, 6.0))
        wanted = replace(ALL, samples=20)
        question = Question(monitor=monitor(), request=wanted, at_once=5)

        assert estimate(question, Costs(runs=runs)).seconds_expected == 12.0

    def test_before_the_first_run_nobody_knows(self) -> None:
        """Null, not 0."""
        found = estimate(Question(monitor=monitor(), request=ALL), Costs())

        assert found.seconds_expected is None


class TestBudget:
    @pytest.mark.parametrize(
        ("asked", "left", "exceeds"),
        [
            pytest.param(monitor(), None, False, id="unlimited"),
            pytest.param(monitor(), 10**9, True, id="unbounded"),
            pytest.param(openai(), 10**9, False, id="enough"),
            pytest.param(openai(), 1000, True, id="too-little"),
        ],
    )
    def test_it_says_whether_the_most_exceeds_what_is_left(
        self, asked: Monitor, left: int | None, *, exceeds: bool
    ) -> None:
        """What nothing bounds can exceed any limit."""
        question = Question(monitor=asked, request=ALL, budget_left=left)

        found = estimate(question, Costs())

        assert (found.budget_left, found.may_exceed_budget) == (left, exceeds)


@given(
    st.integers(1, 200),
    st.integers(1, 4000),
    st.integers(0, 3),
    st.lists(st.integers(0, 10_000), max_size=5),
)
def test_the_most_is_never_less_than_what_is_expected(
    samples: int, max_tokens: int, tools: int, past: list[int]
) -> None:
    """Whatever is configured, and whatever was before."""
    asked = openai(JUDGED, TALK, max_tokens=max_tokens, tools=tools)
    question = Question(
        monitor=asked, request=replace(ALL, samples=samples), judge=judge()
    )
    found = estimate(question, Costs(samples=tuple(cost(tokens=n) for n in past)))

    assert found.tokens.at_most is not None
    assert 0 < found.tokens.expected <= found.tokens.at_most
