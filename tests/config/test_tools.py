"""Tools that answerprobe offers, and what cases say of them."""

from collections.abc import Mapping

import pytest

from answerprobe.config import Config
from answerprobe.connection import BearerAuth, Connection, TlsSettings
from answerprobe.monitor import Monitor
from answerprobe.secret import Secret
from answerprobe.tool import Fault, Live, LiveMethod, Response, Success, Tool, Value
from config.loading import load_text, problems


TEXT = """\
monitors:
  - name: shop
    protocol: openai
    endpoint: http://h/v1
    model: m
    tools:
      - {tool}
      - {{name: refund}}
    cases:
      - ask: Where is my order?
        expect: [{criterion}]
        {case}
"""
LOOK = "{name: get_order, writes: false}"


def text_with(
    tool: str = LOOK, criterion: str = "contains: x", case: str = "# no more"
) -> str:
    """
    Return a configuration with two tools.

    *tool* is on line 7, *criterion* on line 11 and *case* on line 12.
    """
    return TEXT.format(tool=tool, criterion=f"{{{criterion}}}", case=case)


def monitor(text: str) -> Monitor:
    """Return the one monitor in *text*."""
    config: Config = load_text(text)
    return config.monitors[0]


def respond(written: str) -> Response:
    """Return the answer of a tool that writes nothing."""
    tool = f"{{name: get_order, writes: no, respond: {written}}}"
    return monitor(text_with(tool)).target.tools[0].respond


class TestTools:
    """Tools of a monitor."""

    def test_defaults(self) -> None:
        """A tool is taken to write, and succeeds."""
        tools = monitor(text_with()).target.tools

        assert tools == (
            Tool(name="get_order", writes=False),
            Tool(name="refund", writes=True, respond=Success()),
        )

    def test_all_of_it(self) -> None:
        """The schema of its arguments is kept as it is."""
        tool = "{name: t, description: Reads., parameters: {properties: {n: {}}}}"

        assert monitor(text_with(tool)).target.tools[0] == Tool(
            name="t", description="Reads.", parameters={"properties": {"n": {}}}
        )

    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            pytest.param("success", Success(), id="success"),
            pytest.param("{value: two days}", Value(value="two days"), id="text"),
            pytest.param("{value: [1, true]}", Value(value=[1, True]), id="JSON"),
            pytest.param("{value: null}", Value(value=None), id="null"),
            pytest.param("{value: 0}", Value(value=0), id="zero"),
            pytest.param("{value: false}", Value(value=False), id="false"),
            pytest.param("{error: timed out}", Fault(text="timed out"), id="error"),
        ],
    )
    def test_answers(self, written: str, meant: Response) -> None:
        """Falsy values are values too."""
        assert respond(written) == meant

    def test_live(self) -> None:
        """A connection of its own."""
        live = "{live: {url: http://h/o, method: GET, auth: {bearer: secret.TOKEN}}}"

        assert respond(live) == Live(
            connection=Connection(
                url=Secret("http://h/o"),
                auth=BearerAuth(token=Secret("secret.TOKEN")),
                tls=TlsSettings(),
            ),
            method=LiveMethod.GET,
        )
        assert isinstance(respond("{live: {url: http://h}}"), Live)

    @pytest.mark.parametrize(
        ("tool", "says"),
        [
            pytest.param(
                "{name: refund}",
                "8:16: monitors[0].tools[1].name: is 'refund', the name of "
                "monitors[0].tools[0] too",
                id="name twice",
            ),
            pytest.param(
                "{name: get order}",
                "7:16: monitors[0].tools[0].name: is 'get order'; wanted: up to 64 "
                "letters, digits, _ and -",
                id="name",
            ),
            pytest.param(
                "{name: " + "x" * 65 + "}",
                f"7:16: monitors[0].tools[0].name: is '{'x' * 59}…'; wanted: up to 64 "
                "letters, digits, _ and -",
                id="long name",
            ),
            pytest.param(
                "{writes: no}", "7:9: monitors[0].tools[0]: lacks name", id="no name"
            ),
            pytest.param(
                "{name: t, parameters: {type: array}}",
                "7:38: monitors[0].tools[0].parameters.type: is another type than "
                "object, which arguments always are",
                id="arguments",
            ),
            pytest.param(
                "{name: t, respond: fail}",
                "7:28: monitors[0].tools[0].respond: is 'fail'; wanted: success, "
                "{value: …}, {error: …} or {live: …}",
                id="answer",
            ),
            pytest.param(
                "{name: t, respond: {value: 1, error: x}}",
                "7:28: monitors[0].tools[0].respond: is a mapping of 2 keys (value, "
                "error); wanted: success, {value: …}, {error: …} or {live: …}",
                id="two answers",
            ),
            pytest.param(
                "{name: t, respond: {live: {url: http://h}}}",
                "7:29: monitors[0].tools[0].respond.live: the tool 't' writes: only "
                "one with `writes: false` is ever called for real",
                id="live and writes",
            ),
            pytest.param(
                "{name: t, writes: no, respond: {live: {url: h}}}",
                "7:53: monitors[0].tools[0].respond.live.url: is no URL; wanted: "
                "http://… or https://…",
                id="live URL",
            ),
        ],
    )
    def test_refused(self, tool: str, says: str) -> None:
        """Where it stands, and nothing that follows from it."""
        assert problems(text_with(tool)) == [says]

    def test_a_schema_is_checked_as_that_of_an_answer(self) -> None:
        """A typing error in it would check nothing."""
        (problem,) = problems(
            text_with("{name: t, parameters: {type: object, requierd: [a]}}")
        )

        assert problem.startswith("7:")
        assert "monitors[0].tools[0].parameters" in problem
        assert "required" in problem

    def test_chat_has_tools_of_its_own(self) -> None:
        """Nothing can be offered to it, so only that is said."""
        chat = text_with(case="actions: {nope: success}").replace("openai", "chat")

        assert problems(chat.replace("    model: m\n", "")) == [
            (
                "5:5: monitors[0].tools: are offered only by `protocol: openai`, and "
                "this is chat: the agent has its own, and `response.tool_calls` tells "
                "where the reply names them"
            )
        ]


