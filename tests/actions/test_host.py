"""Answering an agent's tool calls."""

import asyncio

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from answerprobe.actions import LiveError, ToolHost
from answerprobe.connection import Connection
from answerprobe.errors import SecretError
from answerprobe.sample import ToolCall, ToolSource
from answerprobe.secret import Secret
from answerprobe.tool import Fault, Live, Response, Success, Tool, Value


SCHEMA = {
    "type": "object",
    "properties": {"room": {"type": "string", "pattern": "^R-"}},
    "required": ["room"],
}
REAL = Live(connection=Connection(url=Secret("http://rooms.invalid/")))


def calling(tool: str, arguments: object = None, call_id: str = "c1") -> ToolCall:
    """Return the call of *tool* as a target tells of it."""
    return ToolCall(name=tool, arguments=arguments or {}, call_id=call_id)


async def answer(tool: Tool, arguments: object = None) -> ToolCall:
    """Return what comes of a call of *tool*."""
    (answered,) = await ToolHost([tool], {}).answer([calling(tool.name, arguments)])
    return answered


@dataclass
class Rooms:
    """A Caller that tells which room it was asked for, the first one last."""

    asked: list[object] = field(default_factory=list)
    fault: Exception | None = None
    most: int = 0
    now: int = 0

    async def call(self, live: Live, arguments: Mapping[str, object]) -> object:
        """Answer, once all that are to come have come."""
        assert live is REAL
        self.now += 1
        self.most = max(self.most, self.now)
        self.asked.append(arguments.get("room"))
        for _ in range(10 - len(self.asked)):
            await asyncio.sleep(0)
        self.now -= 1
        if self.fault:
            raise self.fault
        return {"room": arguments.get("room")}


class TestMocked:
    @pytest.mark.parametrize(
        ("respond", "result", "error"),
        [
            pytest.param(Success(), {"status": "success"}, None, id="success"),
            pytest.param(Value(value=[1, None]), [1, None], None, id="JSON"),
            pytest.param(Value(value="It's free."), "It's free.", None, id="text"),
            pytest.param(Value(value=None), None, None, id="null"),
            pytest.param(Value(value=False), False, None, id="false"),
            pytest.param(Fault(text="timed out"), None, "timed out", id="error"),
        ],
    )
    async def test_the_configured_response_comes(
        self, respond: Response, result: object, error: str | None
    ) -> None:
        """With all of the call, marked as ours."""
        host = ToolHost([Tool(name="book", respond=respond)], {})
        call = calling("book", {"room": "R-1"}, "c77")

        assert await host.answer([call]) == (
            ToolCall(
                name="book",
                arguments={"room": "R-1"},
                result=result,
                error=error,
                source=ToolSource.MOCKED,
                call_id="c77",
            ),
        )

    async def test_an_action_of_the_case_wins(self) -> None:
        """For its tool alone."""
        tools = [Tool(name="book", respond=Value(value=1)), Tool(name="mail")]
        host = ToolHost(tools, {"book": Fault(text="full")})

        answered = await host.answer([calling("mail"), calling("book")])

        assert [call.error for call in answered] == [None, "full"]

    async def test_no_calls(self) -> None:
        """Nothing comes of nothing."""
        assert await ToolHost([], {}).answer([]) == ()


