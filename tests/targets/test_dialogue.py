"""Dialogues of several turns: what the agent is told of the turns before."""

import json

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count

import pytest

from answerprobe.monitor import RequestShape, TargetSettings
from answerprobe.sample import ErrorReason
from answerprobe.secret import Secret, SecretSource
from answerprobe.targets import Target, make_target
from targets import raw


_FIRST = raw.http(b'{"answer": "<think>Hm.</think>At nine."}')
_SECOND = raw.http(b'{"answer": "No."}')
_BROKEN = raw.http(b"oops", status="500 No")


def _completion(text: str) -> bytes:
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return raw.http(json.dumps({"choices": [choice]}).encode())


@asynccontextmanager
async def _target(settings: TargetSettings) -> AsyncIterator[Target]:
    numbers = count(1)
    target = make_target(
        settings, version="1", new_session=lambda: f"s-{next(numbers)}"
    )
    try:
        yield target
    finally:
        await target.close()


async def _bodies(
    settings: TargetSettings,
    *replies: bytes,
    said: tuple[str, ...] = ("Open?", "On Sunday?"),
    dialogues: int = 1,
) -> list[object]:
    async with raw.serving(raw.in_turn(*replies)) as server:
        connection = replace(settings.connection, url=Secret(server.url))
        async with _target(replace(settings, connection=connection)) as target:
            for _ in range(dialogues):
                async with target.dialogue(raw.TRACEPARENT) as dialogue:
                    for message in said:
                        await dialogue.say(message, within_seconds=5)
    assert server.connections == len(server.asked)
    return [asked.json for asked in server.asked]


def _chat(shape: RequestShape) -> TargetSettings:
    return replace(raw.chat("x"), request=shape)


class TestOpenAi:
    """The API remembers nothing: all of it is said again."""

    async def test_the_whole_message_list_goes_out(self) -> None:
        """Without what the model thought."""
        replies = (_completion("<think>Hm.</think>At nine."), _completion("No."))
        settings = replace(raw.openai("x"), system_prompt="Be brief.")

        bodies = await _bodies(settings, *replies)

        assert [body["messages"] for body in bodies if isinstance(body, dict)] == [
            [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Open?"},
            ],
            [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Open?"},
                {"role": "assistant", "content": "At nine."},
                {"role": "user", "content": "On Sunday?"},
            ],
        ]

    async def test_a_message_without_a_reply_is_forgotten(self) -> None:
        """The two sides always alternate."""
        bodies = await _bodies(raw.openai("x"), _BROKEN, _completion("No."))

        last = bodies[-1]
        assert isinstance(last, dict)
        assert last["messages"] == [{"role": "user", "content": "On Sunday?"}]

    async def test_all_that_was_said_counts_as_read(self) -> None:
        """Where the API tells nothing of its usage."""
        async with (
            raw.serving(raw.in_turn(_completion("n" * 400))) as server,
            _target(raw.openai(server.url)) as target,
            target.dialogue(raw.TRACEPARENT) as dialogue,
        ):
            first = await dialogue.say("Open", within_seconds=5)
            second = await dialogue.say("Open", within_seconds=5)

        assert (first.usage.input_tokens, second.usage.input_tokens) == (1, 102)


class TestChat:
    """The agent remembers, by a session or by what it is told."""

    async def test_a_session_is_the_same_in_a_dialogue_and_new_in_the_next(
        self,
    ) -> None:
        """Beside the fields that are always sent."""
        shape = RequestShape(session="session_id", extra={"locale": "en"})

        bodies = await _bodies(_chat(shape), _FIRST, dialogues=2)

        assert bodies == [
            {"locale": "en", "session_id": session, "message": message}
            for session in ("s-1", "s-2")
            for message in ("Open?", "On Sunday?")
        ]

    async def test_the_history_is_what_was_said_before(self) -> None:
        """Empty at first; the message itself stands in its own field only."""
        shape = RequestShape(message="q", history="past")

        bodies = await _bodies(_chat(shape), _FIRST, _SECOND)

        assert bodies == [
            {"q": "Open?", "past": []},
            {
                "q": "On Sunday?",
                "past": [
                    {"role": "user", "content": "Open?"},
                    {"role": "assistant", "content": "At nine."},
                ],
            },
        ]

    async def test_a_message_without_a_reply_is_not_in_the_history(self) -> None:
        """It may be said again."""
        bodies = await _bodies(_chat(RequestShape(history="past")), _BROKEN, _SECOND)

        assert bodies[1] == {"message": "On Sunday?", "past": []}

    async def test_a_body_of_ones_own_is_filled(self) -> None:
        """Secrets in it are revealed; nothing else is sent."""
        key = Secret("secret.KEY", SecretSource(environment={"KEY": "k-1"}))
        template = {
            "input": {"text": "{{message}}", "past": "{{history}}"},
            "thread": "probe-{{session}}",
            "keys": [key],
        }

        bodies = await _bodies(_chat(RequestShape(body=template)), _FIRST, _SECOND)

        past = [
            {"role": "user", "content": "Open?"},
            {"role": "assistant", "content": "At nine."},
        ]
        assert bodies == [
            {
                "input": {"text": "Open?", "past": []},
                "thread": "probe-s-1",
                "keys": ["k-1"],
            },
            {
                "input": {"text": "On Sunday?", "past": past},
                "thread": "probe-s-1",
                "keys": ["k-1"],
            },
        ]

    async def test_sessions_are_unguessable_unless_told_otherwise(self) -> None:
        """And never the same."""
        settings = _chat(RequestShape(session="id"))
        async with raw.serving(raw.sending(_FIRST)) as server:
            connection = replace(settings.connection, url=Secret(server.url))
            for _ in range(2):
                await raw.ask(replace(settings, connection=connection))

        one, two = (asked.json for asked in server.asked)
        assert isinstance(one, dict)
        assert isinstance(two, dict)
        assert one["id"] != two["id"]
        assert len(one["id"]) == 36

    async def test_there_is_nothing_to_resume(self) -> None:
        """A chat agent runs its own tools."""
        async with (
            _target(raw.chat("http://127.0.0.1:9/")) as target,
            target.dialogue(raw.TRACEPARENT) as dialogue,
        ):
            with pytest.raises(RuntimeError, match="no tools"):
                await dialogue.resume([], within_seconds=5)


class TestDeadline:
    """Each message has its own."""

    async def test_a_turn_without_time_is_a_timeout(self) -> None:
        """The dialogue goes on behind it."""
        async with (
            raw.serving(raw.in_turn(_FIRST)) as server,
            _target(raw.chat(server.url)) as target,
            target.dialogue(raw.TRACEPARENT) as dialogue,
        ):
            late = await dialogue.say("Open?", within_seconds=-1)
            reply = await dialogue.say("Open?", within_seconds=5)

        assert late.failure is not None
        assert late.failure.reason is ErrorReason.TIMEOUT
        assert reply.answer == "At nine."
