import asyncio
import logging

import pytest

from structlog.testing import capture_logs

from web.serving import Client, World, said, serving


GET_ONLY = ("/metrics", "/-/healthy", "/-/ready", "/v1/monitors", "/v1/runs/1")
POST_ONLY = ("/-/reload", "/v1/deploys", "/v1/monitors/shop/pause")


async def spoken(client: Client, message: bytes) -> bytes:
    """Return what the server says to *message*, until it hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    writer.write(message)
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    return answer


class TestWrongRequests:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            *(pytest.param("POST", path, id=f"POST {path}") for path in GET_ONLY),
            *(pytest.param("GET", path, id=f"GET {path}") for path in POST_ONLY),
            pytest.param("DELETE", "/v1/monitors/shop", id="DELETE"),
            pytest.param("OPTIONS", "/v1/deploys", id="preflight"),
        ],
    )
    async def test_a_wrong_method_is_405(self, method: str, path: str) -> None:
        """With the right ones in Allow, and the error as JSON."""
        async with serving(World()) as client:
            response = await client.request(method, path)

            assert response.status == 405
            assert response.headers["Allow"]
            assert "Access-Control-Allow-Origin" not in response.headers
            assert method in await said(response)

    @pytest.mark.parametrize(
        "path", ["/v1/", "/v1/nope", "/nope", "/v1/monitors/", "/v1/runs/1/x"]
    )
    async def test_what_is_not_there_is_404(self, path: str) -> None:
        """As JSON, like every error."""
        async with serving(World()) as client:
            response = await client.get(path)

            assert response.status == 404
            assert await said(response)

    @pytest.mark.parametrize(
        "message",
        [
            pytest.param(b"\x16\x03\x01\x02\r\n\r\n", id="tls"),
            pytest.param(b"hello\r\n\r\n", id="no-http"),
            pytest.param(b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", id="raw-bytes"),
            pytest.param(
                b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"a" * 20_000), id="too-long"
            ),
            pytest.param(
                b"POST /v1/deploys HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde",
                id="damaged-gzip",
            ),
            pytest.param(
                b"POST /v1/deploys HTTP/1.1\r\nHost: localhost\r\n"
                b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                id="damaged-chunk",
            ),
        ],
    )
    async def test_broken_http_is_400_and_leaves_no_trace(
        self, message: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Anybody can send it: it must not fill the log nor count as our fault."""
        world = World()
        with capture_logs() as events:
            async with serving(world) as client:
                answer = await spoken(client, message)

        assert b" 400 " in answer.partition(b"\r\n")[0]
        assert world.internal_errors == 0
        assert [r for r in caplog.records if r.levelno >= logging.INFO] == []
        assert events == []

    async def test_a_caller_who_hangs_up_is_no_fault_of_ours(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A body that never comes whole ends the request and nothing else."""
        world = World()
        with capture_logs() as events:
            async with serving(world) as client:
                _, writer = await asyncio.open_connection("127.0.0.1", client.port)
                writer.write(
                    b"POST /v1/deploys HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Length: 50\r\n\r\nabc"
                )
                await writer.drain()
                await client.get("/-/ready")
                writer.close()
                await client.get("/-/ready")

        assert world.internal_errors == 0
        assert world.fleet.untouched
        assert [r for r in caplog.records if r.levelno >= logging.INFO] == []
        assert events == []


class TestOwnFaults:
    async def test_a_bug_is_500_logged_and_counted(self) -> None:
        """The caller learns nothing of it, the log everything."""
        world = World()
        world.evidence.bug = ZeroDivisionError("a bug of ours")
        with capture_logs() as events:
            async with serving(world) as client:
                response = await client.get("/v1/runs")

                assert response.status == 500
                assert "bug of ours" not in await said(response)
        assert world.internal_errors == 1
        assert events[0]["event"] == "request.failed"
        assert events[0]["path"] == "/v1/runs"

    async def test_a_store_that_is_down_is_503(self) -> None:
        """It may pass: nothing is counted as a bug."""
        world = World()
        world.evidence.down = True
        async with serving(world) as client:
            response = await client.get("/v1/runs")

            assert response.status == 503
            assert "store" in await said(response)
        assert world.internal_errors == 0


class TestHead:
    @pytest.mark.parametrize(
        "path", ["/v1/monitors", "/v1/runs", "/v1/openapi.json", "/metrics", "/config"]
    )
    async def test_head_has_the_headers_of_get_and_no_body(self, path: str) -> None:
        """Its length is that of the body which GET has."""
        async with serving(World()) as client:
            whole = await client.get(path)
            head = await client.head(path)

            assert (head.status, await head.read()) == (200, b"")
            assert head.headers["Content-Type"] == whole.headers["Content-Type"]
            assert head.headers["Content-Length"] == str(len(await whole.read()))
