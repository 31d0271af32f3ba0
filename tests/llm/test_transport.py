"""How a model's server is reached: certificates, proxies, what is logged."""

import logging
import ssl

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest

from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from answerprobe.connection import Connection, TlsSettings
from answerprobe.errors import LlmError, LlmFault
from answerprobe.secret import Secret
from judge.api import completion, sends, serving
from llm.asking import ask, model


def certified(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "judge.test")])
    now = datetime.now(UTC)
    addresses = [x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "judge.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@asynccontextmanager
async def secure_server(pem: Path) -> AsyncIterator[str]:
    """Serve one completion over TLS."""

    async def handle(request: web.Request) -> web.Response:
        return web.json_response(completion("safe"))

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    server = TestServer(app, host="127.0.0.1", scheme="https")
    await server.start_server(ssl=context)
    try:
        yield f"https://127.0.0.1:{server.port}/v1"
    finally:
        await server.close()


class TestCertificates:
    @pytest.mark.parametrize("how", ["ca_file", "insecure_skip_verify"])
    async def test_a_private_one_can_be_accepted(
        self, how: str, tmp_path: Path
    ) -> None:
        """By naming its authority, or by not looking."""
        pem = certified(tmp_path)
        tls = (
            TlsSettings(ca_file=pem)
            if how == "ca_file"
            else TlsSettings(insecure_skip_verify=True)
        )
        async with (
            secure_server(pem) as url,
            model(Connection(url=Secret(url), tls=tls)) as llm,
        ):
            reply = await ask(llm)

        assert reply.text == "safe"

    async def test_else_it_is_refused(self, tmp_path: Path) -> None:
        """And nothing was sent to whoever that is."""
        async with (
            secure_server(certified(tmp_path)) as url,
            model(Connection(url=Secret(url))) as llm,
        ):
            with pytest.raises(LlmError, match="certificate verify failed") as caught:
                await ask(llm)

        assert caught.value.fault is LlmFault.UNREACHABLE


class TestProxy:
    async def test_the_configured_one_is_used(self) -> None:
        """It is asked for the server's URL."""
        async with serving(sends("by proxy")) as proxy:
            connection = Connection(
                url=Secret("http://judge.test:8000/v1"),
                proxy=Secret(proxy.url.removesuffix("/v1")),
            )
            async with model(connection) as llm:
                reply = await ask(llm)

        assert reply.text == "by proxy"
        assert proxy.asked[0].headers["Host"] == "judge.test:8000"

    async def test_those_of_the_environment_are_not(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They were set for something else."""
        async with serving(sends("by proxy")) as proxy, serving(sends("direct")) as api:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
            async with model(api.connection) as llm:
                reply = await ask(llm)

        assert reply.text == "direct"


class TestLogging:
    async def test_no_url_and_no_header_is_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Whatever level the program logs at."""
        caplog.set_level(logging.DEBUG)
        async with serving(sends("x")) as api, model(api.connection) as llm:
            await ask(llm)

        names = {record.name.partition(".")[0] for record in caplog.records}
        assert not names & {"httpx2", "httpcore2", "openai"}
