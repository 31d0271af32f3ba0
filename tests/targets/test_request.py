"""What goes out: once, on a connection of its own, with the right headers."""

import asyncio
import base64

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from answerprobe.connection import Auth, BasicAuth, BearerAuth, Connection, HeaderAuth
from answerprobe.errors import SecretError
from answerprobe.monitor import TargetSettings
from answerprobe.sample import ErrorReason, Failure
from answerprobe.secret import Secret, SecretSource
from answerprobe.targets import make_target
from targets import raw


def _with(
    url: str, *, auth: Auth | None = None, headers: Mapping[str, Secret] | None = None
) -> TargetSettings:
    connection = Connection(url=Secret(url), auth=auth, headers=headers or {})
    return replace(raw.chat(url), connection=connection)


async def _asked(
    auth: Auth | None = None, headers: Mapping[str, Secret] | None = None
) -> raw.Asked:
    async with raw.serving(raw.sending(raw.answer())) as server:
        reply = await raw.ask(_with(server.url, auth=auth, headers=headers))
    assert reply.answer == raw.ANSWER
    return server.asked[0]


class TestHeaders:
    """Ours, the user's, and who wins."""

    async def test_a_request_says_who_asks_and_in_which_trace(self) -> None:
        """User-Agent, traceparent and what we can read."""
        asked = await _asked()

        expected = {
            "user-agent": "answerprobe/1.2",
            "traceparent": raw.TRACEPARENT,
            "accept": "application/json",
            "accept-encoding": "gzip, deflate",
            "content-type": "application/json",
            "connection": "close",
        }
        assert asked.line == "POST /ask HTTP/1.1"
        assert expected.items() <= asked.headers.items()

    async def test_the_users_header_wins(self) -> None:
        """Whatever the case of its name."""
        headers = {"user-agent": Secret("probe"), "ACCEPT": Secret("*/*")}

        asked = await _asked(headers=headers)

        assert asked.headers["user-agent"] == "probe"
        assert asked.headers["accept"] == "*/*"

    async def test_headers_that_make_the_exchange_are_ours(self) -> None:
        """A wrong length or host would only break it; the trace is the sample's."""
        headers = {
            "Host": Secret("elsewhere.example"),
            "Content-Length": Secret("1"),
            "Traceparent": Secret("00-1-1-00"),
        }

        asked = await _asked(headers=headers)

        assert asked.headers["host"].startswith("127.0.0.1:")
        assert asked.headers["traceparent"] == raw.TRACEPARENT

    @pytest.mark.parametrize(
        ("auth", "header", "value"),
        [
            pytest.param(
                BearerAuth(token=Secret("t-1")),
                "authorization",
                "Bearer t-1",
                id="bearer",
            ),
            pytest.param(
                BasicAuth(username=Secret("ann"), password=Secret("pä:ss")),
                "authorization",
                "Basic " + base64.b64encode("ann:pä:ss".encode()).decode(),
                id="basic",
            ),
            pytest.param(
                HeaderAuth(name="X-Api-Key", value=Secret("k-1")),
                "x-api-key",
                "k-1",
                id="header",
            ),
        ],
    )
    async def test_auth_lets_us_in(self, auth: Auth, header: str, value: str) -> None:
        """Each kind makes its header."""
        asked = await _asked(auth=auth)

        assert asked.headers[header] == value

    async def test_a_user_in_the_url_becomes_basic_auth(self) -> None:
        """And is not sent as part of the URL."""
        async with raw.serving(raw.sending(raw.answer())) as server:
            await raw.ask(raw.chat(f"http://ann:pw@127.0.0.1:{server.port}/ask?x=1"))

        expected = "Basic " + base64.b64encode(b"ann:pw").decode()
        assert server.asked[0].headers["authorization"] == expected
        assert server.asked[0].line == "POST /ask?x=1 HTTP/1.1"


