import ssl

from pathlib import Path

import pytest

from answerprobe.config.web import WebConfig, load_web
from answerprobe.errors import ConfigError
from certificates import Authority


HASH = "$2y$04$zyxwvutsrqponmlkjihgfepuImc17WOG24zaPlCPvVszVbzvHIfqi"
TLS = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"


def loaded(folder: Path, text: str) -> WebConfig:
    """Return what *text*, as a file in *folder*, means."""
    path = folder / "web.yml"
    path.write_text(text, "utf-8")
    return load_web(path)


def refusal(folder: Path, text: str) -> list[str]:
    """Return what is said of *text*, without the folder."""
    with pytest.raises(ConfigError) as caught:
        loaded(folder, text)
    return [str(problem).replace(f"{folder}/", "") for problem in caught.value.problems]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that has a server's certificate."""
    authority = Authority(tmp_path)
    authority.issue("server")
    authority.issue("other")
    return tmp_path


class TestShape:
    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="empty"),
            pytest.param("# nothing yet\n", id="comment"),
            pytest.param("tls_server_config:\nbasic_auth_users:\n", id="null-sections"),
            pytest.param("basic_auth_users: {}\n", id="no-users"),
        ],
    )
    def test_what_says_nothing_configures_nothing(
        self, tmp_path: Path, text: str
    ) -> None:
        """Plain HTTP, and no users."""
        config = loaded(tmp_path, text)

        assert (config.tls, config.users, config.headers) == (None, {}, {})

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            pytest.param(
                "- a\n", "web.yml:1:1: is a list; wanted: a mapping", id="list"
            ),
            pytest.param(
                "basic_auth_usrs: {a: b}\n",
                "web.yml:1:1: basic_auth_usrs: is no key here; allowed: "
                "tls_server_config, http_server_config, basic_auth_users "
                "(did you mean basic_auth_users?)",
                id="unknown-section",
            ),
            pytest.param(
                "basic_auth_users: [a]\n",
                "web.yml:1:19: basic_auth_users: is a list; wanted: a mapping",
                id="list-of-users",
            ),
            pytest.param(
                "http_server_config: {http2: maybe}\n",
                "web.yml:1:29: http_server_config.http2: "
                "is 'maybe'; wanted: true or false",
                id="http2",
            ),
            pytest.param(
                "http_server_config: {headers: {X-Frame-Options: allow}}\n",
                "web.yml:1:49: http_server_config.headers.X-Frame-Options: "
                "is 'allow'; wanted: one of deny, sameorigin",
                id="header-value",
            ),
            pytest.param(
                'http_server_config: {headers: {X-XSS-Protection: "a\\nb"}}\n',
                "web.yml:1:50: http_server_config.headers.X-XSS-Protection: "
                "must be printable ASCII text",
                id="header-splitting",
            ),
            pytest.param(
                "http_server_config: {headers: {Server: x}}\n",
                "web.yml:1:32: http_server_config.headers.Server: is no key here; "
                "allowed: Content-Security-Policy, X-Frame-Options, "
                "X-Content-Type-Options, X-XSS-Protection, Strict-Transport-Security",
                id="another-header",
            ),
            pytest.param(
                f"basic_auth_users:\n  ann: {HASH}\n  ann: {HASH}\n",
                "web.yml:3:3: basic_auth_users.ann: is written twice; "
                "this key is already there",
                id="user-twice",
            ),
            pytest.param(
                f"basic_auth_users:\n  'a:b': {HASH}\n",
                "web.yml:2:3: basic_auth_users['a:b']: is 'a:b'; "
                "wanted: a printable name without a colon",
                id="colon-in-name",
            ),
            pytest.param(
                f"basic_auth_users: {{ann: {HASH.replace('$04', '$31')}}}\n",
                "web.yml:1:25: basic_auth_users.ann: "
                "has a cost of 31; wanted: from 04 to 19",
                id="a-year-for-a-login",
            ),
        ],
    )
    def test_a_mistake_is_named_with_its_place(
        self, tmp_path: Path, text: str, message: str
    ) -> None:
        """And what is allowed there."""
        assert refusal(tmp_path, text) == [message]

    def test_a_password_in_place_of_its_hash_is_not_shown(self, tmp_path: Path) -> None:
        """Neither in the message nor in the value's own words."""
        said = refusal(tmp_path, "basic_auth_users: {ann: hunter2}\n")

        hint = "is no bcrypt hash; `htpasswd -nBC 10 USER` makes one"
        assert said == [f"web.yml:1:25: basic_auth_users.ann: {hint}"]
        assert HASH not in repr(loaded(tmp_path, f"basic_auth_users: {{a: {HASH}}}"))

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        """In one line."""
        with pytest.raises(ConfigError, match=r"none\.yml:1:1: cannot be read"):
            load_web(tmp_path / "none.yml")

    def test_what_is_meant_is_kept(self, folder: Path) -> None:
        """Users, headers, and the files that it was read from."""
        text = (
            f"{TLS}http_server_config:\n  http2: false\n  headers:\n"
            f"    X-Frame-Options: deny\nbasic_auth_users:\n  1: {HASH}\n"
        )
        config = loaded(folder, text)

        assert config.users == {"1": HASH}
        assert config.headers == {"X-Frame-Options": "deny"}
        names = [file.name for file in config.files]
        assert names == ["web.yml", "server.crt", "server.key"]
        assert config.notes == ()