class TestActions:
    """What tools answer in one case."""

    def actions(self, written: str) -> Mapping[str, Response]:
        """Return the actions of the case."""
        return monitor(text_with(case=f"actions: {written}")).cases[0].actions

    def test_answer_in_place_of_the_tools(self) -> None:
        """In the same words."""
        found = self.actions("{get_order: {error: down}, refund: success}")

        assert found == {"get_order": Fault(text="down"), "refund": Success()}
        assert not monitor(text_with()).cases[0].actions

    def test_may_call_for_real_what_writes_nothing(self) -> None:
        """As the tool itself might."""
        found = self.actions("{get_order: {live: {url: http://h}}}")

        assert isinstance(found["get_order"], Live)

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            pytest.param(
                "{get_oder: success}",
                "12:19: monitors[0].cases[0].actions.get_oder: there is no tool "
                "'get_oder' in `tools`; allowed: get_order, refund (did you mean "
                "get_order?)",
                id="unknown",
            ),
            pytest.param(
                "{refund: {live: {url: http://h}}}",
                "12:28: monitors[0].cases[0].actions.refund.live: the tool 'refund' "
                "writes: only one with `writes: false` is ever called for real",
                id="live and writes",
            ),
            pytest.param(
                "{refund: {error: ''}}",
                "12:35: monitors[0].cases[0].actions.refund.error: is empty; wanted: "
                "a text that is not empty",
                id="empty",
            ),
        ],
    )
    def test_refused(self, written: str, says: str) -> None:
        """A case cannot open what the tool forbids."""
        assert problems(text_with(case=f"actions: {written}")) == [says]

    def test_without_tools(self) -> None:
        """There is nothing that they could answer for."""
        text = text_with(case="actions: {refund: success}")
        bare = text.replace(
            f"    tools:\n      - {LOOK}\n      - {{name: refund}}\n", ""
        )

        assert problems(bare) == [
            (
                "9:9: monitors[0].cases[0].actions: answers for tools, and the monitor "
                "lists none in `tools`"
            )
        ]


