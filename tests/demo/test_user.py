"""The demo's stand-in for a simulated user."""

import json

import pytest

from aiohttp import web
from aiohttp.test_utils import TestClient
from pytest_aiohttp import AiohttpClient

from answerprobe.case import Conversation
from answerprobe.conversation._wording import messages_for, read_utterance
from answerprobe.demo.user import Line, Part, StandInUser, next_line, read_part
from answerprobe.demo.wire import BadRequest
from answerprobe.sample import Speaker, Turn


Client = TestClient[web.Request, web.Application]
ANNOYED = Part(
    persona="An annoyed customer who has no receipt.",
    goal="Get the money for order A-1001 back.",
)
CALM = Part(persona="A friendly person.", goal="Change the address of A-1001.")


class TestNextLine:
    """What it says."""

    @pytest.mark.parametrize(
        ("part", "said", "heard", "message"),
        [
            pytest.param(
                ANNOYED,
                0,
                "",
                "I want to get the money for order A-1001 back. Now!",
                id="first, annoyed",
            ),
            pytest.param(
                CALM, 0, "", "I want to change the address of A-1001.", id="first"
            ),
            pytest.param(
                ANNOYED,
                1,
                "Please send me your receipt.",
                "I have no receipt. Just do it!",
                id="asked for what it lacks",
            ),
            pytest.param(
                CALM,
                1,
                "What is your order number?",
                "The number is A-1001.",
                id="asked for what it has",
            ),
            pytest.param(
                CALM,
                1,
                "Hm.",
                "I told you what I want. Can you do it or not?",
                id="anything else",
            ),
        ],
    )
    def test_goes_by_keywords(
        self, part: Part, said: int, heard: str, message: str
    ) -> None:
        """Of persona, goal, and what the agent said."""
        assert next_line(part, said, heard) == Line(message=message)

    @pytest.mark.parametrize(
        ("part", "said", "heard", "message"),
        [
            pytest.param(CALM, 1, "Done.", "Thank you, that is all.", id="done"),
            pytest.param(CALM, 2, "No.", "I see. Goodbye.", id="not done"),
            pytest.param(
                ANNOYED,
                2,
                "No.",
                "That is ridiculous. I give up.",
                id="not done, annoyed",
            ),
        ],
    )
    def test_comes_to_an_end(
        self, part: Part, said: int, heard: str, message: str
    ) -> None:
        """When it has what it wants, or with its third message."""
        assert next_line(part, said, heard) == Line(message=message, done=True)


class TestReadPart:
    """It reads the prompt that answerprobe really writes."""

    def test_reads_persona_and_goal(self) -> None:
        """Whatever stands in them."""
        conversation = Conversation(
            persona="A {curious}\n\nperson.", goal="Know all.\nNow."
        )
        texts = [(m["role"], m["content"]) for m in messages_for(conversation, ())]

        assert read_part(texts) == Part(
            persona=conversation.persona, goal="Know all.\nNow."
        )

    def test_refuses_other_prompts(self) -> None:
        """What is no such prompt is refused with what is missing."""
        with pytest.raises(BadRequest, match="no persona and goal"):
            read_part([("user", "Hello")])


class TestStandInUser:
    """Over HTTP."""

    @pytest.fixture
    async def client(self, aiohttp_client: AiohttpClient) -> Client:
        """Return a client of the stand-in."""
        app = web.Application()
        app.add_routes(StandInUser().routes())
        return await aiohttp_client(app)

    async def test_replies_as_a_simulated_user(self, client: Client) -> None:
        """Each line is one that answerprobe can use, until it is done."""
        conversation = Conversation(persona=ANNOYED.persona, goal=ANNOYED.goal)
        turns: list[Turn] = []
        ends, spent = [], []
        for _ in range(3):
            body = {"messages": messages_for(conversation, turns)}
            async with client.post("/user/v1/chat/completions", json=body) as response:
                reply = await response.json()
            content = reply["choices"][0]["message"]["content"]
            utterance = read_utterance(content, turns, structured=True)
            ends.append(utterance.done)
            spent.append(reply["usage"]["prompt_tokens"])
            turns += [
                Turn(speaker=Speaker.USER, text=utterance.message),
                Turn(speaker=Speaker.AGENT, text="Your receipt, please."),
            ]

        assert ends == [False, False, True]
        assert 100 < spent[0] < spent[1] < spent[2]

    @pytest.mark.parametrize(
        "messages",
        [
            pytest.param([], id="empty"),
            pytest.param("hello", id="a text"),
            pytest.param([1, {"role": "system"}], id="odd"),
        ],
    )
    async def test_refuses_what_it_cannot_read(
        self, client: Client, messages: object
    ) -> None:
        """Anything else is a 400 in the protocol's own form."""
        data = json.dumps({"messages": messages})
        async with client.post("/user/v1/chat/completions", data=data) as response:
            error = (await response.json())["error"]

        assert response.status == 400
        assert error["message"] == "no persona and goal as answerprobe writes them"
