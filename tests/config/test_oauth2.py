"""Tokens that are fetched by client credentials."""

import pytest

from answerprobe.connection import Oauth2Auth
from answerprobe.secret import Secret
from config.loading import load_text, problems, whole


CLIENT = (
    "client_id: probe, client_secret: secret.TOKEN, token_url: https://id.example/t"
)


def auth(inner: str) -> str:
    """Return a monitor's line with *inner* as its client."""
    return f"auth: {{oauth2: {{{inner}}}}}"


class TestOauth2:
    """A client of its own."""

    def test_of_a_target(self) -> None:
        """Secrets are named, scopes are listed."""
        text = whole(auth(f"{CLIENT}, scopes: [chat, 'orders:read']"))

        found = load_text(text).monitors[0].target.connection.auth

        assert found == Oauth2Auth(
            client_id=Secret("probe"),
            client_secret=Secret("secret.TOKEN"),
            token_url=Secret("https://id.example/t"),
            scopes=("chat", "orders:read"),
        )

    def test_of_a_live_tool(self) -> None:
        """It has a way in of its own."""
        live = f"{{live: {{url: http://h/o, auth: {{oauth2: {{{CLIENT}}}}}}}}}"
        tool = f"[{{name: look, writes: false, respond: {live}}}]"
        text = whole(f"protocol: openai\n    model: m\n    tools: {tool}")

        assert load_text(text).monitors[0].target.tools[0].name == "look"

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            pytest.param(
                auth("client_id: x"),
                "4:20: monitors[0].auth.oauth2: lacks client_secret, token_url",
                id="keys",
            ),
            pytest.param(
                auth(CLIENT.replace("https:", "ftp:")),
                "4:79: monitors[0].auth.oauth2.token_url: has the scheme 'ftp'; "
                "wanted: http://… or https://…",
                id="URL",
            ),
            pytest.param(
                auth(f"{CLIENT}, scopes: [chat orders]"),
                "4:110: monitors[0].auth.oauth2.scopes[0]: is 'chat orders'; wanted: "
                "one scope, without blanks or quotes",
                id="scope",
            ),
            pytest.param(
                auth(f"{CLIENT}, scopes: []"),
                "4:109: monitors[0].auth.oauth2.scopes: is an empty list; wanted: a "
                "list of scopes",
                id="no scope",
            ),
            pytest.param(
                f"{auth(CLIENT)}\n    headers: {{Authorization: x}}",
                "5:15: monitors[0].headers.Authorization: is set by `auth` too; write "
                "it once",
                id="header",
            ),
        ],
    )
    def test_is_refused(self, line: str, says: str) -> None:
        """Where it stands."""
        assert problems(whole(line)) == [says]

    def test_a_missing_secret_is_named(self) -> None:
        """As everywhere."""
        (problem,) = problems(whole(auth(CLIENT)), {})

        assert problem.startswith("4:54: monitors[0].auth.oauth2.client_secret: ")
        assert "TOKEN is not set" in problem

    def test_no_value_is_shown(self) -> None:
        """A mistake shows no secret."""
        text = whole(
            auth("client_id: x, client_secret: [hunter2], token_url: http://h")
        )

        (problem,) = problems(text)

        assert "hunter2" not in problem
