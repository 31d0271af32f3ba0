"""How calls to a model fail, over real sockets."""

import asyncio
import re

from dataclasses import replace
from pathlib import Path

import pytest

from aiohttp import web

from answerprobe.connection import Auth, BearerAuth, Connection, TlsSettings
from answerprobe.errors import LlmError, LlmFault
from answerprobe.secret import Secret, SecretSource
from judge.api import Asked, Script, sends, serving
from llm.asking import ask, model


async def failure(
    script: Script, *, timeout_seconds: float = 20.0, auth: Auth | None = None
) -> LlmError:
    """Return how one call fails."""
    async with (
        serving(script) as api,
        model(replace(api.connection, auth=auth)) as llm,
    ):
        with pytest.raises(LlmError) as caught:
            await ask(llm, timeout_seconds)
        return caught.value


class TestFaults:
    async def test_a_server_that_hangs_is_unreachable(self) -> None:
        """The time limit holds by the wall clock, and what was sent is counted."""
        fault = await failure(sends(None), timeout_seconds=0.3)

        assert (fault.fault, fault.permanent) == (LlmFault.UNREACHABLE, False)
        assert str(fault) == "no reply within 0.3 s"
        assert (fault.input_tokens, fault.estimated) == (3, True)

    async def test_a_server_that_drips_is_cut_off(self) -> None:
        """A byte now and then does not put the time limit off."""

        async def script(asked: Asked) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(asked.request)
            while True:
                await response.write(b" ")
                await asyncio.sleep(0.05)

        fault = await failure(script, timeout_seconds=0.3)

        assert str(fault) == "no reply within 0.3 s"

    async def test_nobody_listening_is_unreachable(self) -> None:
        """A refused connection may be accepted later."""
        async with serving(sends("x")) as api:
            pass
        async with model(api.connection) as llm:
            with pytest.raises(LlmError) as caught:
                await ask(llm)

        assert caught.value.fault is LlmFault.UNREACHABLE
        assert not caught.value.permanent
        assert str(caught.value).startswith("no connection: ConnectError")

    @pytest.mark.parametrize(
        ("status", "permanent"),
        [
            pytest.param(400, True, id="400"),
            pytest.param(401, True, id="401"),
            pytest.param(404, True, id="404"),
            pytest.param(408, False, id="408"),
            pytest.param(429, False, id="429"),
            pytest.param(500, False, id="500"),
            pytest.param(503, False, id="503"),
        ],
    )
    async def test_a_status_tells_whether_asking_again_helps(
        self, status: int, *, permanent: bool
    ) -> None:
        """4xx but 408 and 429 stays as it is; nothing is asked twice behind us."""
        async with serving(sends(status)) as api, model(api.connection) as llm:
            with pytest.raises(LlmError) as caught:
                await ask(llm)

        assert caught.value.permanent is permanent
        assert str(caught.value) == f"HTTP {status}: scripted"
        assert len(api.asked) == 1

    async def test_a_redirect_is_not_followed(self) -> None:
        """A key is for the server it was written for."""

        async def script(asked: Asked) -> web.StreamResponse:
            return web.Response(status=307, headers={"Location": "/elsewhere"})

        fault = await failure(script)

        assert (str(fault), fault.permanent) == ("HTTP 307", True)

    async def test_retry_after_is_passed_on(self) -> None:
        """The caller decides whether to wait that long."""
        fault = await failure(sends(429, headers={"Retry-After": "17"}))

        assert fault.retry_after_seconds == 17.0

    @pytest.mark.parametrize("status", [200, 500], ids=["success", "error"])
    async def test_a_huge_body_is_not_read(self, status: int) -> None:
        """At a mebibyte the reply is dropped, an error page too."""

        async def script(asked: Asked) -> web.StreamResponse:
            return web.Response(status=status, body=b"x" * 1_100_000)

        fault = await failure(script)

        assert fault.fault is LlmFault.INVALID
        assert str(fault) == "the server's reply is longer than 1024 KiB"

    async def test_a_compressed_bomb_is_not_unpacked(self) -> None:
        """The bound holds for what comes out."""

        async def script(asked: Asked) -> web.StreamResponse:
            response = web.Response(body=b"x" * 3_000_000)
            response.enable_compression(web.ContentCoding.gzip)
            return response

        fault = await failure(script)

        assert str(fault) == "the server's reply is longer than 1024 KiB"

    async def test_a_missing_secret_is_named(self) -> None:
        """The message says what to set, and nothing was sent."""
        token = Secret("secret.GONE", SecretSource(environment={}))
        async with serving(sends("x")) as api:
            connection = replace(api.connection, auth=BearerAuth(token=token))
            async with model(connection) as llm:
                with pytest.raises(LlmError, match="secret GONE is not set") as caught:
                    await ask(llm)

        assert caught.value.permanent
        assert api.asked == []

    async def test_a_missing_ca_file_is_said(self, tmp_path: Path) -> None:
        """It is no crash, and the message names the key of the configuration."""
        tls = TlsSettings(ca_file=tmp_path / "none.pem")
        connection = Connection(url=Secret("https://127.0.0.1:9"), tls=tls)
        async with model(connection) as llm:
            with pytest.raises(LlmError, match=r"tls\.ca_file cannot be used: No such"):
                await ask(llm)

    @pytest.mark.parametrize(
        "proxy", ["ftp://127.0.0.1:9", "http://[::1"], ids=["scheme", "malformed"]
    )
    async def test_a_bad_proxy_is_said(self, proxy: str) -> None:
        """It is no crash either."""
        connection = Connection(url=Secret("http://127.0.0.1:9"), proxy=Secret(proxy))
        async with model(connection) as llm:
            with pytest.raises(LlmError, match="proxy cannot be used"):
                await ask(llm)

    @pytest.mark.parametrize("key", ["k\nx: y", "klé"], ids=["newline", "not ascii"])
    async def test_a_key_no_header_can_carry_is_not_shown(self, key: str) -> None:
        """The message says that the request can't be sent, not what is wrong in it."""
        fault = await failure(sends("x"), auth=BearerAuth(token=Secret(key)))

        assert re.fullmatch("the request cannot be sent: [A-Za-z]+", str(fault))
        assert fault.permanent

    async def test_an_echoed_secret_is_scrubbed(self) -> None:
        """Before the message is cut, so that no half of it stays."""

        async def script(asked: Asked) -> web.StreamResponse:
            said = "x" * 190 + " bad key " + asked.headers["Authorization"]
            return web.json_response({"error": {"message": said}}, status=401)

        auth = BearerAuth(token=Secret("sk-planted-key"))
        fault = await failure(script, auth=auth)

        assert "sk-p" not in str(fault)
        assert len(str(fault)) <= 220

    async def test_a_cancelled_call_stays_cancelled(self) -> None:
        """Cancellation is no fault of the server."""
        came = asyncio.Event()

        async def script(asked: Asked) -> web.StreamResponse:
            came.set()
            await asyncio.Event().wait()
            return web.Response()

        async with serving(script) as api, model(api.connection) as llm:
            call = asyncio.create_task(ask(llm))
            await came.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