class TestTls:
    @pytest.mark.parametrize(
        ("more", "message"),
        [
            pytest.param(
                "client_auth_type: RequireAnyClientCert",
                "4:21: tls_server_config.client_auth_type: is RequireAnyClientCert; "
                "Python's TLS verifies every certificate that it asks for, so write "
                "RequireAndVerifyClientCert with client_ca_file",
                id="unverified",
            ),
            pytest.param(
                "client_auth_type: RequireAndVerifyClientCert",
                "4:21: tls_server_config.client_auth_type: "
                "is RequireAndVerifyClientCert, which needs client_ca_file",
                id="no-authority",
            ),
            pytest.param(
                "client_auth_type: Sometimes",
                "4:21: tls_server_config.client_auth_type: is 'Sometimes'; wanted: one "
                "of NoClientCert, RequestClientCert, VerifyClientCertIfGiven, "
                "RequireAndVerifyClientCert",
                id="unknown-policy",
            ),
            pytest.param(
                "client_ca_file: ca.crt",
                "4:19: tls_server_config.client_ca_file: changes nothing without "
                "client_auth_type, such as RequireAndVerifyClientCert",
                id="authority-alone",
            ),
            pytest.param(
                "client_allowed_sans: [a.example]",
                "4:24: tls_server_config.client_allowed_sans: "
                "needs client_auth_type: RequireAndVerifyClientCert",
                id="names-alone",
            ),
            pytest.param(
                "min_version: TLS10",
                "4:16: tls_server_config.min_version: "
                "is TLS10, which is broken (RFC 8996); wanted: TLS12 or TLS13",
                id="too-old",
            ),
            pytest.param(
                "min_version: SSL3",
                "4:16: tls_server_config.min_version: "
                "is 'SSL3'; wanted: one of TLS12, TLS13",
                id="unknown-version",
            ),
            pytest.param(
                "min_version: TLS13\n  max_version: TLS12",
                "5:16: tls_server_config.max_version: is below min_version",
                id="no-version-at-all",
            ),
            pytest.param(
                "curve_preferences: [X25519, CurveP256]",
                "4:22: tls_server_config.curve_preferences: has several; "
                "Python's TLS can be told one curve, or none for all",
                id="curves",
            ),
            pytest.param(
                "cipher_suites: [TLS_AES_128_GCM_SHA256]",
                "4:18: tls_server_config.cipher_suites: has no suite of TLS 1.2: "
                "add one, or write min_version: TLS13",
                id="no-suite",
            ),
            pytest.param(
                "cert: inline",
                "4:3: tls_server_config.cert: is no key here; allowed: cert_file, "
                "key_file, client_auth_type, client_ca_file, client_allowed_sans, "
                "min_version, max_version, cipher_suites, prefer_server_cipher_suites, "
                "curve_preferences (did you mean cert_file?)",
                id="inline",
            ),
        ],
    )
    def test_what_cannot_be_done_is_refused(
        self, folder: Path, more: str, message: str
    ) -> None:
        """With its place and what to write; nothing is quietly left out."""
        assert refusal(folder, f"{TLS}  {more}\n") == [f"web.yml:{message}"]

    @pytest.mark.parametrize(
        ("key", "message"),
        [
            pytest.param(
                "none.key",
                "key_file: cannot read none.key: no such file or directory",
                id="missing",
            ),
            pytest.param(
                "other.key", "key_file: is not the key of cert_file", id="anothers"
            ),
            pytest.param(
                "locked.key",
                "key_file: is encrypted; write the key without a password",
                id="encrypted",
            ),
        ],
    )
    def test_a_key_that_is_no_good_is_named(
        self, folder: Path, key: str, message: str
    ) -> None:
        """Found at start, not at the first connection."""
        Authority(folder, "third").issue("locked", password=b"hidden")
        said = refusal(folder, TLS.replace("server.key", key))

        assert said == [f"web.yml:3:13: tls_server_config.{message}"]

    def test_a_certificate_alone_is_refused(self, folder: Path) -> None:
        """It needs its key."""
        said = refusal(folder, "tls_server_config: {cert_file: server.crt}\n")

        assert said == [
            "web.yml:1:20: tls_server_config: lacks key_file, a file in PEM format"
        ]

    def test_it_becomes_a_context(self, folder: Path) -> None:
        """As strict as it was written."""
        text = (
            f"{TLS}  client_auth_type: RequireAndVerifyClientCert\n"
            "  client_ca_file: ca.crt\n  min_version: TLS12\n  max_version: TLS12\n"
            "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]\n"
            "  prefer_server_cipher_suites: false\n  curve_preferences: [CurveP384]\n"
        )
        tls = loaded(folder, text).tls

        assert tls is not None
        assert tls.verify_mode is ssl.CERT_REQUIRED
        assert tls.maximum_version == ssl.TLSVersion.TLSv1_2
        assert not tls.options & ssl.OP_CIPHER_SERVER_PREFERENCE
        names = {suite["name"] for suite in tls.get_ciphers()}
        assert "ECDHE-ECDSA-AES256-GCM-SHA384" in names
        assert "ECDHE-ECDSA-AES128-GCM-SHA256" not in names

    def test_what_has_no_effect_is_told(self, folder: Path) -> None:
        """It is not left out in silence."""
        text = (
            f"{TLS}  client_auth_type: RequestClientCert\n"
            "http_server_config: {http2: true}\n"
        )

        assert loaded(folder, text).notes == (
            "RequestClientCert: no certificate is asked for, nothing would look at it",
            "http2: this server speaks HTTP/1.1 only",
        )
