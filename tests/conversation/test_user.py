import asyncio
import json

from datetime import UTC, datetime

from aiohttp import web

from answerprobe.case import Conversation
from answerprobe.conversation import Line, Silence, SimulatedUser
from answerprobe.monitor import SimulatedUserSettings
from judge.api import Api, Asked, Script, completion, serving


CONVERSATION = Conversation(persona="A customer.", goal="A refund.")


def user_at(api: Api) -> SimulatedUser:
    return SimulatedUser(
        SimulatedUserSettings(
            connection=api.connection, model="user-1", timeout_seconds=5
        ),
        slots=asyncio.Semaphore(1),
        scrub=lambda text: text.replace("hunter2", "<secret>"),
        now=lambda: datetime.now(UTC),
    )


def replies(*contents: object) -> Script:
    """Say *contents* one after the other; a number is an HTTP status."""
    left = list(contents)

    async def script(_: Asked) -> web.StreamResponse:
        content = left.pop(0)
        if isinstance(content, int):
            return web.json_response({"error": {"message": "busy"}}, status=content)
        return web.json_response(completion(content))

    return script


async def speak(script: Script) -> tuple[Line | Silence, list[Asked]]:
    async with serving(script) as api:
        user = user_at(api)
        line = await user.speak(CONVERSATION, ())
        await user.close()
        return line, api.asked


class TestSpeak:
    async def test_asks_for_structured_output(self) -> None:
        """And says what came, who said it, and what it cost."""
        said, asked = await speak(replies('{"message": "Hi.", "done": false}'))

        assert isinstance(said, Line)
        assert said.utterance.message == "Hi."
        assert said.usage.total > 0
        assert "response_format" in asked[0].body

    async def test_a_useless_reply_is_asked_for_once_more(self) -> None:
        """The second one counts, and both are paid for."""
        good = json.dumps({"message": "Hi.", "done": False})

        said, asked = await speak(replies("How can I help you?", good))

        assert isinstance(said, Line)
        assert len(asked) == 2

    async def test_two_useless_replies_are_silence(self) -> None:
        """It is not asked a third time."""
        said, asked = await speak(replies(503, "", "never"))

        assert isinstance(said, Silence)
        assert said.reason.startswith("simulated user: ")
        assert len(asked) == 2

    async def test_a_server_without_structured_output_speaks_plainly(self) -> None:
        """The mark that its part names ends the conversation."""

        async def script(asked: Asked) -> web.StreamResponse:
            if "response_format" in asked.body:
                error = {"message": "response_format is not supported"}
                return web.json_response({"error": error}, status=400)
            return web.json_response(completion("Thanks, bye. ###STOP###"))

        said, _ = await speak(script)

        assert isinstance(said, Line)
        assert said.utterance.message == "Thanks, bye."
        assert said.utterance.done
