"""The image's health check, against real servers."""

import asyncio
import ssl
import sys

from pathlib import Path

import pytest

from aiohttp import web
from aiohttp.test_utils import TestServer

from certificates import Authority
from containers.dockerfile import ROOT


SCRIPT = ROOT / "deploy" / "docker" / "healthcheck.py"


def server(status: int) -> TestServer:
    """Return a server that answers *status* at the daemon's path."""

    async def handler(_request: web.Request) -> web.Response:
        return web.Response(status=status)

    app = web.Application()
    app.add_routes([web.get("/-/healthy", handler)])
    return TestServer(app, host="127.0.0.1")


async def check(url: str, **environment: str) -> tuple[int | None, str]:
    """Return exit status and words of the check of *url*."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", SCRIPT, url),
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    _, words = await process.communicate()
    return process.returncode, words.decode()


class TestHealthcheck:
    """Exit status and words."""

    async def test_healthy_is_0(self) -> None:
        """Without a word."""
        async with server(200) as daemon:
            assert await check(str(daemon.make_url("/-/healthy"))) == (0, "")

    async def test_unhealthy_is_1(self) -> None:
        """It says what was asked."""
        async with server(503) as daemon:
            url = str(daemon.make_url("/-/healthy"))

            assert await check(url) == (1, f"{url} did not answer 200\n")

    async def test_own_certificate_is_enough(self, tmp_path: Path) -> None:
        """A name that the certificate does not have is no fault on loopback."""
        pair = Authority(tmp_path).issue("shop.example")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(pair.certificate, pair.key)
        daemon = server(200)
        await daemon.start_server(ssl=context)

        try:
            assert await check(str(daemon.make_url("/-/healthy"))) == (0, "")
        finally:
            await daemon.close()

    async def test_no_proxy_is_asked(self) -> None:
        """Whatever the environment says."""
        async with server(200) as daemon:
            url = str(daemon.make_url("/-/healthy"))

            status, _ = await check(url, http_proxy="http://127.0.0.1:1")

        assert status == 0

    @pytest.mark.parametrize(
        "url",
        [
            pytest.param("https://example.com/", id="another_host"),
            pytest.param("file:///etc/passwd", id="no_http"),
            pytest.param("http://127.0.0.1:http/", id="no_port"),
        ],
    )
    async def test_only_loopback_is_asked(self, url: str) -> None:
        """A certificate is not looked at, so nobody else is."""
        status, words = await check(url)

        assert status == 1
        assert words.startswith(f"{url}: ")
