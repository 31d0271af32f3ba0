"""One model on one server, over a real socket."""

import subprocess
import sys

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aiohttp import web

from answerprobe import __version__
from answerprobe.connection import Auth, BasicAuth, BearerAuth, Connection, HeaderAuth
from answerprobe.llm import Completion
from answerprobe.sample import TokenUsage
from answerprobe.secret import Secret, SecretSource
from judge.api import Api, Asked, completion, sends, serving
from llm.asking import HELLO, ask, model


class TestLoading:
    def test_the_openai_package_is_not_loaded_before_a_call(self) -> None:
        """It takes a second, which a config without judged criteria never pays."""
        program = (
            "import sys, answerprobe.judge, answerprobe.llm;"
            "print(sorted({'openai', 'httpx2', 'pydantic'} & set(sys.modules)))"
        )

        done = subprocess.run(  # noqa: S603  our own interpreter and program
            [sys.executable, "-c", program], capture_output=True, check=True, text=True
        )

        assert done.stdout.strip() == "[]"


class TestCall:
    async def test_the_reply_comes_back_whole(self) -> None:
        """Text, reported model, reason of the end and usage are the server's."""
        async with serving(sends("Good day")) as api, model(api.connection) as llm:
            reply = await ask(llm)

        assert reply == Completion(
            text="Good day",
            usage=TokenUsage(input_tokens=90, output_tokens=9),
            model="fake-2026-01-01",
            finish_reason="stop",
        )

    async def test_the_request_is_what_the_protocol_says(self) -> None:
        """Model, messages and parameters go below the base URL."""
        async with serving(sends("x")) as api, model(api.connection) as llm:
            await ask(llm)

        assert api.asked[0].path == "/v1/chat/completions"
        assert api.asked[0].body == {
            "model": "small-1",
            "messages": HELLO,
            "max_tokens": 50,
            "temperature": 0.0,
            "response_format": {"type": "json_object"},
        }

    async def test_a_query_of_the_base_url_stays(self) -> None:
        """Some gateways want `?api-version=` on every request."""
        async with serving(sends("x")) as api:
            connection = Connection(url=Secret(api.url + "?api-version=1"))
            async with model(connection) as llm:
                await ask(llm)

        assert api.asked[0].path == "/v1/chat/completions?api-version=1"

    async def test_calls_share_their_connection(self) -> None:
        """A second call does not connect anew."""
        peers = []

        async def script(asked: Asked) -> web.StreamResponse:
            return web.json_response(completion("x"))

        async with serving(script) as api, model(api.connection) as llm:
            for _ in range(2):
                await ask(llm)
                peers.append(llm._wires[None])

        assert peers[0] is peers[1]

    async def test_a_compressed_reply_is_read(self) -> None:
        """A proxy may compress what we asked to have plain."""

        async def script(asked: Asked) -> web.StreamResponse:
            response = web.json_response(completion("x" * 3000))
            response.enable_compression(web.ContentCoding.gzip)
            return response

        async with serving(script) as api, model(api.connection) as llm:
            reply = await ask(llm)

        assert reply.text == "x" * 3000


def headers_of(api: Api) -> dict[str, str]:
    """Return the headers of the only request, names in lower case."""
    return {name.lower(): value for name, value in api.asked[0].headers.items()}


class TestAuthentication:
    async def test_without_auth_no_authorization_is_sent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nor anything else that the package finds in the environment."""
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody")
        monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-of-an-admin")
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: somebody")

        async with serving(sends("x")) as api, model(api.connection) as llm:
            await ask(llm)

        assert headers_of(api).keys() == {
            "host",
            "accept",
            "accept-encoding",
            "connection",
            "content-length",
            "content-type",
            "user-agent",
        }
        assert headers_of(api)["user-agent"] == f"answerprobe/{__version__}"

    @pytest.mark.parametrize(
        ("auth", "sent"),
        [
            pytest.param(
                BearerAuth(token=Secret("k-1")),
                {"authorization": "Bearer k-1"},
                id="bearer",
            ),
            pytest.param(
                BasicAuth(username=Secret("ann"), password=Secret("pw")),
                {"authorization": "Basic YW5uOnB3"},
                id="basic",
            ),
            pytest.param(
                HeaderAuth(name="X-Api-Key", value=Secret("k-2")),
                {"x-api-key": "k-2"},
                id="header",
            ),
        ],
    )
    async def test_auth_becomes_its_header(
        self, auth: Auth, sent: Mapping[str, str]
    ) -> None:
        """Each kind of auth sends its own header and no other."""
        async with (
            serving(sends("x")) as api,
            model(replace(api.connection, auth=auth)) as llm,
        ):
            await ask(llm)

        headers = headers_of(api)
        assert sent.items() <= headers.items()
        assert ("authorization" in headers) == ("authorization" in sent)

    async def test_own_headers_are_sent(self) -> None:
        """What `headers` says goes along, an Authorization of one's own too."""
        own = {"X-Team": Secret("shop"), "authorization": Secret("Token t")}
        async with (
            serving(sends("x")) as api,
            model(replace(api.connection, headers=own)) as llm,
        ):
            await ask(llm)

        headers = headers_of(api)
        assert (headers["x-team"], headers["authorization"]) == ("shop", "Token t")

    async def test_a_rotated_secret_is_used_at_once(self, tmp_path: Path) -> None:
        """The next call after the file changed carries the new key."""
        key = tmp_path / "KEY"
        token = Secret("secret.KEY", SecretSource(tmp_path, {}))
        async with serving(sends("x")) as api:
            connection = replace(api.connection, auth=BearerAuth(token=token))
            async with model(connection) as llm:
                for value in ("first", "the-second"):
                    key.write_text(value)
                    await ask(llm)

        keys = [asked.headers["Authorization"] for asked in api.asked]
        assert keys == ["Bearer first", "Bearer the-second"]
