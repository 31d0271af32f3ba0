"""Where servers are and how to get in."""

import datetime as dt

from pathlib import Path

import pytest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from answerprobe.config import load
from answerprobe.config._connection import fault_of_url, normal_url
from answerprobe.connection import (
    BasicAuth,
    BearerAuth,
    Connection,
    HeaderAuth,
    TlsSettings,
)
from answerprobe.errors import ConfigError
from answerprobe.secret import Secret, SecretSource
from config.loading import load_text, problems, whole


def connection(line: str) -> Connection:
    """Return how to reach the target."""
    return load_text(whole(line)).monitors[0].target.connection


def certificate() -> bytes:
    """Return a certificate in PEM form."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ca.example")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


class TestUrl:
    """The URL of a server."""

    @pytest.mark.parametrize(
        "url",
        [
            pytest.param("http://h", id="short"),
            pytest.param("https://user:pass@h.example:8443/a/b?c=d", id="long"),
            pytest.param("http://[::1]:80/", id="IPv6"),
            pytest.param("HTTPS://Grüße.example/ä", id="not ASCII"),
        ],
    )
    def test_is_good(self, url: str) -> None:
        """Any HTTP URL with a host."""
        assert fault_of_url(url) is None

    @pytest.mark.parametrize(
        ("url", "fault"),
        [
            pytest.param("ftp://x", "has the scheme 'ftp'", id="scheme"),
            pytest.param("shop.example/chat", "is no URL", id="no scheme"),
            pytest.param("http://", "has no host", id="no host"),
            pytest.param("http://x:99999/", "look at host and port", id="port range"),
            pytest.param("http://x:0/", "has the port 0", id="port 0"),
            pytest.param("http://x:y/", "look at host and port", id="port"),
            pytest.param("http://[::1/", "look at host and port", id="bracket"),
            pytest.param("http://a b/", "holds a blank", id="blank"),
            pytest.param("http://a/\n", "holds a blank", id="line break"),
        ],
    )
    def test_is_refused(self, url: str, fault: str) -> None:
        """With what is wrong, not with the URL: it may hold a password."""
        said = fault_of_url(url)

        assert said is not None
        assert fault in said

    def test_of_a_secret_is_checked_and_not_shown(self) -> None:
        """The value is looked at, the name of the secret is in the file."""
        text = whole().replace("https://shop.example/chat", "secret.TOKEN")

        assert problems(text, {"TOKEN": "hunter2"}) == [
            "3:15: monitors[0].endpoint: is no URL; wanted: http://… or https://…"
        ]
        assert not problems(text, {"TOKEN": "https://h/x"})

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            pytest.param("HTTP://H:80/v1/", "http://h/v1", id="case, port, slash"),
            pytest.param("https://h:443", "https://h/", id="root"),
        ],
    )
    def test_two_spellings_of_one_place(self, one: str, other: str) -> None:
        """Are equal once normalised."""
        assert normal_url(one) == normal_url(other)
        assert normal_url(one) != normal_url("https://h:8443/v2")

    def test_proxy(self) -> None:
        """Only HTTP proxies can be used; nothing written is none."""
        assert connection("proxy: http://p:3128").proxy == Secret("http://p:3128")
        assert connection("proxy:").proxy is None
        assert "has the scheme 'socks5'" in problems(whole("proxy: socks5://p"))[0]


class TestAuth:
    """How to get in."""

    def test_ways(self) -> None:
        """Bearer, basic and a header of one's own."""
        bearer = connection("auth: {bearer: secret.TOKEN}").auth
        basic = connection("auth: {basic: {username: u, password: 0755}}").auth
        header = connection("auth: {header: {name: X-Key, value: k}}").auth

        assert bearer == BearerAuth(token=Secret("secret.TOKEN"))
        assert basic == BasicAuth(username=Secret("u"), password=Secret("0755"))
        assert header == HeaderAuth(name="X-Key", value=Secret("k"))

    def test_secrets_are_read_when_used(self) -> None:
        """The source is the one that the configuration was loaded with."""
        auth = connection("auth: {bearer: secret.TOKEN}").auth

        assert isinstance(auth, BearerAuth)
        assert auth.token.reveal() == "t-4711"

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param(
                "auth: {basic: {username: a:b, password: x}}",
                "4:30: monitors[0].auth.basic.username: holds a colon",
                id="colon",
            ),
            pytest.param(
                "auth: {header: {name: X Key, value: x}}",
                "4:27: monitors[0].auth.header.name: is no header name",
                id="header name",
            ),
            pytest.param(
                'auth: {bearer: "a\\nb"}',
                "4:20: monitors[0].auth.bearer: holds a line break",
                id="line break",
            ),
            pytest.param(
                "auth: {}",
                "4:11: monitors[0].auth: is an empty mapping; wanted: a mapping with",
                id="none",
            ),
        ],
    )
    def test_is_refused(self, line: str, says: str) -> None:
        """Where it can't be sent."""
        assert problems(whole(line))[0].startswith(says)


class TestHeaders:
    """Further headers."""

    def test_values_may_name_secrets(self) -> None:
        """Also within a longer text."""
        headers = connection("headers: {X-Key: Key secret.TOKEN}").headers

        assert headers["X-Key"].reveal() == "Key t-4711"

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param("headers: {'a b': x}", "is no header name", id="name"),
            pytest.param('headers: {A: "x\\r\\nB: y"}', "a line break", id="injection"),
            pytest.param("headers: {A: x, a: y}", "is there already", id="twice"),
            pytest.param(
                "headers: {content-length: 3}", "answerprobe itself", id="framing"
            ),
            pytest.param(
                "auth: {bearer: x}\n    headers: {authorization: y}",
                "is set by `auth` too",
                id="authorization",
            ),
        ],
    )
    def test_is_refused(self, line: str, says: str) -> None:
        """What would not arrive as it is written."""
        (problem,) = problems(whole(line))

        assert says in problem

    def test_a_secret_with_a_line_break(self) -> None:
        """Is found before it is sent."""
        text = whole("headers: {X-Key: secret.TOKEN}")

        (problem,) = problems(text, {"TOKEN": "a\nb"})

        assert "holds a line break" in problem


class TestTls:
    """How certificates are checked."""

    def test_file_is_relative_to_the_configuration(self, tmp_path: Path) -> None:
        """And must be there."""
        (tmp_path / "ca.pem").write_bytes(certificate())
        path = tmp_path / "c.yml"
        path.write_text(whole("tls: {ca_file: ca.pem, insecure_skip_verify: no}"))

        config = load(path, secrets=SecretSource(environment={}))

        tls = config.monitors[0].target.connection.tls
        assert tls == TlsSettings(ca_file=tmp_path / "ca.pem")

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            pytest.param("no.pem", "cannot be read: no such file", id="missing"),
            pytest.param("c.yml", "holds no certificates in PEM form", id="no PEM"),
            pytest.param(".", "cannot be read", id="folder"),
        ],
    )
    def test_unusable_file(self, tmp_path: Path, written: str, says: str) -> None:
        """Is named with what is wrong."""
        path = tmp_path / "c.yml"
        path.write_text(whole(f"tls: {{ca_file: {written}}}"))

        with pytest.raises(ConfigError) as caught:
            load(path, secrets=SecretSource(environment={}))

        (problem,) = caught.value.problems
        assert problem.path == "monitors[0].tls.ca_file"
        assert says in problem.message
