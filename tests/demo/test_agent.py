"""The demo agent over HTTP."""

import json

import pytest

from aiohttp import web
from aiohttp.test_utils import TestClient
from pytest_aiohttp import AiohttpClient

from answerprobe.demo.agent import MODEL, ShopAgent


Client = TestClient[web.Request, web.Application]
QUESTION = {"message": "What's your refund window?"}
CHAT = [{"role": "user", "content": QUESTION["message"]}]
UNUSABLE = [
    pytest.param(b"hello", "the body is no JSON", id="no JSON"),
    pytest.param(b"\xff", "the body is no JSON", id="no text"),
    pytest.param(b"[" * 50_000, "the body is no JSON", id="nested deeply"),
    pytest.param(b"[]", "the body is no JSON object", id="a list"),
]


@pytest.fixture
async def client(aiohttp_client: AiohttpClient) -> Client:
    """Return a client of a fresh agent."""
    app = web.Application(client_max_size=64 * 1024)
    app.add_routes(ShopAgent().routes())
    return await aiohttp_client(app)


async def misbehave(client: Client, mode: object) -> int:
    """Put the agent into *mode* and return the status of doing so."""
    async with client.post("/misbehave", json={"mode": mode}) as response:
        return response.status


async def error_of(client: Client, path: str, data: bytes) -> tuple[int, object]:
    """Post *data* to *path*; return status and error."""
    async with client.post(path, data=data) as response:
        return response.status, (await response.json())["error"]


async def streamed(client: Client, **more: object) -> list[str]:
    """Ask for a stream; return the events' data."""
    body = {"model": MODEL, "messages": CHAT, "stream": True, **more}
    async with client.post("/v1/chat/completions", json=body) as response:
        lines = (await response.text()).split("\n\n")
        return [line.removeprefix("data: ") for line in lines if line]


class TestChat:
    """`POST /api/chat`."""

    async def test_answers(self, client: Client) -> None:
        """A message is answered in the field `answer`."""
        async with client.post("/api/chat", json=QUESTION) as response:
            reply = await response.json()

        assert list(reply) == ["answer"]
        assert "30 days" in reply["answer"]

    @pytest.mark.parametrize(("data", "says"), UNUSABLE)
    async def test_refuses_what_is_no_object(
        self, client: Client, data: bytes, says: str
    ) -> None:
        """A body that is no JSON object is refused with a reason."""
        assert await error_of(client, "/api/chat", data) == (400, says)

    @pytest.mark.parametrize(
        ("message", "says"),
        [
            pytest.param(None, 'write {"message": "your question"}', id="null"),
            pytest.param(" \n", 'write {"message": "your question"}', id="blank"),
            pytest.param(
                "x" * 4001, "the question is over 4000 characters", id="too long"
            ),
        ],
    )
    async def test_refuses_a_bad_message(
        self, client: Client, message: object, says: str
    ) -> None:
        """A message that is no question is refused with what is wanted."""
        data = json.dumps({"message": message}).encode()

        assert await error_of(client, "/api/chat", data) == (400, says)


class TestCompletions:
    """`POST /v1/chat/completions`."""

    async def test_answers_the_last_user_message(self, client: Client) -> None:
        """The last user message counts, not what was said before it."""
        messages = [{"role": "user", "content": "When are you open?"}, *CHAT]
        body = {"model": MODEL, "messages": messages}

        async with client.post("/v1/chat/completions", json=body) as response:
            choice = (await response.json())["choices"][0]

        assert "30 days" in choice["message"]["content"]
        assert choice["finish_reason"] == "stop"

    async def test_counts_tokens(self, client: Client) -> None:
        """The usage adds up."""
        body = {"model": MODEL, "messages": CHAT}

        async with client.post("/v1/chat/completions", json=body) as response:
            usage = (await response.json())["usage"]

        assert usage["prompt_tokens"] == 7
        assert usage["total_tokens"] == 7 + usage["completion_tokens"]

    async def test_stream_adds_up_to_the_answer(self, client: Client) -> None:
        """The pieces of a stream are the plain answer, and it ends as it should."""
        *events, end = await streamed(client)

        choices = [json.loads(event)["choices"][0] for event in events]
        text = "".join(choice["delta"].get("content", "") for choice in choices)
        assert text.startswith("You can return anything within 30 days")
        assert text.endswith("/policies/refunds")
        assert (choices[-1]["finish_reason"], end) == ("stop", "[DONE]")

    async def test_stream_tells_usage_when_asked(self, client: Client) -> None:
        """With `include_usage` the last event has no choices but the tokens."""
        events = await streamed(client, stream_options={"include_usage": True})

        last = json.loads(events[-2])
        assert last["choices"] == []
        assert last["usage"]["prompt_tokens"] == 7

    async def test_refuses_messages_without_a_question(self, client: Client) -> None:
        """Without a user message there is nothing to answer."""
        data = json.dumps({"messages": [{"role": "system", "content": "Hi"}]}).encode()

        assert await error_of(client, "/v1/chat/completions", data) == (
            400,
            {
                "message": "messages holds no message of the role user",
                "type": "invalid_request_error",
            },
        )


class TestMisbehave:
    """`POST /misbehave`."""

    async def test_wrong_and_ok_again(self, client: Client) -> None:
        """The agent goes wrong when told, and is well again when told."""
        found = []
        for mode in ("wrong", "ok"):
            assert await misbehave(client, mode) == 200
            async with client.post("/api/chat", json=QUESTION) as response:
                found.append("30 days" in await response.text())

        assert found == [False, True]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            pytest.param("/api/chat", QUESTION, id="chat"),
            pytest.param("/v1/chat/completions", {"messages": CHAT}, id="openai"),
        ],
    )
    async def test_down_is_an_error(
        self, client: Client, path: str, body: dict[str, object]
    ) -> None:
        """When down, both protocols say 503."""
        await misbehave(client, "down")

        async with client.post(path, json=body) as response:
            assert response.status == 503

    @pytest.mark.parametrize(
        "mode",
        [
            pytest.param("sideways", id="unknown"),
            pytest.param(None, id="null"),
            pytest.param(["ok"], id="list"),
        ],
    )
    async def test_names_the_modes(self, client: Client, mode: object) -> None:
        """A mode that does not exist is refused with those that do."""
        data = json.dumps({"mode": mode}).encode()

        assert await error_of(client, "/misbehave", data) == (
            400,
            'write {"mode": "..."} with one of: ok, wrong, refuse, leak, slow, down',
        )

    async def test_page_tells_the_mode(self, client: Client) -> None:
        """The agent's own page says how it is doing."""
        await misbehave(client, "leak")

        async with client.get("/") as response:
            assert "It is now: leak" in await response.text()