class TestFaults:
    """What an agent does wrong is told to it."""

    async def test_a_tool_that_is_not_there(self) -> None:
        """It is told which there are."""
        tools = [Tool(name="book"), Tool(name="mail")]

        (answered,) = await ToolHost(tools, {}).answer([calling("delete\nall")])

        assert answered.error == "there is no tool 'delete all'; there are: book, mail"
        assert answered.name == "delete\nall"
        assert answered.source is ToolSource.MOCKED

    @pytest.mark.parametrize(
        "arguments", ['{"room": ', ["R-1"], 7], ids=["broken", "array", "number"]
    )
    async def test_arguments_that_are_no_object(self, arguments: object) -> None:
        """Whether or not there is a schema."""
        answered = await answer(Tool(name="book"), arguments)

        assert answered.error == "the arguments are no JSON object"
        assert answered.arguments == arguments

    @pytest.mark.parametrize("nothing", [None, " "], ids=["null", "blank"])
    async def test_nothing_is_no_parameters(self, nothing: object) -> None:
        """As some models call a tool that needs none."""
        call = ToolCall(name="book", arguments=nothing)

        (answered,) = await ToolHost([Tool(name="book")], {}).answer([call])

        assert answered.error is None

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            pytest.param({"room": "R-1"}, None, id="fit"),
            pytest.param({"room": "R-1", "more": 1}, None, id="more"),
            pytest.param(
                {"room": 7},
                "the arguments do not fit: $.room: 7 is not of type 'string'",
                id="type",
            ),
            pytest.param(
                {}, "the arguments do not fit: $: 'room' is a required", id="missing"
            ),
            pytest.param(
                {"room": "X"}, "the arguments do not fit: $.room: ", id="pattern"
            ),
        ],
    )
    async def test_arguments_are_held_against_the_schema(
        self, arguments: object, error: str | None
    ) -> None:
        """The words say where and why."""
        answered = await answer(Tool(name="book", parameters=SCHEMA), arguments)

        assert (answered.error or "").startswith(error or "")
        assert (answered.error is None) == (error is None)
        assert (answered.result is None) == (error is not None)

    async def test_endless_arguments(self) -> None:
        """No agent makes us check for ever."""
        answered = await answer(Tool(name="book"), {"room": "R" * 70_000})

        assert answered.error == (
            "the arguments are too long: 70,012 characters, at most 65,536"
        )

    async def test_long_arguments_are_checked_beside_the_loop(self) -> None:
        """Others' times are measured on it."""
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0)

        tool = Tool(name="book", parameters={"properties": {"n": {"items": SCHEMA}}})
        heart = asyncio.create_task(beat())
        answered = await answer(tool, {"n": [{"room": "R-1"}] * 3_000})
        heart.cancel()

        assert answered.error is None
        assert beats > 10

    async def test_values_that_take_quadratic_time(self) -> None:
        """What is left over is sought among few only."""
        tool = Tool(name="book", parameters={"unevaluatedProperties": False})

        answered = await answer(tool, {"n": list(range(5_000))})

        assert answered.error == "the arguments are more than 2,000 values"


class TestReal:
    """Tools that are really called."""

    tool = Tool(name="look", writes=False, respond=REAL, parameters=SCHEMA)

    async def test_results_come_in_the_order_of_the_calls(self) -> None:
        """Though they are called at once, and the first one takes longest."""
        rooms = Rooms()
        calls = [calling("look", {"room": f"R-{n}"}, f"c{n}") for n in range(3)]

        answered = await ToolHost([self.tool], {}, caller=rooms).answer(calls)

        assert [call.result for call in answered] == [
            {"room": "R-0"},
            {"room": "R-1"},
            {"room": "R-2"},
        ]
        assert {call.source for call in answered} == {ToolSource.LIVE}
        assert rooms.most == 3

    async def test_a_server_is_not_overrun(self) -> None:
        """However often one reply calls."""
        rooms = Rooms()
        calls = [calling("look", {"room": "R-1"})] * 50

        await ToolHost([self.tool], {}, caller=rooms).answer(calls)

        assert (rooms.most, len(rooms.asked)) == (8, 50)

    async def test_a_failure_is_told_to_the_agent(self) -> None:
        """Marked as what really happened."""
        rooms = Rooms(fault=LiveError("HTTP 500"))

        (answered,) = await ToolHost([self.tool], {}, caller=rooms).answer(
            [calling("look", {"room": "R-1"})]
        )

        assert (answered.error, answered.source) == ("HTTP 500", ToolSource.LIVE)

    async def test_a_missing_secret_is_our_fault(self) -> None:
        """The agent is told nothing of it."""
        rooms = Rooms(fault=SecretError("KEY", "secret KEY is not set"))
        host = ToolHost([self.tool], {}, caller=rooms)

        with pytest.raises(SecretError, match="KEY is not set"):
            await host.answer([calling("look", {"room": "R-1"})] * 2)

    async def test_bad_arguments_reach_no_server(self) -> None:
        """It is we who say no."""
        rooms = Rooms()

        (answered,) = await ToolHost([self.tool], {}, caller=rooms).answer(
            [calling("look", {"room": 7})]
        )

        assert answered.source is ToolSource.MOCKED
        assert rooms.asked == []

    async def test_what_writes_is_never_called(self) -> None:
        """Not even where a case says so."""
        rooms = Rooms()
        host = ToolHost([Tool(name="book")], {"book": REAL}, caller=rooms)

        (answered,) = await host.answer([calling("book")])

        assert answered.error == "the tool writes: it is never called for real"
        assert rooms.asked == []

    async def test_without_a_caller_nothing_is_called(self) -> None:
        """The agent is told."""
        answered = await answer(self.tool, {"room": "R-1"})

        assert answered.error == "no tool can be called for real here"
