"""`tls_server_config` of a web config: from names that Go knows to an SSLContext."""

import contextlib
import ipaddress
import ssl

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath

from answerprobe.config._findings import Findings
from answerprobe.config._section import Section


KEY = "tls_server_config"
_KEYS = (
    "cert_file",
    "key_file",
    "client_auth_type",
    "client_ca_file",
    "client_allowed_sans",
    "min_version",
    "max_version",
    "cipher_suites",
    "prefer_server_cipher_suites",
    "curve_preferences",
)
_VERSIONS = {"TLS12": ssl.TLSVersion.TLSv1_2, "TLS13": ssl.TLSVersion.TLSv1_3}
_TOO_OLD = frozenset({"TLS10", "TLS11"})
_CURVES = {
    "CurveP256": "prime256v1",
    "CurveP384": "secp384r1",
    "CurveP521": "secp521r1",
    "X25519": "X25519",
}
# TLS 1.3 has few suites, all good: neither Go nor OpenSSL lets one choose of them here.
_SUITES_OF_TLS13 = frozenset(
    {
        "TLS_AES_128_GCM_SHA256",
        "TLS_AES_256_GCM_SHA384",
        "TLS_CHACHA20_POLY1305_SHA256",
    }
)
_SUITES = {
    f"TLS_ECDHE_{key}_WITH_{theirs}": f"ECDHE-{key}-{ours}"
    for key in ("ECDSA", "RSA")
    for theirs, ours in (
        ("AES_128_GCM_SHA256", "AES128-GCM-SHA256"),
        ("AES_256_GCM_SHA384", "AES256-GCM-SHA384"),
        ("CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305"),
        ("AES_128_CBC_SHA", "AES128-SHA"),
        ("AES_256_CBC_SHA", "AES256-SHA"),
    )
}
_NO_CERTIFICATE = "NoClientCert"
_ASKED_FOR = "RequestClientCert"
_REQUIRED = "RequireAndVerifyClientCert"
_CLIENT_AUTH = {
    _NO_CERTIFICATE: ssl.CERT_NONE,
    _ASKED_FOR: ssl.CERT_NONE,
    "VerifyClientCertIfGiven": ssl.CERT_OPTIONAL,
    _REQUIRED: ssl.CERT_REQUIRED,
}
_UNVERIFIED = frozenset({"RequireAnyClientCert", "RequireClientCert"})


def read_tls(
    root: Mapping[str, object],
    folder: FilePath,
    findings: Findings,
    note: Callable[[str], None],
) -> ssl.SSLContext | None:
    """
    Return how to speak TLS, None where it is not configured.

    What is accepted though nothing comes of it is told to *note*. The context is good
    only if *findings* has none afterwards.
    """
    section = Section.below(root, KEY, _KEYS, findings)
    if not section.raw:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    _read_certificate(section, folder, context)
    _read_versions(section, context)
    _read_suites(section, context)
    _read_curves(section, context)
    _read_clients(section, folder, context, note)
    return context


def _read_certificate(
    section: Section, folder: FilePath, context: ssl.SSLContext
) -> None:
    """Give *context* the server's certificate and key."""
    for name in ("cert_file", "key_file"):
        if section.text(name) is None:
            section.find(None, f"lacks {name}, a file in PEM format")
    certificate = section.file("cert_file", folder)
    key = section.file("key_file", folder)
    if certificate is not None and key is not None:
        _load(section, certificate, key, context)


def _load(
    section: Section, certificate: FilePath, key: FilePath, context: ssl.SSLContext
) -> None:
    """Load *certificate* and *key* into *context*."""
    encrypted = False

    def ask_password() -> str:
        """Give none: nobody sits at a daemon's terminal to type it."""
        nonlocal encrypted
        encrypted = True
        return ""

    try:
        context.load_cert_chain(certificate, key, ask_password)
    except ssl.SSLError as exc:
        if encrypted:
            section.find("key_file", "is encrypted; write the key without a password")
        elif exc.reason == "KEY_VALUES_MISMATCH":
            section.find("key_file", "is not the key of cert_file")
        else:
            fault = exc.reason or "no PEM"
            message = f"no certificate with its key in PEM format can be read ({fault})"
            section.find("cert_file", message)
    except (OSError, ValueError) as exc:
        section.find("cert_file", f"cannot be used: {exc}")


