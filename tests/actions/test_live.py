"""Tools that are really called, over sockets."""

import asyncio
import base64
import gzip
import json

from collections.abc import Mapping
from pathlib import Path

import pytest

from yarl import URL

from answerprobe.actions import LiveCaller, LiveError
from answerprobe.actions._live import with_query
from answerprobe.connection import (
    Auth,
    BasicAuth,
    BearerAuth,
    Connection,
    HeaderAuth,
    Oauth2Auth,
    TlsSettings,
)
from answerprobe.errors import SecretError
from answerprobe.secret import Secret, SecretSource
from answerprobe.tool import Live, LiveMethod
from targets import raw


ARGUMENTS: Mapping[str, object] = {"room": "R-1", "nights": 2}


def live(
    url: str,
    *,
    auth: Auth | None = None,
    method: LiveMethod = LiveMethod.POST,
    headers: Mapping[str, Secret] | None = None,
    proxy: str | None = None,
) -> Live:
    """Return the tool at *url*."""
    connection = Connection(
        url=Secret(url),
        auth=auth,
        headers=headers or {},
        proxy=Secret(proxy) if proxy else None,
    )
    return Live(connection=connection, method=method)


async def call(tool: Live, arguments: Mapping[str, object] = ARGUMENTS) -> object:
    """Return what *tool* answers."""
    return await LiveCaller(version="1.2").call(tool, arguments)


async def result(data: bytes) -> object:
    """Return the result where the server sends *data*."""
    async with raw.serving(raw.sending(data)) as server:
        return await call(live(server.url))


async def error(*data: bytes) -> str:
    """Return the words of the failure where the server sends *data*."""
    async with raw.serving(raw.sending(*data)) as server:
        with pytest.raises(LiveError) as caught:
            await call(live(server.url))
    return str(caught.value)


class TestRequest:
    async def test_post_sends_the_arguments_as_json(self) -> None:
        """Once, on a connection of its own, with our name."""
        async with raw.serving(raw.sending(raw.http(b"{}"))) as server:
            await call(live(server.url))

        (asked,) = server.asked
        assert asked.line == "POST /ask HTTP/1.1"
        assert asked.json == ARGUMENTS
        assert asked.headers["content-type"] == "application/json"
        assert asked.headers["user-agent"] == "answerprobe/1.2"
        assert "authorization" not in asked.headers
        assert "cookie" not in asked.headers

    async def test_get_sends_them_as_a_query(self) -> None:
        """Without a body."""
        async with raw.serving(raw.sending(raw.http(b"{}"))) as server:
            await call(live(server.url + "?v=1", method=LiveMethod.GET))

        (asked,) = server.asked
        assert asked.line == "GET /ask?v=1&room=R-1&nights=2 HTTP/1.1"
        assert asked.body == b""
        assert "content-type" not in asked.headers

    @pytest.mark.parametrize(
        ("auth", "name", "value"),
        [
            pytest.param(
                BearerAuth(token=Secret("t-1")), "authorization", "Bearer t-1", id="b"
            ),
            pytest.param(
                BasicAuth(username=Secret("me"), password=Secret("pw")),
                "authorization",
                f"Basic {base64.b64encode(b'me:pw').decode()}",
                id="basic",
            ),
            pytest.param(
                HeaderAuth(name="X-Key", value=Secret("k-1")), "x-key", "k-1", id="own"
            ),
        ],
    )
    async def test_it_gets_in_by_its_own_credentials(
        self, auth: Auth, name: str, value: str
    ) -> None:
        """Whatever their kind."""
        async with raw.serving(raw.sending(raw.http(b"{}"))) as server:
            headers = {"X-Shop": Secret("7")}
            await call(live(server.url, auth=auth, headers=headers))

        assert server.asked[0].headers[name] == value
        assert server.asked[0].headers["x-shop"] == "7"

    async def test_an_access_token_is_fetched_once(self) -> None:
        """And anew where it is refused."""
        replies = iter(
            [
                raw.http(b'{"access_token": "first", "expires_in": 900}'),
                raw.http(b'{"n": 1}'),
                raw.http(status="401 Unauthorized"),
                raw.http(b'{"access_token": "second", "expires_in": 900}'),
                raw.http(b'{"n": 2}'),
            ]
        )

        async def handler(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            writer.write(next(replies))
            writer.close()

        async with raw.serving(handler) as server:
            auth = Oauth2Auth(
                client_id=Secret("me"),
                client_secret=Secret("pw"),
                token_url=Secret(server.url),
            )
            caller, tool = LiveCaller(version="1"), live(server.url, auth=auth)
            results = [await caller.call(tool, {}), await caller.call(tool, {})]

        assert results == [{"n": 1}, {"n": 2}]
        sent = [asked.headers["authorization"] for asked in server.asked]
        basic = f"Basic {base64.b64encode(b'me:pw').decode()}"
        assert sent == [
            basic,
            "Bearer first",
            "Bearer first",
            basic,
            "Bearer second",
        ]

    async def test_it_goes_through_its_proxy(self) -> None:
        """The tool's own, none of the environment."""
        async with raw.serving(raw.sending(raw.http(b"{}"))) as proxy:
            await call(
                live("http://shop.invalid/x", proxy=f"http://127.0.0.1:{proxy.port}")
            )

        assert proxy.asked[0].line == "POST http://shop.invalid/x HTTP/1.1"

    async def test_a_missing_secret_is_our_fault(self) -> None:
        """Nothing is sent."""
        token = Secret("secret.GONE", SecretSource(environment={}))

        with pytest.raises(SecretError, match="GONE"):
            await call(live("http://127.0.0.1:1/", auth=BearerAuth(token=token)))

    async def test_a_ca_file_that_is_gone_is_a_failure_of_the_tool(
        self, tmp_path: Path
    ) -> None:
        """It is checked like a monitor's."""
        tls = TlsSettings(ca_file=tmp_path / "gone.pem")
        connection = Connection(url=Secret("https://127.0.0.1:1/"), tls=tls)

        with pytest.raises(LiveError, match="No such file"):
            await call(Live(connection=connection))


class TestResult:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            pytest.param(raw.http(b'{"a": [1]}'), {"a": [1]}, id="object"),
            pytest.param(
                raw.http(b"[1, 2]", content_type="text/plain"), [1, 2], id="array"
            ),
            pytest.param(raw.http(b"On the van."), "On the van.", id="text"),
            pytest.param(raw.http(b"{oops"), "{oops", id="no JSON"),
            pytest.param(raw.http(b"041"), "041", id="digits"),
            pytest.param(raw.http(b""), {"status": "success"}, id="empty"),
            pytest.param(
                raw.http(status="204 No Content"), {"status": "success"}, id="204"
            ),
            pytest.param(
                raw.http(gzip.compress(b'{"a": 1}'), "Content-Encoding: gzip"),
                {"a": 1},
                id="gzip",
            ),
            pytest.param(
                raw.http("für".encode("latin-1"), content_type="a/b; charset=latin1"),
                "für",
                id="latin-1",
            ),
        ],
    )
    async def test_table(self, data: bytes, expected: object) -> None:
        """Objects and arrays are JSON whatever their type, all else is a text."""
        assert await result(data) == expected

    async def test_secrets_that_are_echoed_reach_nobody(self) -> None:
        """Least of all the agent."""
        body = json.dumps({"you sent": "Bearer t-4711"}).encode()
        async with raw.serving(raw.sending(raw.http(body))) as server:
            caller = LiveCaller(
                version="1", scrub=lambda text: text.replace("t-4711", "<secret>")
            )
            found = await caller.call(live(server.url), {})

        assert found == {"you sent": "Bearer <secret>"}