class TestCriteria:
    """Criteria about tools."""

    @pytest.mark.parametrize(
        ("criterion", "where"),
        [
            pytest.param("invokes_tool: get_oder", "11:33: {}.invokes_tool", id="one"),
            pytest.param(
                "doesNotInvokeTool: get_oder", "11:38: {}.doesNotInvokeTool", id="none"
            ),
            pytest.param(
                "tool_parameters_contain: {tool: get_oder, parameters: {}}",
                "11:51: {}.tool_parameters_contain.tool",
                id="parameters",
            ),
            pytest.param(
                "expected_actions: [refund, get_oder]",
                "11:46: {}.expected_actions[1]",
                id="set",
            ),
        ],
    )
    def test_about_a_tool_that_is_not_listed(self, criterion: str, where: str) -> None:
        """It would fail for ever, or never."""
        (problem,) = problems(text_with(criterion=criterion))

        assert problem == (
            f"{where.format('monitors[0].cases[0].expect[0]')}: there is no tool "
            "'get_oder' in `tools`; allowed: get_order, refund (did you mean "
            "get_order?)"
        )

    @pytest.mark.parametrize(
        ("criterion", "says"),
        [
            pytest.param(
                "expected_actions: []",
                "11:37: {}.expected_actions: is an empty list; wanted: a list of at "
                "least one tool (to forbid one there is does_not_invoke_tool)",
                id="empty",
            ),
            pytest.param(
                "expected_actions: [refund, get_order, refund]",
                "11:57: {}.expected_actions[2]: is 'refund', which is in the list "
                "already; write it once",
                id="twice",
            ),
            pytest.param(
                "tool_parameters_contain: {tool: refund}",
                "11:44: {}.tool_parameters_contain: lacks parameters",
                id="parameters",
            ),
            pytest.param(
                "tool_parameters_contain: {tool: refund, parameters: {}, in: any}",
                "11:75: {}.tool_parameters_contain.in: is no key here; allowed: tool, "
                "parameters",
                id="in",
            ),
            pytest.param(
                "invokes_tool: {tool: refund, in: any}",
                "11:33: {}.invokes_tool: is a mapping of 2 keys (tool, in); wanted: a "
                "text that is not empty",
                id="in a text",
            ),
        ],
    )
    def test_refused(self, criterion: str, says: str) -> None:
        """Where it stands."""
        found = problems(text_with(criterion=criterion))

        assert found == [says.format("monitors[0].cases[0].expect[0]")]

    def test_a_chat_agent_must_tell_what_it_called(self) -> None:
        """Else nothing is ever seen; any name may be meant where it does."""
        text = (
            "monitors: [{name: a, endpoint: http://h, RESPONSE"
            "cases: [{ask: x, expect: [invokes_tool: look]}]}]"
        )

        assert problems(text.replace("RESPONSE", "")) == [
            (
                "1:68: monitors[0].cases[0].expect[0].invokes_tool: needs "
                "`response.tool_calls` in the monitor: where the reply tells what "
                "tools were called"
            )
        ]
        assert not problems(text.replace("RESPONSE", "response: {tool_calls: a}, "))

    def test_an_agent_with_tools_of_its_own(self) -> None:
        """Where none are listed any name may be meant."""
        bare = text_with(criterion="expected_actions: [look, look-again]").replace(
            f"    tools:\n      - {LOOK}\n      - {{name: refund}}\n", ""
        )

        assert not problems(bare)
