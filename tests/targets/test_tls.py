"""Certificates: checked, trusted by a CA file, or knowingly not checked."""

import asyncio
import ipaddress
import os
import ssl

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from answerprobe.connection import TlsSettings
from answerprobe.sample import ErrorReason, Reply
from answerprobe.targets import make_target
from targets import raw


_NOW = datetime.now(UTC)


def _certificate(folder: Path, *, days: int = 1) -> Path:
    """Write a self-signed certificate of 127.0.0.1 with its key, valid for *days*."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "agent")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_NOW - timedelta(days=9))
        .not_valid_after(_NOW + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "agent.pem"
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(certificate.public_bytes(pem) + private)
    return path


def _context(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


async def _ask(port: int, tls: TlsSettings) -> Reply:
    settings = raw.chat(f"https://127.0.0.1:{port}/")
    connection = replace(settings.connection, tls=tls)
    return await raw.ask(replace(settings, connection=connection))


@pytest.fixture(name="certificate")
def _fixture(tmp_path: Path) -> Path:
    return _certificate(tmp_path)


class TestCertificates:
    """Who is trusted."""

    async def test_an_unknown_issuer_is_tls(self, certificate: Path) -> None:
        """The detail says what is wrong with the certificate."""
        handler = raw.sending(raw.answer())
        async with raw.serving(handler, tls=_context(certificate)) as server:
            reply = await _ask(server.port, TlsSettings())

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TLS
        assert reply.failure.detail == (
            "certificate of 127.0.0.1: self-signed certificate"
        )
        assert reply.usage.total == 0

    async def test_a_ca_file_is_trusted(self, certificate: Path) -> None:
        """The monitor's own CA vouches for the agent."""
        handler = raw.sending(raw.answer())
        async with raw.serving(handler, tls=_context(certificate)) as server:
            reply = await _ask(server.port, TlsSettings(ca_file=certificate))

        assert reply.answer == raw.ANSWER

    async def test_verification_can_be_skipped(self, certificate: Path) -> None:
        """Where the user says so."""
        handler = raw.sending(raw.answer())
        async with raw.serving(handler, tls=_context(certificate)) as server:
            reply = await _ask(server.port, TlsSettings(insecure_skip_verify=True))

        assert reply.answer == raw.ANSWER

    async def test_an_expired_certificate_is_tls(self, tmp_path: Path) -> None:
        """Although its issuer is trusted."""
        expired = _certificate(tmp_path, days=-1)
        handler = raw.sending(raw.answer())
        async with raw.serving(handler, tls=_context(expired)) as server:
            reply = await _ask(server.port, TlsSettings(ca_file=expired))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TLS
        assert "expired" in reply.failure.detail

    async def test_a_ca_file_that_is_gone_is_tls(self, tmp_path: Path) -> None:
        """The detail names the file."""
        reply = await _ask(1, TlsSettings(ca_file=tmp_path / "no.pem"))

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TLS
        assert reply.failure.detail.endswith("no.pem: No such file or directory")

    async def test_a_new_ca_file_counts_at_once(self, certificate: Path) -> None:
        """A rotated CA needs no restart."""
        folder = certificate.parent / "other"
        folder.mkdir()
        other = _certificate(folder)
        trusted = certificate.read_bytes()  # noqa: ASYNC240 - tiny
        handler = raw.sending(raw.answer())
        async with raw.serving(handler, tls=_context(certificate)) as server:
            settings = raw.chat(f"https://127.0.0.1:{server.port}/")
            tls = TlsSettings(ca_file=other)
            connection = replace(settings.connection, tls=tls)
            target = make_target(replace(settings, connection=connection), version="1")
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                before = await dialogue.say("a", within_seconds=5)
                other.write_bytes(trusted + b"\n")
                os.utime(other, ns=(1, 1))
                after = await dialogue.say("b", within_seconds=5)
            await target.close()

        assert before.failure is not None
        assert before.failure.reason is ErrorReason.TLS
        assert after.answer == raw.ANSWER


class TestHandshake:
    """Servers that don't speak TLS."""

    async def test_plain_http_on_the_port_is_tls(self) -> None:
        """What comes is no TLS record."""

        async def connected(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.read(10)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            reply = await _ask(server.sockets[0].getsockname()[1], TlsSettings())

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TLS
        assert reply.failure.detail.startswith("TLS with 127.0.0.1: ")

    async def test_a_close_in_the_handshake_is_tls(self) -> None:
        """The server hangs up instead of greeting back."""

        async def connected(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.read(10)
            writer.close()

        async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
            reply = await _ask(server.sockets[0].getsockname()[1], TlsSettings())

        assert reply.failure is not None
        assert reply.failure.reason is ErrorReason.TLS
