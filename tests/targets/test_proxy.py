"""A monitor's own proxy."""

import asyncio
import base64

from dataclasses import replace

from answerprobe.monitor import TargetSettings
from answerprobe.sample import ErrorReason
from answerprobe.secret import Secret
from targets import raw


def _through(settings: TargetSettings, proxy: str) -> TargetSettings:
    connection = replace(settings.connection, proxy=Secret(proxy))
    return replace(settings, connection=connection)


class TestProxy:
    """Requests go through it, and its faults are told apart from the agent's."""

    async def test_plain_requests_go_through_it(self) -> None:
        """It is asked for the whole URL, with its own credentials."""
        async with raw.serving(raw.sending(raw.answer())) as proxy:
            address = f"http://me:pw@127.0.0.1:{proxy.port}"

            reply = await raw.ask(
                _through(raw.chat("http://agent.invalid/ask"), address)
            )

        asked = proxy.asked[0]
        credentials = base64.b64encode(b"me:pw").decode()
        assert reply.answer == raw.ANSWER
        assert asked.line == "POST http://agent.invalid/ask HTTP/1.1"
        assert asked.headers["proxy-authorization"] == f"Basic {credentials}"

    async def test_tls_goes_through_a_tunnel(self) -> None:
        """A refused CONNECT is `connect`, with the proxy's status."""
        data = raw.http(status="407 Proxy Authentication Required")
        async with raw.serving(raw.sending(data)) as proxy:
            reply = await raw.ask(
                _through(
                    raw.chat("https://agent.invalid/"), f"http://127.0.0.1:{proxy.port}"
                )
            )

        assert proxy.asked[0].line == "CONNECT agent.invalid:443 HTTP/1.1"
        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.CONNECT
        assert "the proxy answered HTTP 407" in reply.failure.detail

    async def test_a_proxy_that_is_away_is_connect(self) -> None:
        """The detail says that it is the proxy."""
        async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as gone:
            port = gone.sockets[0].getsockname()[1]

        reply = await raw.ask(
            _through(raw.chat("http://agent.invalid/"), f"http://127.0.0.1:{port}")
        )

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.CONNECT
        assert "the proxy 127.0.0.1" in reply.failure.detail
