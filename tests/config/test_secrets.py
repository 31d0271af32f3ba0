"""Secrets that a configuration names."""

from pathlib import Path

import pytest

from answerprobe.config import ApiToken, Limits, Scope, load
from answerprobe.secret import Scrubber, Secret, SecretSource
from config.loading import load_text, problems, whole


class TestMissing:
    """A secret that is not there."""

    def test_all_are_named_at_their_keys(self) -> None:
        """Each once, with how often it is used."""
        text = whole(
            "auth: {bearer: secret.ONE}\n    headers: {A: secret.ONE, B: x secret.TWO}"
        )

        assert [p.partition(": it needs")[0] for p in problems(text, {})] == [
            "4:20: monitors[0].auth.bearer: secret ONE is not set",
            "5:33: monitors[0].headers.B: secret TWO is not set",
        ]
        assert "(it is used 2 times)" in problems(text, {})[0]

    @pytest.mark.parametrize(
        ("line", "path"),
        [
            pytest.param("auth: {bearer: secret.X}", "auth.bearer", id="bearer"),
            pytest.param(
                "auth: {basic: {username: u, password: secret.X}}",
                "auth.basic.password",
                id="basic",
            ),
            pytest.param(
                "auth: {header: {name: K, value: secret.X}}",
                "auth.header.value",
                id="header",
            ),
            pytest.param("headers: {A: secret.X}", "headers.A", id="headers"),
            pytest.param("proxy: http://u:secret.X@p", "proxy", id="proxy"),
            pytest.param(
                "request: {extra: {a: {b: [c, secret.X]}}}",
                "request.extra.a.b[1]",
                id="request",
            ),
        ],
    )
    def test_everywhere_it_may_stand(self, line: str, path: str) -> None:
        """In auth, headers, URLs and request."""
        (problem,) = problems(whole(line), {})

        assert f"monitors[0].{path}: secret X is not set" in problem

    def test_an_empty_one(self) -> None:
        """Is as good as none."""
        (problem,) = problems(whole("auth: {bearer: secret.X}"), {"X": ""})

        assert "secret X is empty" in problem

    def test_may_be_allowed(self) -> None:
        """For a check where no secrets are."""
        text = whole("auth: {bearer: secret.X}", "judge: Says nine.").replace(
            "https://shop.example/chat", "secret.URL"
        )

        config = load_text(text, {}, allow_missing_secrets=True)

        assert config.monitors[0].target.connection.url == Secret("secret.URL")
        assert config.judges["default"].connection.auth is not None


class TestText:
    """Where a text stays a text."""

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(whole(criterion="contains: secret.X"), id="rule"),
            pytest.param(whole(criterion="regex: secret.X"), id="pattern"),
            pytest.param(
                whole().replace("When do you open?", "What is secret.X?"), id="question"
            ),
            pytest.param(
                whole("protocol: openai\n    model: m\n    system_prompt: secret.X"),
                id="prompt",
            ),
        ],
    )
    def test_names_of_secrets_mean_nothing(self, text: str) -> None:
        """Nothing secret is ever sent to an agent or judge as text."""
        assert not problems(text, {})

    def test_a_host_may_be_called_secret(self) -> None:
        """Only capitals count inside a longer text."""
        text = whole().replace("shop.example", "secret.shop.example")

        assert not problems(text, {})


class TestSource:
    """Where secrets come from."""

    def test_files_first(self, tmp_path: Path) -> None:
        """The folder wins over the environment; the line break at the end is cut."""
        (tmp_path / "X").write_text("from-file\n")
        path = tmp_path / "c.yml"
        path.write_text(whole("headers: {A: secret.X}"))

        config = load(path, secrets=SecretSource(tmp_path, {"X": "from-env"}))

        headers = config.monitors[0].target.connection.headers
        assert headers["A"].reveal() == "from-file"


class TestApi:
    """Tokens of the API."""

    def test_tokens(self) -> None:
        """A plain text may do everything."""
        text = "api: {tokens: {ci: secret.TOKEN, ro: {token: abc, scope: [read]}}}\n"

        config = load_text(text + whole())

        assert config.api_tokens == (
            ApiToken(name="ci", token=Secret("secret.TOKEN"), scopes=frozenset(Scope)),
            ApiToken(name="ro", token=Secret("abc"), scopes=frozenset({Scope.READ})),
        )

    @pytest.mark.parametrize(
        ("api", "admins"),
        [
            pytest.param("{}", None, id="not-written"),
            pytest.param("{admins: [kim, 7]}", frozenset({"kim", "7"}), id="some"),
            pytest.param("{admins: []}", frozenset(), id="nobody"),
        ],
    )
    def test_admins(self, api: str, admins: frozenset[str] | None) -> None:
        """All web users, where nothing is written."""
        assert load_text(f"api: {api}\n{whole()}").api_admins == admins

    @pytest.mark.parametrize(
        ("token", "says"),
        [
            pytest.param(
                "secret.NO", "1:20: api.tokens.ci: secret NO is", id="missing"
            ),
            pytest.param("{token: secret.NO}", "1:28: api.tokens.ci.token", id="inner"),
            pytest.param('""', "1:20: api.tokens.ci: is empty; wanted:", id="empty"),
            pytest.param(
                "{token: x, scope: [write]}",
                "1:39: api.tokens.ci.scope[0]: is 'write'; wanted: one of read,",
                id="scope",
            ),
            pytest.param("{token: x, scope: []}", "1:38: api.tokens.ci.scope", id="no"),
            pytest.param("[hunter2]", "1:20: api.tokens.ci: is a list", id="list"),
        ],
    )
    def test_refused(self, token: str, says: str) -> None:
        """Where the token stands."""
        (problem,) = problems(f"api: {{tokens: {{ci: {token}}}}}\n" + whole(), {})

        assert problem.startswith(says)
        assert "hunter2" not in problem


class TestLimits:
    """How much happens at once."""

    def test_written_and_not(self) -> None:
        """Each has a default of its own."""
        config = load_text("limits: {in_flight: 5, judge: 1}\n" + whole())

        assert config.limits == Limits(in_flight=5, per_monitor=5, per_host=16, judge=1)

    def test_budget_of_everything(self) -> None:
        """At the top of the file."""
        assert load_text("token_budget: 2M\n" + whole()).token_budget == 2_000_000
        assert load_text(whole()).token_budget is None


class TestWritten:
    """Credentials that are written where a reference could stand."""

    @pytest.mark.parametrize(
        "auth",
        [
            pytest.param("{bearer: hunter22}", id="bearer"),
            pytest.param("{basic: {username: me, password: hunter22}}", id="basic"),
            pytest.param("{header: {name: X-Key, value: hunter22}}", id="header"),
        ],
    )
    def test_credentials_in_the_file_itself_are_masked_too(
        self, auth: str, tmp_path: Path
    ) -> None:
        """A target that echoes one shows it nowhere."""
        path = tmp_path / "c.yml"
        path.write_text(whole(f"auth: {auth}"))
        secrets = SecretSource(environment={})

        load(path, secrets=secrets)

        assert Scrubber(secrets).scrub("you sent hunter22") == "you sent <secret>"
