"""Secrets: read when used, shown nowhere."""

import base64
import html
import json
import os
import urllib.parse

from collections.abc import Callable
from pathlib import Path

import pytest

from hypothesis import example, given
from hypothesis import strategies as st

from answerprobe.errors import SecretError
from answerprobe.secret import MASK, Scrubber, Secret, SecretSource, reveal


_TOKEN = 'tök/en"+very secret'


class TestSecretSource:
    """Files of a folder, else the environment."""

    def test_file_comes_first(self, tmp_path: Path) -> None:
        """A file wins over the environment; its last line break is no part of it."""
        (tmp_path / "TOKEN").write_text("from-file\n")
        source = SecretSource(tmp_path, {"TOKEN": "from-environment"})

        assert source.read("TOKEN") == "from-file"

    def test_environment_where_there_is_no_file(self, tmp_path: Path) -> None:
        """Without a file the variable is read."""
        source = SecretSource(tmp_path, {"TOKEN": "from-environment"})

        assert source.read("TOKEN") == "from-environment"

    def test_only_the_last_few_rotations_are_known(self) -> None:
        """Each costs time in every text; the present value is always one of them."""
        environment = {"TOKEN": "start"}
        source = SecretSource(environment=environment)
        for n in (*range(50), 49, 48, 49):
            environment["TOKEN"] = f"token-{n}"
            source.read("TOKEN")

        assert "token-49" in set(source.values())
        assert len(list(source.values())) == 4

    def test_changed_file_is_read_again(self, tmp_path: Path) -> None:
        """After a rotation the new value is handed out, the old one still known."""
        path = tmp_path / "TOKEN"
        path.write_text("before")
        source = SecretSource(tmp_path, {})
        source.read("TOKEN")

        path.write_text("afterwards")

        assert source.read("TOKEN") == "afterwards"
        assert sorted(source.values()) == ["afterwards", "before"]

    @pytest.mark.parametrize(
        ("environment", "says"),
        [
            pytest.param({}, "is not set", id="missing"),
            pytest.param({"TOKEN": ""}, "is empty", id="empty"),
        ],
    )
    def test_none_is_an_error_that_names_it(
        self, environment: dict[str, str], says: str
    ) -> None:
        """The error has the name and where the value is looked for."""
        with pytest.raises(SecretError, match=says) as caught:
            SecretSource(environment=environment).read("TOKEN")

        assert caught.value.name == "TOKEN"
        assert "environment variable TOKEN" in str(caught.value)

    @pytest.mark.parametrize(
        "content",
        [pytest.param(b"\xff\xfe", id="no text"), pytest.param(None, id="a folder")],
    )
    def test_unreadable_file_is_an_error(
        self, tmp_path: Path, content: bytes | None
    ) -> None:
        """A file that cannot be read is named, and nothing else is tried."""
        path = tmp_path / "TOKEN"
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)

        with pytest.raises(SecretError, match="cannot be read"):
            SecretSource(tmp_path, {"TOKEN": "x"}).read("TOKEN")


class TestSecret:
    """A text of the configuration that may name secrets."""

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            pytest.param("secret.TOKEN", ("TOKEN",), id="whole"),
            pytest.param("secret.my-token.2", ("my-token.2",), id="whole, any name"),
            pytest.param("https://a/?k=secret.KEY&x=1", ("KEY",), id="inside"),
            pytest.param("secret.A:secret.B", ("A", "B"), id="two"),
            pytest.param("https://secret.example.com/", (), id="a host name"),
            pytest.param("nosecret.KEY", (), id="within a word"),
            pytest.param("plain", (), id="none"),
        ],
    )
    def test_names(self, text: str, names: tuple[str, ...]) -> None:
        """References are told from texts that look alike."""
        assert Secret(text).names == names

    def test_reveal_puts_the_values_in(self) -> None:
        """Each reference becomes its value, the rest stays."""
        source = SecretSource(environment={"A": "1", "B": "2"})

        assert Secret("x secret.A-secret.B", source).reveal() == "x 1-2"

    def test_shows_nothing(self) -> None:
        """Neither repr nor str tell a value, written in plain or referred to."""
        secret = Secret("hunter2")

        assert "hunter2" not in f"{secret} {secret!r} {[secret]}"

    def test_equal_by_what_is_written(self) -> None:
        """Two of the same text are the same."""
        assert Secret("a") == Secret("a")
        assert len({Secret("a"), Secret("a"), Secret("b")}) == 2
        assert Secret("a") != "a"

    def test_reveal_goes_into_structures(self) -> None:
        """Secrets anywhere in a JSON-like value are revealed."""
        source = SecretSource(environment={"A": "1"})
        value = {"a": [Secret("secret.A", source), 2], "b": None}

        assert reveal(value) == {"a": ["1", 2], "b": None}


