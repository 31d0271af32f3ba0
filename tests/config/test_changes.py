from pathlib import Path

import pytest

from answerprobe.config import Config, changes, load
from answerprobe.config.changes import ChangeError, MonitorChange, parse_changes
from answerprobe.errors import ConfigError
from answerprobe.secret import SecretSource


CHAT = """\
monitors:
  - name: first
    endpoint: https://first.example/chat
    cases: &cases
      - ask: When do you open?
        expect: [{contains: nine}]
  - name: second
    endpoint: https://second.example/chat
    headers: {X-Tenant: a, X-Other: b}
    cases: *cases
"""
OPENAI = """\
monitors:
  - name: shop
    protocol: openai
    model: a
    system_prompt: You are Ada.
    endpoint: https://shop.example/v1
    cases:
      - ask: Who are you?
        expect: [stays_in_character: true]
judges: {default: {base_url: "https://judge.example/v1", model: j}}
"""


def loaded(
    folder: Path, text: str, change: MonitorChange | None = None, **secrets: str
) -> Config:
    """Return the configuration in *text* with *change* made."""
    path = folder / "c.yml"
    path.write_text(text, encoding="utf-8")
    source = SecretSource(environment=secrets)
    return load(path, secrets=source, environment=secrets, change=change)


def same(text: str) -> str:
    """Return *text*, in which there is no secret."""
    return text


class TestParsing:
    def test_keys_and_values(self) -> None:
        """A value may hold whatever it likes, `=` too."""
        assert parse_changes(("model=a=b", "headers.X=1")) == {
            "model": "a=b",
            "headers.X": "1",
        }

    def test_a_system_prompt_from_a_file(self, tmp_path: Path) -> None:
        """Without the blanks around it."""
        file = tmp_path / "prompt.txt"
        file.write_text("\ufeffBe exact: é\n\n", encoding="utf-8")

        assert parse_changes((f"system_prompt=@{file}",)) == {
            "system_prompt": "Be exact: é"
        }

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            pytest.param("modle=b", "did you mean model?", id="a slip of the pen"),
            pytest.param("every=2h", "allowed: model, system_prompt", id="another key"),
            pytest.param("model", "model has no value; write model=…", id="no value"),
            pytest.param("headers.=x", "cannot be changed", id="no name"),
            pytest.param("system_prompt=@nope.txt", "no such file", id="no file"),
        ],
    )
    def test_what_cannot_be_changed(self, written: str, says: str) -> None:
        """The message says what can."""
        with pytest.raises(ChangeError) as raised:
            parse_changes((written,))

        assert says in str(raised.value)

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            pytest.param(b"\xff\xfe\x00", "no UTF-8 text", id="bytes"),
            pytest.param(b" \n", "is blank", id="blank"),
            pytest.param(b"x" * 1_000_001, "larger than 1 MB", id="huge"),
        ],
    )
    def test_a_file_that_is_no_prompt(
        self, tmp_path: Path, content: bytes, says: str
    ) -> None:
        """It is named."""
        file = tmp_path / "prompt.txt"
        file.write_bytes(content)
        with pytest.raises(ChangeError, match=says):
            parse_changes((f"system_prompt=@{file}",))

    def test_no_key_twice(self) -> None:
        """Header names differ by more than their case."""
        with pytest.raises(ChangeError, match="set twice"):
            parse_changes(("headers.X=1", "headers.x=2"))


class TestChange:
    def test_it_changes_one_monitor(self, tmp_path: Path) -> None:
        """Others stay as they are, also where they share what is written."""
        change = MonitorChange(index=1, settings={"endpoint": "https://new.example/"})
        plain = loaded(tmp_path, CHAT)
        changed = loaded(tmp_path, CHAT, change)

        assert changed.monitors[0] == plain.monitors[0]
        assert changed.monitors[1].cases == plain.monitors[1].cases
        url = changed.monitors[1].target.connection.url
        assert url.reveal() == "https://new.example/"

    def test_a_header_replaces_its_namesake(self, tmp_path: Path) -> None:
        """Whatever its case; a secret may be named."""
        change = MonitorChange(index=1, settings={"headers.x-tenant": "secret.TENANT"})
        changed = loaded(tmp_path, CHAT, change, TENANT="t-1")

        headers = changed.monitors[1].target.connection.headers
        assert {name: value.reveal() for name, value in headers.items()} == {
            "X-Other": "b",
            "x-tenant": "t-1",
        }

    def test_a_number_is_read_as_one(self, tmp_path: Path) -> None:
        """A model that looks like one stays a text."""
        settings = {"temperature": "0.7", "model": "4"}
        change = MonitorChange(index=0, settings=settings)
        target = loaded(tmp_path, OPENAI, change).monitors[0].target

        assert (target.temperature, target.model) == (0.7, "4")

    @pytest.mark.parametrize(
        ("text", "settings", "says"),
        [
            pytest.param(
                CHAT, {"model": "b"}, "model: is a key of `protocol: openai`", id="chat"
            ),
            pytest.param(
                CHAT, {"endpoint": "ftp://x/"}, "endpoint: has the scheme", id="scheme"
            ),
            pytest.param(
                OPENAI, {"temperature": "hot"}, "temperature: is 'hot'", id="number"
            ),
            pytest.param(
                OPENAI,
                {"model": "j", "endpoint": "https://judge.example/v1"},
                "judge",
                id="judges itself",
            ),
        ],
    )
    def test_what_the_configuration_would_refuse(
        self, tmp_path: Path, text: str, settings: dict[str, str], says: str
    ) -> None:
        """The message names the key, and no place in the file: it is not there."""
        change = MonitorChange(index=0, settings=settings)
        with pytest.raises(ConfigError) as raised:
            loaded(tmp_path, text, change)

        message = str(changes.refusal(raised.value))
        assert says in message
        assert "c.yml" not in message

    def test_both_setups_are_graded_alike(self, tmp_path: Path) -> None:
        """A new system prompt is measured by what was asked of the old one."""
        change = MonitorChange(index=0, settings={"system_prompt": "You are Bob."})
        plain = loaded(tmp_path, OPENAI)
        changed = changes.changed_target(
            plain.monitors[0], loaded(tmp_path, OPENAI, change), 0
        )

        assert changed.target.system_prompt == "You are Bob."
        assert changed.cases == plain.monitors[0].cases