class TestSecrets:
    """Read for each exchange."""

    async def test_a_rotated_secret_counts_from_the_next_exchange(
        self, tmp_path: Path
    ) -> None:
        """Without the target being made anew."""
        file = tmp_path / "TOKEN"
        file.write_text("first")
        token = Secret("secret.TOKEN", SecretSource(tmp_path, {}))
        async with raw.serving(raw.sending(raw.answer())) as server:
            settings = _with(server.url, auth=BearerAuth(token=token))
            target = make_target(settings, version="1")
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                await dialogue.say("a", within_seconds=5)
                file.write_text("second one")
                await dialogue.say("b", within_seconds=5)
            await target.close()

        sent = [asked.headers["authorization"] for asked in server.asked]
        assert sent == ["Bearer first", "Bearer second one"]

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("", id="missing"),
            pytest.param("two\nlines", id="line break"),
        ],
    )
    async def test_a_secret_that_cannot_be_used_is_our_fault(self, value: str) -> None:
        """It is raised, by name and without its value, and nothing is sent."""
        token = Secret("secret.TOKEN", SecretSource(environment={"TOKEN": value}))
        async with raw.serving(raw.sending(raw.answer())) as server:
            with pytest.raises(SecretError, match="TOKEN") as caught:
                await raw.ask(_with(server.url, auth=BearerAuth(token=token)))

        assert "two" not in str(caught.value)
        assert server.asked == []

    async def test_a_secret_is_not_in_the_words_of_a_failure(self) -> None:
        """Not even where the target sends it back."""
        data = raw.http(b"bad token s3cr3t", status="500 No", content_type="text/plain")
        async with raw.serving(raw.sending(data)) as server:
            target = make_target(
                raw.chat(server.url),
                version="1",
                scrub=lambda text: text.replace("s3cr3t", "<secret>"),
            )
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                reply = await dialogue.say("a", within_seconds=5)
            await target.close()

        detail = "HTTP 500: bad token <secret>"
        assert reply.failure == Failure(reason=ErrorReason.HTTP_STATUS, detail=detail)


class TestVisitor:
    """Each sample is a new visitor."""

    async def test_each_exchange_has_a_fresh_connection(self) -> None:
        """Also where the server would keep it open."""

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(raw.answer())

        async with raw.serving(handler) as server:
            target = make_target(raw.chat(server.url), version="1")
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                await dialogue.say("a", within_seconds=5)
                await dialogue.say("b", within_seconds=5)
            await target.close()

        assert server.connections == 2

    async def test_cookies_stay_within_a_sample(self) -> None:
        """A cookie comes back in the same dialogue, never in the next."""
        data = raw.http(b'{"answer": "Hi."}', "Set-Cookie: id=7")
        async with raw.serving(raw.sending(data)) as server:
            target = make_target(raw.chat(server.url), version="1")
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                await dialogue.say("a", within_seconds=5)
                await dialogue.say("b", within_seconds=5)
            async with target.dialogue(raw.TRACEPARENT) as dialogue:
                await dialogue.say("c", within_seconds=5)
            await target.close()

        cookies = [asked.headers.get("cookie") for asked in server.asked]
        assert cookies == [None, "id=7", None]

    async def test_the_environments_proxy_is_not_used(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only a monitor's own proxy counts."""
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.delenv("NO_PROXY", raising=False)

        asked = await _asked()

        assert asked.line == "POST /ask HTTP/1.1"


class TestHost:
    """What the limit per host counts by."""

    @pytest.mark.parametrize(
        ("url", "host"),
        [
            pytest.param("https://a.example/chat?k=1", "https://a.example:443", id="s"),
            pytest.param("http://u:p@a.example/x", "http://a.example:80", id="user"),
            pytest.param("http://[::1]:8080/x", "http://[::1]:8080", id="ipv6"),
        ],
    )
    def test_it_is_scheme_name_and_port(self, url: str, host: str) -> None:
        """Without user, path and query."""
        target = make_target(raw.chat(url), version="1")

        assert target.host == host

    @pytest.mark.parametrize(
        "url",
        [
            pytest.param("ftp://a.example/", id="scheme"),
            pytest.param("/chat", id="relative"),
            pytest.param("http://a.example:99999/", id="port"),
        ],
    )
    def test_a_secret_that_makes_no_url_is_our_fault(self, url: str) -> None:
        """It is raised by the name of the secret, never by its value."""
        secret = Secret("secret.URL", SecretSource(environment={"URL": url}))
        settings = replace(raw.chat("x"), connection=Connection(url=secret))

        with pytest.raises(SecretError, match="URL") as caught:
            _ = make_target(settings, version="1").host

        assert url not in str(caught.value)