class TestScrubber:
    """Taking secrets out of texts."""

    @pytest.mark.parametrize(
        "echo",
        [
            pytest.param(_TOKEN, id="plain"),
            pytest.param(json.dumps(_TOKEN), id="JSON"),
            pytest.param(json.dumps(_TOKEN, ensure_ascii=False), id="JSON in UTF-8"),
            pytest.param(json.dumps(_TOKEN).replace("/", r"\/"), id="JSON of PHP"),
            pytest.param(json.dumps(json.dumps(_TOKEN)), id="JSON within JSON"),
            pytest.param(html.escape(_TOKEN), id="HTML"),
            pytest.param(html.escape(_TOKEN, quote=False), id="HTML, quotes kept"),
            pytest.param(_TOKEN.encode().hex(), id="hexadecimal"),
            pytest.param(_TOKEN.encode().hex().upper(), id="hexadecimal, capitals"),
            pytest.param(urllib.parse.quote(_TOKEN), id="in a path"),
            pytest.param(urllib.parse.quote(_TOKEN, safe=""), id="percent-encoded"),
            pytest.param(urllib.parse.quote_plus(_TOKEN), id="in a form"),
            pytest.param(base64.b64encode(_TOKEN.encode()).decode(), id="base64"),
            pytest.param(_TOKEN.encode().decode("latin-1"), id="read as Latin-1"),
            pytest.param(
                base64.urlsafe_b64encode(_TOKEN.encode()).decode().rstrip("="),
                id="base64 for URLs",
            ),
            *(
                pytest.param(
                    base64.b64encode(f"{user}:{_TOKEN}".encode()).decode(),
                    id=f"basic authentication of {user}",
                )
                for user in ("bo", "bob", "bobb")
            ),
        ],
    )
    def test_every_spelling_is_masked(self, echo: str) -> None:
        """However a target echoes it, nothing of the secret is left."""
        source = SecretSource(environment={"TOKEN": _TOKEN})
        source.read("TOKEN")

        scrubbed = Scrubber(source).scrub(f"You sent {echo} !")

        assert MASK in scrubbed
        for part in (
            "very",
            "secret",
            "token",
            base64.b64encode(b"very sec").decode()[:9],
        ):
            assert part not in scrubbed.replace(MASK, "")

    @pytest.mark.parametrize(
        "echo",
        [
            pytest.param(lambda value: repr({"token": value}), id="text"),
            pytest.param(lambda value: repr(value.encode()), id="bytes"),
            pytest.param(lambda value: repr(f"{value} isn't known"), id="in a line"),
        ],
    )
    def test_what_python_prints_is_masked(self, echo: Callable[[str], str]) -> None:
        """Backslashes are doubled then, other letters than ASCII spelled in bytes."""
        value = 'pass\\wörd"-secret'
        source = SecretSource(environment={"TOKEN": value})
        source.read("TOKEN")

        scrubbed = Scrubber(source).scrub(echo(value))

        assert MASK in scrubbed
        assert "secret" not in scrubbed.replace(MASK, "")

    @example(_TOKEN, "before", "after")
    @given(
        st.text(min_size=4).filter(lambda value: value not in MASK),
        st.text(alphabet=" .\n"),
        st.text(alphabet=" .\n"),
    )
    def test_plain_value_never_stays(self, value: str, before: str, after: str) -> None:
        """Whatever the secret, with whatever around it, it is gone."""
        source = SecretSource(environment={"TOKEN": value})
        source.read("TOKEN")

        scrubbed = Scrubber(source).scrub(before + value + after)

        assert value not in scrubbed
        assert MASK in scrubbed

    @pytest.mark.parametrize(
        ("cut", "masked"),
        [
            pytest.param("fields: key-0123…", f"fields: {MASK}…", id="at the end"),
            pytest.param("key-01234567…, b…", f"{MASK}…, b…", id="of one of several"),
            pytest.param("key-key-0123…", f"key-{MASK}…", id="that begins twice"),
            pytest.param("a2V5LTAxMj…", f"{MASK}…", id="in base64"),
            pytest.param("the key-0…", "the key-0…", id="too short to tell"),
            pytest.param("key-0123 …", "key-0123 …", id="not cut in it"),
            pytest.param("… key-0123", "… key-0123", id="not cut there"),
        ],
    )
    def test_the_beginning_of_one_that_is_cut_is_masked(
        self, cut: str, masked: str
    ) -> None:
        """The words of an error are cut before they come here."""
        source = SecretSource(environment={"TOKEN": "key-0123456789abcdef"})
        source.read("TOKEN")

        assert Scrubber(source).scrub(cut) == masked

    def test_values_of_before_a_rotation_are_masked(self, tmp_path: Path) -> None:
        """A secret that was replaced stays secret."""
        path = tmp_path / "TOKEN"
        source = SecretSource(tmp_path, {})
        scrubber = Scrubber(source)
        for value in ("old-value", "renewed-value"):
            path.write_text(value)
            source.read("TOKEN")
            scrubber.scrub("")

        assert scrubber.scrub("old-value renewed-value") == f"{MASK} {MASK}"

    def test_a_token_that_a_secret_got_is_masked(self) -> None:
        """So is the one before it, which may still be on its way back."""
        source = SecretSource(environment={})
        scrubber = Scrubber(source)
        for token in ("token-one", "token-two", "token-three"):
            Secret("anything", source).keep_lent("a client", token)

        masked = scrubber.scrub("token-one token-two token-three")

        assert masked == "token-one <secret> <secret>"

    def test_longer_of_two_secrets_is_masked_whole(self) -> None:
        """A secret that begins like another leaves no end of it."""
        source = SecretSource(environment={"A": "token", "B": "token-2-long"})
        source.read("A")
        source.read("B")

        assert Scrubber(source).scrub("token-2-long") == MASK

    def test_many_long_secrets(self) -> None:
        """Hundreds of them, each as long as a certificate, are masked all."""
        environment = {f"S{n}": f"{n:03}-" + "abcdefgh" * 250 for n in range(100)}
        source = SecretSource(environment=environment)
        for name in environment:
            source.read(name)

        scrubbed = Scrubber(source).scrub(" ".join(environment.values()))

        assert scrubbed == " ".join([MASK] * 100)

    def test_text_without_secrets_stays(self) -> None:
        """Nothing else changes, with and without known secrets."""
        source = SecretSource(environment={"A": "token", "B": "abc"})
        assert Scrubber(source).scrub("all is well") == "all is well"
        source.read("A")
        source.read("B")

        assert Scrubber(source).scrub("abc is well") == "abc is well"

    def test_odd_bytes_are_no_trouble(self) -> None:
        """Half of a surrogate pair, in the secret or in the text, crashes nothing."""
        odd = os.fsdecode(b"tok\xffen")
        source = SecretSource(environment={"A": odd, "B": "plain-token"})
        source.read("A")
        source.read("B")

        assert Scrubber(source).scrub("\ud800 plain-token") == f"? {MASK}"
