"""The demo agent over HTTP, where it acts and remembers."""

import json

from collections.abc import Mapping

import pytest

from aiohttp import web
from aiohttp.test_utils import TestClient
from pytest_aiohttp import AiohttpClient

from answerprobe.demo.agent import ShopAgent
from answerprobe.demo.listening import Sessions, over_openai


Client = TestClient[web.Request, web.Application]
ASKED = {"role": "user", "content": "Where is my order A-1001?"}
CALL = {
    "id": "call_look_up_order",
    "type": "function",
    "function": {"name": "look_up_order", "arguments": '{"order": "A-1001"}'},
}
TOOLS = [{"type": "function", "function": {"name": "look_up_order"}}]
MONEY = "I want my money back."


@pytest.fixture
async def client(aiohttp_client: AiohttpClient) -> Client:
    """Return a client of a fresh agent."""
    app = web.Application()
    app.add_routes(ShopAgent().routes())
    return await aiohttp_client(app)


async def chat(client: Client, **body: object) -> dict[str, object]:
    """Return the agent's reply over the chat protocol."""
    async with client.post("/api/chat", json=body) as response:
        reply: dict[str, object] = await response.json()
        return reply


async def complete(client: Client, *more: Mapping[str, object]) -> dict[str, object]:
    """Return the choice of a completion with tools, after *more* messages."""
    body = {"messages": [ASKED, *more], "tools": TOOLS}
    async with client.post("/v1/chat/completions", json=body) as response:
        choice: dict[str, object] = (await response.json())["choices"][0]
        return choice


class TestTools:
    """Over the OpenAI protocol it calls what it is offered."""

    async def test_calls_a_tool(self, client: Client) -> None:
        """The reply is a call without words."""
        assert await complete(client) == {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": None, "tool_calls": [CALL]},
        }

    async def test_answers_with_the_result(self, client: Client) -> None:
        """What came back is in the answer."""
        result = {
            "role": "tool",
            "tool_call_id": CALL["id"],
            "content": '{"status": "lost"}',
        }

        choice = await complete(
            client, {"role": "assistant", "tool_calls": [CALL]}, result
        )

        assert "A-1001 is lost" in json.dumps(choice["message"])

    async def test_streams_a_call(self, client: Client) -> None:
        """The pieces of a stream say the same."""
        body = {"messages": [ASKED], "tools": TOOLS, "stream": True}
        async with client.post("/v1/chat/completions", json=body) as response:
            events = (await response.text()).split("\n\n")

        choices = [
            json.loads(event.removeprefix("data: "))["choices"][0]
            for event in events[:-2]
        ]
        assert choices[1]["delta"] == {"tool_calls": [{"index": 0, **CALL}]}
        assert choices[-1]["finish_reason"] == "tool_calls"

    @pytest.mark.parametrize(
        "tools",
        [
            pytest.param(None, id="none"),
            pytest.param("look_up_order", id="a text"),
            pytest.param([{"function": "x"}, 1, {"function": {"name": []}}], id="odd"),
        ],
    )
    def test_knows_no_other_tools(self, tools: object) -> None:
        """What it cannot read is not offered."""
        heard = over_openai({"messages": [ASKED], "tools": tools})

        assert heard.tools == frozenset()

    @pytest.mark.parametrize(
        ("content", "value"),
        [
            pytest.param('{"a": 1}', {"a": 1}, id="JSON"),
            pytest.param("it went well", "it went well", id="text"),
            pytest.param(["x"], ["x"], id="no text"),
        ],
    )
    def test_reads_results(self, content: object, value: object) -> None:
        """JSON is read, anything else is what it is."""
        told = {"role": "tool", "tool_call_id": "call_refund", "content": content}

        heard = over_openai({"messages": [ASKED, told]})

        assert heard.results == {"refund": value}


class TestChat:
    """Over the chat protocol it has its own tools and its own memory."""

    async def test_tells_which_tools_it_called(self, client: Client) -> None:
        """With arguments and results."""
        reply = await chat(client, message=ASKED["content"])

        assert "A-1001 is shipped" in str(reply["answer"])
        assert reply["tool_calls"] == [
            {
                "name": "look_up_order",
                "arguments": {"order": "A-1001"},
                "result": {
                    "order": "A-1001",
                    "status": "shipped",
                    "carrier": "Zephyr",
                    "total": 120,
                },
            }
        ]

    async def test_remembers_a_session(self, client: Client) -> None:
        """The receipt belongs to what was asked before, in this session alone."""
        await chat(client, message=MONEY, session="one")

        here = await chat(client, message="It is R-4711.", session="one")
        elsewhere = await chat(client, message="It is R-4711.", session="two")

        assert "on its way back" in str(here["answer"])
        assert "tool_calls" not in elsewhere

    async def test_reads_the_history(self, client: Client) -> None:
        """What was said before may come along."""
        history = [
            {"role": "user", "content": MONEY},
            {"role": "assistant", "content": "Which receipt?"},
        ]

        reply = await chat(client, message="It is R-4711.", history=history)

        assert "on its way back" in str(reply["answer"])

    async def test_refuses_a_history_it_cannot_read(self, client: Client) -> None:
        """An earlier message without a text is an error."""
        reply = await chat(client, message="Hi", history=[{"role": "user"}])

        assert reply == {"error": 'write {"message": "your question"}'}


class TestSessions:
    """What it keeps."""

    def test_is_bounded(self) -> None:
        """Old messages and old sessions are forgotten."""
        sessions = Sessions()
        for number in range(150):
            sessions.add("long", str(number))

        assert sessions.add("long", "last")[0] == "51"
        for number in range(1000):
            sessions.add(f"session {number}", "Hi")
        assert sessions.add("long", "again") == ("again",)