def _read_versions(section: Section, context: ssl.SSLContext) -> None:
    """Give *context* the TLS versions it speaks."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    for key in ("min_version", "max_version"):
        name = section.text(key)
        if name is None:
            continue
        if name in _TOO_OLD:
            message = f"is {name}, which is broken (RFC 8996); wanted: TLS12 or TLS13"
            section.find(key, message)
        elif name not in _VERSIONS:
            section.one_of(key, name, _VERSIONS)
        elif key == "min_version":
            context.minimum_version = _VERSIONS[name]
        else:
            context.maximum_version = _VERSIONS[name]
    if section.text("max_version") == "TLS12" and (
        context.minimum_version == ssl.TLSVersion.TLSv1_3
    ):
        section.find("max_version", "is below min_version")


def _read_suites(section: Section, context: ssl.SSLContext) -> None:
    """Give *context* the cipher suites of TLS 1.2."""
    if not section.flag("prefer_server_cipher_suites", default=True):
        context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    key = "cipher_suites"
    names = section.texts(key)
    if not names:
        return
    for index, name in enumerate(names):
        if name not in _SUITES and name not in _SUITES_OF_TLS13:
            section.one_of((key, index), name, (*_SUITES, *_SUITES_OF_TLS13))
    suites = [_SUITES[name] for name in names if name in _SUITES]
    if not suites and context.minimum_version != ssl.TLSVersion.TLSv1_3:
        message = "has no suite of TLS 1.2: add one, or write min_version: TLS13"
        section.find(key, message)
        return
    if suites:
        _set_suites(section, suites, context)


def _set_suites(section: Section, suites: list[str], context: ssl.SSLContext) -> None:
    """Give *context* these *suites*, if this system's OpenSSL has them all."""
    with contextlib.suppress(ssl.SSLError):
        context.set_ciphers(":".join(suites))
    had = {suite["name"] for suite in context.get_ciphers()}
    if missing := [suite for suite in suites if suite not in had]:
        message = f"OpenSSL does not allow {', '.join(missing)} on this system"
        section.find("cipher_suites", message)


def _read_curves(section: Section, context: ssl.SSLContext) -> None:
    """Give *context* the curve for the exchange of keys."""
    key = "curve_preferences"
    names = section.texts(key)
    for index, name in enumerate(names):
        if name not in _CURVES:
            section.one_of((key, index), name, _CURVES)
    if len(names) > 1:
        message = "has several; Python's TLS can be told one curve, or none for all"
        section.find(key, message)
    elif names and names[0] in _CURVES:
        context.set_ecdh_curve(_CURVES[names[0]])


def _read_clients(
    section: Section,
    folder: FilePath,
    context: ssl.SSLContext,
    note: Callable[[str], None],
) -> None:
    """Give *context* whose certificates it wants to see."""
    policy = _policy(section)
    authority = section.file("client_ca_file", folder)
    if "client_ca_file" in section.raw:
        if policy == _NO_CERTIFICATE:
            message = f"changes nothing without client_auth_type, such as {_REQUIRED}"
            section.find("client_ca_file", message)
    elif _CLIENT_AUTH[policy] != ssl.CERT_NONE:
        section.find("client_auth_type", f"is {policy}, which needs client_ca_file")
    context.verify_mode = _CLIENT_AUTH[policy]
    if policy == _ASKED_FOR:
        note(f"{_ASKED_FOR}: no certificate is asked for, nothing would look at it")
    if authority is not None:
        _trust(section, authority, context)
    if names := section.texts("client_allowed_sans"):
        if policy != _REQUIRED:
            message = f"needs client_auth_type: {_REQUIRED}"
            section.find("client_allowed_sans", message)
        context.sslobject_class = _accepting(names)


def _trust(section: Section, authority: FilePath, context: ssl.SSLContext) -> None:
    """Let *context* trust what the file *authority* has, be it a root or not."""
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(authority)
    except (OSError, ValueError):
        section.find("client_ca_file", "holds no certificate in PEM format")


def _policy(section: Section) -> str:
    """Return `client_auth_type`, a key of _CLIENT_AUTH."""
    key = "client_auth_type"
    policy = section.text(key) or _NO_CERTIFICATE
    if policy in _CLIENT_AUTH:
        return policy
    if policy in _UNVERIFIED:
        message = (
            f"is {policy}; Python's TLS verifies every certificate that it asks for, "
            f"so write {_REQUIRED} with client_ca_file"
        )
        section.find(key, message)
    else:
        section.one_of(key, policy, _CLIENT_AUTH)
    return _NO_CERTIFICATE


def _accepting(names: tuple[str, ...]) -> type[ssl.SSLObject]:
    """Return what ends a handshake in which none of *names* is the client's."""
    allowed = frozenset(map(_spelled, names))

    class Accepting(ssl.SSLObject):
        """A connection that only these clients may make."""

        def do_handshake(self) -> None:
            """Shake hands; SSLError where the client is none of them."""
            super().do_handshake()
            certificate = self.getpeercert() or {}
            theirs = certificate.get("subjectAltName", ())
            if not any(_spelled(str(pair[1])) in allowed for pair in theirs):
                message = "the client's certificate has none of client_allowed_sans"
                raise ssl.SSLCertVerificationError(message)

    return Accepting


def _spelled(name: str) -> str:
    """Return *name*, an address in its one spelling."""
    try:
        return str(ipaddress.ip_address(name.strip()))
    except ValueError:
        return name
