"""Token endpoints that grant nothing."""

import asyncio

import pytest

from answerprobe.errors import SecretError
from answerprobe.sample import ErrorReason
from targets import granting, raw


class TestFailed:
    """No token, no question; and whose fault it is."""

    @pytest.mark.parametrize(
        ("data", "reason", "detail"),
        [
            pytest.param(
                raw.http(b'{"error": "invalid_client"}', status="401 No"),
                ErrorReason.HTTP_STATUS,
                "token endpoint: HTTP 401: invalid_client",
                id="refused",
            ),
            pytest.param(
                raw.http(b'{"error": "bad s3cr3t+/"}', status="400 No"),
                ErrorReason.HTTP_STATUS,
                "token endpoint: HTTP 400: bad <secret>",
                id="an echo",
            ),
            pytest.param(
                raw.http(b'{"error": {"code": "content_filter"}}', status="400 No"),
                ErrorReason.HTTP_STATUS,
                "token endpoint: HTTP 400",
                id="no filter",
            ),
            pytest.param(
                raw.http(b"", "Location: /login", status="302 Found"),
                ErrorReason.REDIRECT,
                "token endpoint: HTTP 302 to /login; redirects are not followed",
                id="redirect",
            ),
            pytest.param(
                raw.http(b"<html>"),
                ErrorReason.NOT_JSON,
                "token endpoint: application/json: not JSON: Expecting value, "
                "character 0 of 6",
                id="not json",
            ),
            pytest.param(
                raw.http(b"[]"),
                ErrorReason.NO_ANSWER,
                "token endpoint: the reply is an array, no object",
                id="no object",
            ),
            pytest.param(
                raw.http(b'{"token": "t"}'),
                ErrorReason.NO_ANSWER,
                "token endpoint: no access_token in the reply; its fields: token",
                id="no token",
            ),
            pytest.param(
                raw.http(b'{"error": "slow_down"}'),
                ErrorReason.UPSTREAM_ERROR,
                "token endpoint: slow_down",
                id="an error with 200",
            ),
            pytest.param(
                granting.granted("two\r\nlines"),
                ErrorReason.NO_ANSWER,
                "token endpoint: access_token is nothing that a header can carry",
                id="a line break",
            ),
            pytest.param(
                raw.http(b" " * (1 << 20) + b"{}"),
                ErrorReason.BODY_TOO_LARGE,
                "token endpoint: the body has more than 1,048,576 bytes",
                id="too large",
            ),
        ],
    )
    async def test_it_says_that_it_was_the_token_endpoint(
        self, data: bytes, reason: ErrorReason, detail: str
    ) -> None:
        """The agent is not asked, and nothing was spent."""
        async with granting.world(raw.sending(data)) as world:
            (reply,) = await world.ask()

        assert reply.failure is not None
        assert (reply.failure.reason, reply.failure.detail) == (reason, detail)
        assert world.agent.asked == []
        assert reply.usage.total == 0

    async def test_samples_that_wait_share_a_failure(self) -> None:
        """An endpoint in trouble is not asked once for each."""
        data = raw.http(b"", status="503 No")
        async with granting.world(raw.sending(data)) as world:
            replies = await world.ask(times=10)
            asked = len(world.tokens.asked)
            await world.ask()

        reasons = {reply.failure.reason for reply in replies if reply.failure}
        assert reasons == {ErrorReason.HTTP_STATUS}
        assert asked < 10
        assert len(world.tokens.asked) == asked + 1

    async def test_one_that_hangs_is_a_timeout(self) -> None:
        """Within the deadline of the question, for those who wait too."""

        async def hanging(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            await writer.wait_closed()

        async with granting.world(hanging) as world:
            replies = await world.ask(within_seconds=0.05, times=2)

        words = "no answer within 50ms: the token endpoint gave no token"
        assert [r.failure.detail for r in replies if r.failure] == [words, words]

    async def test_a_secret_that_is_missing_is_our_fault(self) -> None:
        """It is raised by its name."""
        async with granting.world(raw.sending(granting.granted()), client="") as world:
            target = world.target()
            with pytest.raises(SecretError, match="CLIENT"):
                await granting.asked(target, 5.0)
            await target.close()

        assert world.tokens.asked == []
