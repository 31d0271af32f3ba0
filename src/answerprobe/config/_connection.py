"""Where a server is and how to get in: for targets and judges alike."""

import re
import ssl

from collections.abc import Mapping
from pathlib import Path as FilePath

from yarl import URL

from answerprobe.config._findings import Path
from answerprobe.config._reading import Reading, entries, flag, mapping, text
from answerprobe.config._show import quote
from answerprobe.connection import (
    Auth,
    BasicAuth,
    BearerAuth,
    Connection,
    HeaderAuth,
    Oauth2Auth,
    TlsSettings,
)
from answerprobe.secret import Secret


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
# RFC 6749, 3.3: printable ASCII but the blank, the quotation mark and the backslash.
_SCOPE = re.compile(r"[!#-\[\]-~]+")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
# Who sets them frames the message; a wrong one breaks the exchange.
_OURS = frozenset({"content-length", "transfer-encoding", "connection"})


def read_connection(
    raw: Mapping[str, object], url_key: str, path: Path, reading: Reading
) -> Connection:
    """Return how to reach the server whose URL is at *url_key* of *raw*."""
    auth = _auth(mapping(raw, "auth"), (*path, "auth"), reading)
    headers = _headers(mapping(raw, "headers"), (*path, "headers"), reading)
    for name in headers:
        if name.lower() == _header_of(auth):
            message = "is set by `auth` too; write it once"
            reading.findings.add((*path, "headers", name), message, at_key=True)
    return Connection(
        url=read_url(text(raw, url_key) or "", (*path, url_key), reading),
        auth=auth,
        headers=headers,
        tls=_tls(mapping(raw, "tls"), (*path, "tls"), reading),
        proxy=_proxy(text(raw, "proxy"), (*path, "proxy"), reading),
    )


def read_url(written: str, path: Path, reading: Reading) -> Secret:
    """Return the URL *written*, which may name secrets."""
    url = reading.secret(written, path)
    value = reading.revealed(url) if written else None
    if value is not None and (fault := fault_of_url(value)):
        reading.findings.add(path, f"{fault}; wanted: http://… or https://…")
    return url


def fault_of_url(value: str) -> str | None:
    """Return what keeps *value* from being an HTTP URL, without showing it."""
    if _BLANK.search(value):
        return "holds a blank"
    try:
        url = URL(value)
    except ValueError:
        return "is no URL (look at host and port)"
    if url.scheme not in ("http", "https"):
        return f"has the scheme {quote(url.scheme)}" if url.scheme else "is no URL"
    if not url.host:
        return "has no host"
    if url.explicit_port == 0:
        return "has the port 0"
    return None


def normal_url(value: str) -> str:
    """Return *value* so that two spellings of one place are equal."""
    try:
        url = URL(value)
    except ValueError:
        return value
    path = url.path.rstrip("/")
    return f"{url.scheme}://{(url.host or '').lower()}:{url.port}{path}?{url.query}"


def _proxy(written: str | None, path: Path, reading: Reading) -> Secret | None:
    """Return the URL of the proxy, None where none is written."""
    return None if written is None else read_url(written, path, reading)


def _header_of(auth: Auth | None) -> str:
    """Return the name of the header that *auth* sets, in small letters."""
    if isinstance(auth, HeaderAuth):
        return auth.name.lower()
    return "authorization" if auth else ""


def _auth(raw: Mapping[str, object], path: Path, reading: Reading) -> Auth | None:
    """Return the way in that *raw* writes; its shape allows one."""
    if token := text(raw, "bearer"):
        private = reading.private(token, (*path, "bearer"))
        return BearerAuth(token=_one_line(private, (*path, "bearer"), reading))
    if basic := mapping(raw, "basic"):
        return _basic(basic, (*path, "basic"), reading)
    if header := mapping(raw, "header"):
        return _own_header(header, (*path, "header"), reading)
    if oauth2 := mapping(raw, "oauth2"):
        return _oauth2(oauth2, (*path, "oauth2"), reading)
    return None


