"""Notes on a sound configuration."""

import pytest

from answerprobe.config import plan
from answerprobe.config.notes import notes
from config.loading import load_text, whole


TALK = """\
simulated_user: {{base_url: http://u, model: m}}
monitors:
  - name: shop
    endpoint: http://h
    {more}
    cases:
      - conversation: {{persona: In haste., goal: Get it., max_turns: 3}}
        expect: [not_contains: error]
"""
OPENAI = "protocol: openai\n    model: m\n    "
TOOLS = "tools: [{name: look, description: Reads it.}]"
FORBIDS = "nothing is forbidden"
TALKS = "but no conversation"
SEVERAL = "asks for several outcomes"
REAL = "run for real"
BUDGET = "no budget"


def told(text: str) -> str:
    """Return all notes on *text*, a line each."""
    config = load_text(text)
    found = notes(config, plan(config))
    return "\n".join(f"{note.monitor or 'all'}: {note.text}" for note in found)


class TestBudget:
    """Nothing bounds what may be spent."""

    def test_is_told_with_what_will_be_spent(self) -> None:
        """About, and in a month."""
        assert "shop: no budget: unlimited, about 334,800 tokens a month" in told(
            whole()
        )

    def test_on_demand_by_the_run(self) -> None:
        """Nobody knows how often."""
        note = "no budget: unlimited, about 465 tokens a run"

        assert note in told(whole("every: manual"))

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(whole("token_budget: 5k"), id="its own"),
            pytest.param(f"token_budget: 5k\n{whole()}", id="of all"),
        ],
    )
    def test_a_budget_is_enough(self, text: str) -> None:
        """Whosever it is."""
        assert BUDGET not in told(text)

    @pytest.mark.parametrize(
        ("budget", "lasts"),
        [
            pytest.param("100", "less than an hour", id="minutes"),
            pytest.param("500", "about an hour", id="an hour"),
            pytest.param("10k", "about 22 hours", id="hours"),
            pytest.param("100k", "about 9 days", id="days"),
        ],
    )
    def test_one_that_is_used_up_early_is_told(self, budget: str, lasts: str) -> None:
        """When it pauses, and what would do."""
        note = f" lasts {lasts} of the month: it pauses then; about 334,800 would do"
        found = told(whole(f"token_budget: {budget}"))

        assert f"{note}\n" in f"{found}\n"
        assert found.startswith("shop: budget ")

    def test_that_of_all_is_told_once(self) -> None:
        """By what the budgets of monitors let be."""
        text = whole("token_budget: 400k")
        second = text.partition("\n")[2].replace("shop", "other")
        own = second.replace("400k", "300k")
        found = told(f"token_budget: 10k\n{text}{own}")

        (line,) = [each for each in found.split("\n") if "budget" in each]
        assert line.startswith("all: budget 10,000 lasts about 11 hours of the month")
        assert line.endswith("about 634,800 would do")

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(whole("token_budget: 335k"), id="enough"),
            pytest.param(whole("token_budget: 300k"), id="about enough"),
            pytest.param(whole("token_budget: 9\n    every: manual"), id="on demand"),
        ],
    )
    def test_one_that_may_do_is_not(self, text: str) -> None:
        """The plan is a guess."""
        assert "lasts" not in told(text)


class TestConfirm:
    """A second look that cannot wait so long."""

    def test_is_told(self) -> None:
        """When it comes instead."""
        text = whole("every: 10s\n    within: 5s\n    confirm: 8s")

        assert (
            "shop: asks again after 5s, half of every, before bad news count; confirm "
            "(8s) is longer"
        ) in told(text)

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("every: 1m\n    confirm: 30s", id="as long"),
            pytest.param("every: 10s\n    within: 5s\n    confirm: 0", id="off"),
            pytest.param("every: manual\n    confirm: 8h", id="on demand"),
        ],
    )
    def test_what_fits_is_not(self, line: str) -> None:
        """Nothing is shortened."""
        assert "asks again" not in told(whole(line))


