"""Access tokens by the client credentials grant."""

import asyncio
import base64

from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from answerprobe.connection import Connection, Oauth2Auth
from answerprobe.sample import ErrorReason
from answerprobe.secret import Scrubber, Secret
from targets import granting, raw


_UNAUTHORIZED = raw.http(b'{"error": "expired"}', status="401 Unauthorized")


class TestFetched:
    """A token comes from the endpoint, by the book."""

    async def test_the_agent_gets_it_as_a_bearer(self) -> None:
        """It wins over a header that the user wrote."""
        async with granting.world(raw.sending(granting.granted())) as world:
            (reply,) = await world.ask()

        assert reply.answer == raw.ANSWER
        assert world.sent == ["Bearer t-1"]

    async def test_the_client_says_who_it_is_in_a_header(self) -> None:
        """Form-encoded first; the agent's own headers are not sent there."""
        async with granting.world(raw.sending(granting.granted())) as world:
            world.scopes = ("chat.read", "chat write")
            await world.ask()

        (asked,) = world.tokens.asked
        pair = base64.b64encode(b"an+id:s3cr3t%2B%2F").decode()
        assert asked.line == "POST /ask HTTP/1.1"
        assert asked.headers["authorization"] == f"Basic {pair}"
        assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
        assert "x-tenant" not in asked.headers
        assert parse_qs(asked.body.decode()) == {
            "grant_type": ["client_credentials"],
            "scope": ["chat.read chat write"],
        }

    async def test_many_samples_fetch_one(self) -> None:
        """Of several monitors with the same credentials too."""
        async with granting.world(
            raw.sending(granting.granted(expires_in=60))
        ) as world:
            replies = await world.ask(times=20)

        assert [reply.answer for reply in replies] == [raw.ANSWER] * 20
        assert len(world.tokens.asked) == 1


class TestConnection:
    """The token endpoint is reached like the agent."""

    async def test_it_is_asked_through_the_proxy(self) -> None:
        """The monitor's own."""
        replies = raw.in_turn(granting.granted(), raw.answer())
        async with raw.serving(replies) as proxy:
            auth = Oauth2Auth(
                client_id=Secret("id"),
                client_secret=Secret("s"),
                token_url=Secret("http://login.invalid/token"),
            )
            connection = Connection(
                url=Secret("http://agent.invalid/ask"),
                auth=auth,
                proxy=Secret(f"http://127.0.0.1:{proxy.port}"),
            )

            reply = await raw.ask(replace(raw.chat("x"), connection=connection))

        assert reply.answer == raw.ANSWER
        assert [asked.line for asked in proxy.asked] == [
            "POST http://login.invalid/token HTTP/1.1",
            "POST http://agent.invalid/ask HTTP/1.1",
        ]


class TestKept:
    """Until shortly before its end."""

    @pytest.mark.parametrize(
        ("expires_in", "later", "fetched"),
        [
            pytest.param(3600, 3500.0, 1, id="good still"),
            pytest.param(3600, 3571.0, 2, id="soon over"),
            pytest.param("60", 53.0, 1, id="a number as text"),
            pytest.param(None, 269.0, 1, id="nothing said"),
            pytest.param(None, 271.0, 2, id="nothing said for a while"),
            pytest.param(0, 0.0, 2, id="never kept"),
            pytest.param(1e308, 86371.0, 2, id="a day at most"),
            pytest.param("soon", 1.0, 1, id="no number"),
        ],
    )
    async def test_it_is_fetched_anew_when_it_expires(
        self, expires_in: object, later: float, fetched: int
    ) -> None:
        """By the clock, not by the agent's word."""
        async with granting.world(
            raw.sending(granting.granted(expires_in=expires_in))
        ) as world:
            await world.ask()
            world.now = later
            await world.ask()

        assert len(world.tokens.asked) == fetched

    async def test_a_refused_one_is_replaced_once(self) -> None:
        """The only time that the agent is asked again."""
        tokens = raw.in_turn(granting.granted("old"), granting.granted("new"))
        agent = raw.in_turn(raw.answer(), _UNAUTHORIZED, raw.answer())
        async with granting.world(tokens, agent) as world:
            await world.ask()
            (reply,) = await world.ask()

        assert reply.answer == raw.ANSWER
        assert world.sent == ["Bearer old", "Bearer old", "Bearer new"]

    async def test_an_agent_that_takes_none_is_an_error(self) -> None:
        """After the second one."""
        async with granting.world(
            raw.sending(granting.granted()), raw.sending(_UNAUTHORIZED)
        ) as world:
            (reply,) = await world.ask()

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.HTTP_STATUS
        assert len(world.sent) == 2

    async def test_a_401_without_oauth2_is_final(self) -> None:
        """Nothing is asked twice."""
        async with raw.serving(raw.sending(_UNAUTHORIZED)) as server:
            await raw.ask(raw.chat(server.url))

        assert len(server.asked) == 1


class TestSecret:
    """A token is one too."""

    async def test_an_agent_that_echoes_it_gives_nothing_away(self) -> None:
        """Not in the words of a failure, nor wherever else secrets are masked."""

        async def echo(asked: raw.Asked, writer: asyncio.StreamWriter) -> None:
            body = asked.headers["authorization"].encode()
            writer.write(raw.http(body, status="500 No", content_type="text/plain"))
            writer.close()

        async with granting.world(
            raw.sending(granting.granted("tok-4711")), echo
        ) as world:
            (reply,) = await world.ask()

        assert reply.failure is not None
        assert reply.failure.detail == "HTTP 500: Bearer <secret>"
        assert Scrubber(world.secrets).scrub("tok-4711") == "<secret>"


class TestTiming:
    """What is measured is the agent."""

    async def test_fetching_is_no_part_of_the_latency(self) -> None:
        """The clock starts when the agent is connected to."""
        steps: list[float] = []
        async with granting.world(raw.sending(granting.granted())) as world:

            async def slow(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
                world.now += 3.0
                steps.append(world.now)
                writer.write(granting.granted(expires_in=60))
                writer.close()

            async with raw.serving(slow) as world.tokens:
                (reply,) = await world.ask()

        assert steps == [3.0]
        assert reply.duration_seconds == 0.0
