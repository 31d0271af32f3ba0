import importlib

from pathlib import Path

import click
import pytest

from answerprobe.cli._group import COMMANDS
from answerprobe.cli.serve import command
from answerprobe.daemon.listen import ListenAddress
from cli.calling import call, write


pytestmark = pytest.mark.usefixtures("logging_restored")


class TestDefaults:
    def test_nobody_else_can_reach_it(self) -> None:
        """Who wants others to come in must say so."""
        given = command.make_context("serve", []).params

        assert ListenAddress.parse(given["listen_address"]).on_loopback
        assert not given["open_evidence"]


class TestStore:
    """Where evidence is kept, when the flag does not say it."""

    @pytest.mark.parametrize("name", ["serve", "forget", "compare"])
    def test_it_may_be_in_the_environment(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the list of processes does not show its password."""
        monkeypatch.setenv("ANSWERPROBE_STORAGE_URL", "postgresql://a:pw@b/c")
        command = importlib.import_module(COMMANDS[name].module).command
        (option,) = (each for each in command.params if each.name == "storage_url")

        value, _ = option.consume_value(click.Context(command), {})

        assert value == "postgresql://a:pw@b/c"

    def test_the_flag_comes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is said wins over what is around."""
        monkeypatch.setenv("ANSWERPROBE_STORAGE_URL", "postgresql://a:pw@b/c")
        flags = ["--storage.url=sqlite:///mine.db"]

        given = command.make_context("serve", flags).params

        assert given["storage_url"] == "sqlite:///mine.db"


class TestRefusals:
    @pytest.mark.parametrize(
        ("flag", "says"),
        [
            pytest.param("--config.file=gone.yml", "gone.yml", id="no-config"),
            pytest.param("--web.listen-address=foo", "HOST:PORT", id="no-port"),
            pytest.param("--web.listen-address=::1:80", "HOST:PORT", id="bare-ipv6"),
            pytest.param("--web.listen-address=a:99999", "HOST:PORT", id="big-port"),
            pytest.param(
                "--web.listen-address=a..b:80", "cannot listen on a..b:80", id="no-name"
            ),
            pytest.param("--storage.url=mysql://a:pw@b/c", "mysql", id="other-store"),
            pytest.param("--storage.url=nonsense", "no URL", id="no-url"),
            pytest.param(
                "--storage.url=sqlite:////no/way/x.db", "/no/way", id="folder"
            ),
            pytest.param("--storage.url=sqlite:///", "names no file", id="no-file"),
        ],
    )
    def test_bad_input_is_one_line(self, tmp_path: Path, flag: str, says: str) -> None:
        """What is wrong, no traceback and no password; status 2."""
        result = call(
            "serve",
            f"--config.file={write(tmp_path)}",
            f"--storage.url=sqlite:///{tmp_path}/a.db",
            flag,
        )

        assert result.exit_code == 2
        assert says in result.stderr
        assert "pw" not in result.stderr
        assert len(result.stderr.splitlines()) == 1

    @pytest.mark.parametrize(
        "flag",
        [
            pytest.param("--shutdown.grace=soon", id="word"),
            pytest.param("--shutdown.grace=-1s", id="negative"),
            pytest.param("--shutdown.grace=2d", id="too-long"),
            pytest.param("--log.level=loud", id="level"),
            pytest.param("--log.format=xml", id="format"),
            pytest.param("--secrets.dir=/no/such/folder", id="secrets"),
            pytest.param("--web.external-url=ops.example", id="url-without-scheme"),
            pytest.param("--web.external-url=https://", id="url-without-host"),
            pytest.param("--web.external-url=https://a:b@c", id="url-with-user"),
            pytest.param("--web.external-url=https://a/?q=1", id="url-with-query"),
            pytest.param("--web.external-url=https://a:x/", id="url-with-odd-port"),
            pytest.param("--web.external-url=https://a/b c", id="url-with-space"),
            pytest.param("--web.route-prefix=/a/../b", id="prefix-with-dots"),
            pytest.param("--web.route-prefix=/{a}", id="prefix-with-braces"),
        ],
    )
    def test_a_wrong_value_names_its_flag(self, tmp_path: Path, flag: str) -> None:
        """Before anything else is looked at."""
        result = call("serve", f"--config.file={write(tmp_path)}", flag)

        assert result.exit_code == 2
        assert flag.partition("=")[0] in result.stderr.splitlines()[-1]

    def test_a_path_that_is_no_prefix_is_told(self, tmp_path: Path) -> None:
        """Also where it comes from the external URL."""
        flag = "--web.external-url=https://a/b%20c"
        result = call("serve", f"--config.file={write(tmp_path)}", flag)

        assert result.exit_code == 2
        assert "--web.route-prefix" in result.stderr.splitlines()[-1]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            pytest.param("basic_auth_users: {a: pw}\n", "bcrypt", id="no-hash"),
            pytest.param("- pw\n", "wanted: a mapping", id="list"),
            pytest.param(
                "tls_server_config: {cert_file: no.crt, key_file: web.yml}\n",
                "no.crt: no such file",
                id="no-certificate",
            ),
        ],
    )
    def test_a_bad_web_config_is_one_line(
        self, tmp_path: Path, text: str, says: str
    ) -> None:
        """No door is left half open by a typing error."""
        web = tmp_path / "web.yml"
        web.write_text(text, "utf-8")
        result = call(
            "serve",
            f"--config.file={write(tmp_path)}",
            f"--storage.url=sqlite:///{tmp_path}/a.db",
            f"--web.config.file={web}",
        )

        assert result.exit_code == 2
        assert says in result.stderr
        assert "pw" not in result.stderr
        assert len(result.stderr.splitlines()) == 1

    def test_the_errors_of_a_config_all_come(self, tmp_path: Path) -> None:
        """Each with its line, as `check` has them."""
        path = write(tmp_path, evry="1h", sample=2)
        result = call("serve", f"--config.file={path}")

        assert result.exit_code == 2
        assert "evry" in result.stderr
        assert "sample" in result.stderr