def _basic(raw: Mapping[str, object], path: Path, reading: Reading) -> BasicAuth:
    """Return a user name and a password."""
    username = reading.secret(text(raw, "username") or "", (*path, "username"))
    if ":" in (reading.revealed(username) or ""):
        message = "holds a colon, which basic authentication cannot send"
        reading.findings.add((*path, "username"), message)
    password = reading.private(text(raw, "password") or "", (*path, "password"))
    return BasicAuth(username=username, password=password)


def _own_header(raw: Mapping[str, object], path: Path, reading: Reading) -> HeaderAuth:
    """Return a header that lets in."""
    name = text(raw, "name") or "X"
    if fault := _fault_of_name(name):
        reading.findings.add((*path, "name"), fault)
    value = reading.private(text(raw, "value") or "", (*path, "value"))
    return HeaderAuth(name=name, value=_one_line(value, (*path, "value"), reading))


def _oauth2(raw: Mapping[str, object], path: Path, reading: Reading) -> Oauth2Auth:
    """Return a client that fetches its tokens."""
    scopes = [
        scope if isinstance(scope, str) else "" for scope in entries(raw, "scopes")
    ]
    for index, scope in enumerate(scopes):
        if scope and not _SCOPE.fullmatch(scope):
            message = f"is {quote(scope)}; wanted: one scope, without blanks or quotes"
            reading.findings.add((*path, "scopes", index), message)
    secret = reading.private(text(raw, "client_secret") or "", (*path, "client_secret"))
    return Oauth2Auth(
        client_id=reading.secret(text(raw, "client_id") or "", (*path, "client_id")),
        client_secret=secret,
        token_url=read_url(text(raw, "token_url") or "", (*path, "token_url"), reading),
        scopes=tuple(scopes),
    )


def _headers(
    raw: Mapping[str, object], path: Path, reading: Reading
) -> Mapping[str, Secret]:
    """Return the further headers; two spellings of one name are a finding."""
    headers: dict[str, Secret] = {}
    seen: set[str] = set()
    for name, value in raw.items():
        fault = _fault_of_name(name)
        if name.lower() in seen:
            fault = "is there already (capitals make no difference)"
        if fault:
            reading.findings.add((*path, name), fault, at_key=True)
        seen.add(name.lower())
        secret = reading.secret(str(value), (*path, name))
        headers[name] = _one_line(secret, (*path, name), reading)
    return headers


def _fault_of_name(name: str) -> str | None:
    """Return what keeps *name* from being the name of a header of the user."""
    if not _HEADER_NAME.fullmatch(name):
        return "is no header name; wanted: letters, digits and hyphens"
    return "is set by answerprobe itself" if name.lower() in _OURS else None


def _one_line(value: Secret, path: Path, reading: Reading) -> Secret:
    """Return *value*, which a header must be able to send."""
    if _CONTROL.search(reading.revealed(value) or ""):
        message = "holds a line break or control character; a header cannot send it"
        reading.findings.add(path, message)
    return value


def _tls(raw: Mapping[str, object], path: Path, reading: Reading) -> TlsSettings:
    """Return how the certificate is checked; a file must hold certificates."""
    written = text(raw, "ca_file")
    ca_file = reading.folder / written if written else None
    if ca_file:
        if ca_file not in reading.ca_faults:
            reading.ca_faults[ca_file] = _fault_of_ca_file(ca_file)
        if fault := reading.ca_faults[ca_file]:
            reading.findings.add((*path, "ca_file"), f"{quote(str(ca_file))} {fault}")
    return TlsSettings(
        ca_file=ca_file,
        insecure_skip_verify=flag(raw, "insecure_skip_verify", default=False),
    )


def _fault_of_ca_file(path: FilePath) -> str | None:
    """Return what keeps the file at *path* from being used."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        return "holds no certificates in PEM form"
    except (OSError, ValueError) as exc:
        fault = exc.strerror if isinstance(exc, OSError) else None
        return f"cannot be read: {(fault or 'no file name').lower()}"
    return None