class TestWords:
    def test_the_reason_says_what_changes(self, tmp_path: Path) -> None:
        """From what, to what; long texts are cut."""
        target = loaded(tmp_path, OPENAI).monitors[0].target
        settings = {"model": "b", "system_prompt": "Be\nkind. " * 20}
        words = changes.reason(target, settings, same)

        assert words.startswith("model: a → b, system_prompt: You are Ada. → Be kind.")
        assert words.endswith("…")
        assert len(words) < 120

    def test_headers_and_passwords_are_masked(self, tmp_path: Path) -> None:
        """They let in."""
        target = loaded(tmp_path, CHAT).monitors[1].target
        settings = {"headers.X-Tenant": "b", "endpoint": "http://u:hunter2@x.example/"}

        assert changes.shown(settings, same) == {
            "headers.X-Tenant": "<secret>",
            "endpoint": "http://u:<secret>@x.example/",
        }
        assert "hunter2" not in changes.reason(target, settings, same)

    @pytest.mark.parametrize(
        "password",
        [
            pytest.param("pässwort9", id="beyond ASCII"),
            pytest.param("p%41ss!w", id="quoted otherwise"),
            pytest.param("p@ss@w", id="with an @"),
            pytest.param("p:ss:w", id="with a colon"),
            pytest.param("", id="empty"),
        ],
    )
    def test_whatever_a_password_is_made_of_it_is_masked(
        self, tmp_path: Path, password: str
    ) -> None:
        """That of the setup as it is, too."""
        url = f"https://u:{password}@second.example/chat?at=a:b@c"
        masked = "https://u:<secret>@second.example/chat?at=a:b@c"
        text = CHAT.replace("https://second.example/chat", f"'{url}'")
        settings = {"endpoint": url}

        assert changes.shown(settings, same) == {"endpoint": masked}
        current = loaded(tmp_path, text).monitors[1].target
        words = changes.reason(current, {"endpoint": "https://x/"}, same)
        assert words.startswith("endpoint: https://u:<secret>@second.example/")

    def test_a_user_with_an_at_sign_has_a_password_too(self) -> None:
        """The last one ends it."""
        settings = {"endpoint": "https://u@d.example:hunter2@x.example/"}

        assert changes.shown(settings, same) == {
            "endpoint": "https://u@d.example:<secret>@x.example/"
        }

    @pytest.mark.parametrize(
        "url",
        [
            pytest.param("https://x.example:8443/a:b@c", id="path"),
            pytest.param("https://user@x.example:8443/", id="user"),
            pytest.param("https://x.example?a:b@c", id="query"),
        ],
    )
    def test_a_url_without_a_password_stays(self, url: str) -> None:
        """A port is none."""
        assert changes.shown({"endpoint": url}, same) == {"endpoint": url}

    def test_secrets_are_scrubbed(self) -> None:
        """Wherever they turn up."""
        shown = changes.shown(
            {"system_prompt": "Say s3cr3t."}, lambda text: text.replace("s3cr3t", "*")
        )

        assert shown == {"system_prompt": "Say *."}


class TestDefinition:
    @pytest.mark.parametrize(
        ("old", "new", "differs"),
        [
            pytest.param("contains: nine", "contains: ten", True, id="a case"),
            pytest.param("second.example", "third.example", True, id="the agent"),
            pytest.param("name: first", "name: other", False, id="another monitor"),
        ],
    )
    def test_it_tells_whether_an_experiment_is_still_the_same(
        self, tmp_path: Path, old: str, new: str, *, differs: bool
    ) -> None:
        """All that is asked and grades is in it, and nothing else."""

        def of(text: str) -> str:
            change = MonitorChange(index=1, settings={"headers.X-Tenant": "c"})
            config = loaded(tmp_path, text)
            current = config.monitors[1]
            other = loaded(tmp_path, text, change)
            changed = changes.changed_target(current, other, 1)
            return changes.definition(config, current, changed)

        assert (of(CHAT) != of(CHAT.replace(old, new))) is differs