class TestForbidding:
    """Something must not happen."""

    @pytest.mark.parametrize(
        "criterion",
        [
            "max_words: 9",
            "regex: nine",
            "judge: Gives the opening hours.",
            "is_json: true",
        ],
    )
    def test_what_only_asks_is_told(self, criterion: str) -> None:
        """An answer with all that is wanted, and something awful, would pass."""
        assert FORBIDS in told(whole(criterion=criterion))

    @pytest.mark.parametrize(
        "criterion",
        [
            "not_contains: error",
            "not_regex: err",
            "no_pii: true",
            "no_refusal: true",
            "equals: nine",
            "judge: Does not promise a discount.",
            "judge: Doesn't name a person.",
            "judge: Nennt keine Namen.",
        ],
    )
    def test_what_forbids_is_not(self, criterion: str) -> None:
        """By rule or by judge."""
        assert FORBIDS not in told(whole(criterion=criterion))

    def test_a_tool_that_must_not_be_called_is_not(self) -> None:
        """Nor any but those that are expected."""
        for criterion in ("does_not_invoke_tool: look", "expected_actions: [look]"):
            assert FORBIDS not in told(whole(OPENAI + TOOLS, criterion))

    def test_in_any_answer_of_a_conversation(self) -> None:
        """A rule about several answers is the same rule."""
        text = TALK.format(more="# no more").replace(
            "not_contains: error", "not_contains: {text: error, in: all}"
        )

        assert FORBIDS not in told(text)


class TestConversations:
    """An agent made for more than one turn."""

    @pytest.mark.parametrize(
        ("lines", "has"),
        [
            pytest.param(OPENAI + TOOLS, "tools", id="tools"),
            pytest.param("response: {tool_calls: calls}", "tools", id="its own tools"),
            pytest.param("request: {session: s}", "sessions", id="session"),
            pytest.param("request: {history: h}", "a history", id="history"),
            pytest.param(
                "request: {body: {q: '{{message}}', s: '{{session}}'}}",
                "sessions",
                id="body",
            ),
        ],
    )
    def test_without_one_is_told(self, lines: str, has: str) -> None:
        """What takes several turns is never tried."""
        assert f"shop: has {has}, but no conversation" in told(whole(lines))

    def test_with_one_is_not(self) -> None:
        """It is tried."""
        assert TALKS not in told(TALK.format(more="request: {session: s}"))

    def test_a_plain_agent_is_not(self) -> None:
        """It answers questions."""
        assert TALKS not in told(whole())


class TestSeveralOutcomes:
    """A judged sentence that asks for more than one thing."""

    def test_is_told_with_its_case(self) -> None:
        """To be split."""
        text = whole(criterion="judge: Says nine and links the map.")

        assert f"{SEVERAL} (when-do-you-open): split it" in told(text)

    def test_one_is_not(self) -> None:
        """It is as it should be."""
        assert SEVERAL not in told(whole(criterion="judge: Says nine."))

    def test_built_in_sentences_are_not(self) -> None:
        """Nobody can split them."""
        text = whole("knowledge: We open at nine.", "grounded_in_knowledge: true")

        assert SEVERAL not in told(text)

    def test_a_case_is_named_once(self) -> None:
        """However many of its sentences ask for several."""
        lines = [f"judge: Says {n} and links the map." for n in range(7)]
        text = whole(criterion="\n          - ".join(lines))

        assert f"{SEVERAL} (when-do-you-open): split it" in told(text)

    def test_of_many_the_first_are_named(self) -> None:
        """A line stays a line."""
        head, _, case = whole(criterion="judge: Says nine and links it.").partition(
            "      - ask"
        )
        cases = "".join(f"      - id: c{n}\n        ask{case}" for n in range(7))

        assert "(c0, c1, c2, c3, c4 and 2 more)" in told(head + cases)


class TestRealTools:
    """What the agent does is done."""

    def test_is_told_where_it_is_known(self) -> None:
        """At every sample."""
        assert REAL in told(whole("response: {tool_calls: calls}"))

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(whole(OPENAI + TOOLS), id="mocked tools"),
            pytest.param(whole("request: {session: s}"), id="nobody knows"),
            pytest.param(whole(), id="plain"),
        ],
    )
    def test_is_not_guessed(self, text: str) -> None:
        """False alarms would teach to look away."""
        assert REAL not in told(text)