class TestFailure:
    @pytest.mark.parametrize(
        ("data", "says"),
        [
            pytest.param(
                raw.http(b'{"error": "no such room"}', status="404 Not Found"),
                "HTTP 404: no such room",
                id="status",
            ),
            pytest.param(
                raw.http(status="500 Oops"), "HTTP 500", id="status without words"
            ),
            pytest.param(
                raw.http(b"", "Location: https://login.invalid/?t=1", status="302 Go"),
                "HTTP 302 to https://login.invalid/; redirects are not followed",
                id="redirect",
            ),
            pytest.param(
                raw.http(b"a" * 70_000), "the reply is longer than 64 KB", id="long"
            ),
            pytest.param(
                raw.http(gzip.compress(b"a" * 900_000), "Content-Encoding: gzip"),
                "the reply is longer than 64 KB",
                id="bomb",
            ),
            pytest.param(
                raw.http(b"\x81\xff"), "the body is no utf-8 text", id="no text"
            ),
            pytest.param(
                raw.http(b"half", length=100), "the connection was lost", id="cut"
            ),
            pytest.param(b"", "the connection was closed before", id="hung up"),
            pytest.param(b"SSH-2.0\r\n\r\n", "the reply is no HTTP", id="no HTTP"),
        ],
    )
    async def test_table(self, data: bytes, says: str) -> None:
        """The words are for the agent, on one line."""
        assert (await error(data)).startswith(says)

    async def test_nobody_there(self) -> None:
        """It says where."""
        async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as gone:
            port = gone.sockets[0].getsockname()[1]

        with pytest.raises(LiveError, match=f"127.0.0.1 port {port}: Connection ref"):
            await call(live(f"http://127.0.0.1:{port}/"))

    async def test_no_answer_in_time(self) -> None:
        """A tool has a deadline of its own."""

        async def never(_: raw.Asked, writer: asyncio.StreamWriter) -> None:
            await writer.wait_closed()

        async with raw.serving(never) as server:
            caller = LiveCaller(version="1", deadline_seconds=0.05)
            with pytest.raises(LiveError, match="no answer within 50ms"):
                await caller.call(live(server.url), {})

    async def test_secrets_in_the_words_are_taken_out(self) -> None:
        """A server may quote what it was sent."""
        data = raw.http(b'{"error": "bad key k-4711"}', status="403 No")
        async with raw.serving(raw.sending(data)) as server:
            caller = LiveCaller(
                version="1", scrub=lambda text: text.replace("k-4711", "<secret>")
            )
            with pytest.raises(LiveError) as caught:
                await caller.call(live(server.url), {})

        assert str(caught.value) == "HTTP 403: bad key <secret>"


class TestQuery:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            pytest.param({"a": "x y&z"}, "k=1&a=x+y%26z", id="text"),
            pytest.param({"a": True, "b": None}, "k=1&a=true&b=null", id="JSON"),
            pytest.param({"a": ["x", 2]}, "k=1&a=x&a=2", id="array"),
            pytest.param({"a": {"b": 1}}, "k=1&a=%7B%22b%22:+1%7D", id="object"),
            pytest.param({"a": []}, "k=1", id="empty array"),
            pytest.param({"k": "2", "a": "3"}, "k=1&a=3", id="already there"),
            pytest.param({"a": "\ud800"}, "k=1&a=%EF%BF%BD", id="lone surrogate"),
        ],
    )
    def test_table(self, arguments: dict[str, object], expected: str) -> None:
        """What the URL says already, an agent cannot say again."""
        url = with_query(URL("http://shop.invalid/x?k=1"), arguments)

        assert url.raw_query_string == expected
