import socket

import pytest

from aiohttp import web

from answerprobe.daemon.listen import ListenAddress, listen, told
from answerprobe.errors import ListenError


class TestParse:
    @pytest.mark.parametrize(
        ("text", "host", "port", "on_loopback"),
        [
            pytest.param("127.0.0.1:10099", "127.0.0.1", 10099, True, id="ipv4"),
            pytest.param("localhost:80", "localhost", 80, True, id="name"),
            pytest.param("[::1]:80", "::1", 80, True, id="ipv6"),
            pytest.param("[::0]:80", "::0", 80, False, id="any-ipv6-spelled-out"),
            pytest.param("[::]:80", "::", 80, False, id="any-ipv6"),
            pytest.param(":80", "", 80, False, id="every-interface"),
            pytest.param("10.0.0.7:80", "10.0.0.7", 80, False, id="network"),
            pytest.param("probe.example:0", "probe.example", 0, False, id="any-port"),
        ],
    )
    def test_an_address_is_understood(
        self, text: str, host: str, port: int, *, on_loopback: bool
    ) -> None:
        """And whether only this machine can reach it."""
        address = ListenAddress.parse(text)

        assert address == ListenAddress(host=host, port=port)
        assert address.on_loopback is on_loopback
        assert str(address) == text

    @pytest.mark.parametrize(
        "text",
        ["", "80", "localhost", "localhost:", "a:b", "a:-1", "a:65536", "::1:80"],
    )
    def test_anything_else_shows_the_right_spelling(self, text: str) -> None:
        """With what was written."""
        with pytest.raises(ListenError, match="write HOST:PORT") as refused:
            ListenAddress.parse(text)

        assert repr(text) in str(refused.value)


class TestListen:
    @pytest.mark.parametrize(
        ("host", "fault"),
        [
            pytest.param("192.0.2.1", "Cannot assign requested address", id="foreign"),
            pytest.param("a..b", "no host name", id="no-name"),
            pytest.param("x" * 70, "no host name", id="too-long"),
        ],
    )
    async def test_an_address_that_is_not_ours_is_one_line(
        self, host: str, fault: str
    ) -> None:
        """In the system's words."""
        assert await refusal(ListenAddress(host=host, port=9)) == (
            f"cannot listen on {host}:9: {fault}"
        )

    async def test_one_in_use_is_one_line(self) -> None:
        """Another program has it."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            said = await refusal(ListenAddress(host="127.0.0.1", port=port))

        assert said == f"cannot listen on 127.0.0.1:{port}: Address already in use"


class TestTold:
    @pytest.mark.parametrize(
        "host", [pytest.param("127.0.0.1", id="one"), pytest.param("", id="every")]
    )
    async def test_of_port_0_it_is_where_it_can_be_reached(self, host: str) -> None:
        """Nobody could know it otherwise."""
        address = ListenAddress(host=host, port=0)
        runner = web.AppRunner(web.Application())
        await runner.setup()
        try:
            await listen(runner, address)
            for text in told(runner, address).split(", "):
                reached = ListenAddress.parse(text)
                with socket.create_connection((reached.host, reached.port), timeout=5):
                    assert reached.port != 0
        finally:
            await runner.cleanup()

    async def test_another_port_is_told_as_written(self) -> None:
        """With the name that was asked for."""
        runner = web.AppRunner(web.Application())

        assert told(runner, ListenAddress(host="localhost", port=80)) == "localhost:80"


async def refusal(address: ListenAddress) -> str:
    """Return why nobody can listen at *address*."""
    runner = web.AppRunner(web.Application())
    await runner.setup()
    try:
        with pytest.raises(ListenError) as refused:
            await listen(runner, address)
        return str(refused.value)
    finally:
        await runner.cleanup()
