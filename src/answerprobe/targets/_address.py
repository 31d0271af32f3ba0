"""Where a target's requests go, and what they carry besides the question."""

import base64
import re
import ssl

from collections.abc import Mapping
from typing import NamedTuple

from multidict import CIMultiDict
from yarl import URL

from answerprobe.connection import (
    BasicAuth,
    BearerAuth,
    Connection,
    HeaderAuth,
    Oauth2Auth,
    TlsSettings,
)
from answerprobe.errors import ReplyError, SecretError
from answerprobe.sample import ErrorReason
from answerprobe.secret import Secret


# Ours alone: a wrong value breaks the exchange itself.
_RESERVED = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_LINE_BREAKS = re.compile(r"[\r\n\0]")


class Address(NamedTuple):
    """Everything about one request but its body."""

    url: URL
    headers: CIMultiDict[str]
    ssl: ssl.SSLContext | bool
    proxy: URL | None
    proxy_headers: dict[str, str] | None


class Endpoint:
    """
    The server of a target; *path* is put behind the path of its URL.

    Secrets and the CA file are read for each request, so that a rotated one counts
    from the next request on.
    """

    def __init__(self, connection: Connection, *, path: str = "", agent: str) -> None:
        self._connection = connection
        self._path = path
        self._agent = agent
        self._tls = _Tls(connection.tls)

    @property
    def host(self) -> str:
        """`scheme://host:port` of the server."""
        url = self._url()
        return f"{url.scheme}://{url.host_subcomponent}:{url.port}"

    def address(self, *, accept: str, always: Mapping[str, str]) -> Address:
        """
        Return the address of one request; headers *always* win over the user's.

        Raises:
            SecretError: a secret is missing, or cannot stand where it is used.
            ReplyError: tls: the CA file cannot be used.
        """
        url = self._url()
        headers = self._headers(accept, always)
        if url.user is not None or url.password is not None:
            headers.setdefault("Authorization", basic(url.user, url.password))
            url = url.with_user(None)
        proxy = _parsed(self._connection.proxy) if self._connection.proxy else None
        proxy_headers = None
        if proxy is not None and proxy.user is not None:
            credentials = {"Proxy-Authorization": basic(proxy.user, proxy.password)}
            proxy = proxy.with_user(None)
            if url.scheme == "https":  # said to the proxy alone, when the tunnel is dug
                proxy_headers = credentials
            else:
                headers.update(credentials)
        return Address(url, headers, self._tls.context(), proxy, proxy_headers)

    def _url(self) -> URL:
        """Return the URL of the server with our path on it."""
        url = _parsed(self._connection.url).with_fragment(None)
        path = url.raw_path.rstrip("/")
        if not self._path or path.endswith(self._path):
            return url
        return url.with_path(path + self._path, encoded=True, keep_query=True)

    def _headers(self, accept: str, always: Mapping[str, str]) -> CIMultiDict[str]:
        """Return our headers and the user's, and what is *always* ours."""
        headers = CIMultiDict(
            {
                "User-Agent": self._agent,
                "Accept": accept,
                "Accept-Encoding": "gzip, deflate",
                "Content-Type": "application/json",
                # The connection is for this exchange only. Said aloud, the server
                # closes first, and the ports in TIME_WAIT are not ours.
                "Connection": "close",
            }
        )
        for name, value in self._connection.headers.items():
            if name.lower() not in _RESERVED:
                headers[name] = _header(value)
        auth = self._connection.auth
        if auth is not None and not isinstance(auth, Oauth2Auth):
            name, text = _credentials(auth)
            headers[name] = text
        for name, text in always.items():
            headers[name] = text
        return headers


def _parsed(secret: Secret) -> URL:
    """Return *secret* as an absolute http(s) URL."""
    try:
        url = URL(secret.reveal())
        usable = url.scheme in {"http", "https"} and url.host and url.port
    except ValueError as exc:
        raise _unusable(secret, "is no URL") from exc
    if not usable:
        raise _unusable(secret, "is no http:// or https:// URL")
    return url


def _credentials(auth: BearerAuth | BasicAuth | HeaderAuth) -> tuple[str, str]:
    """Return the header, name and value, that lets us in."""
    match auth:
        case BearerAuth():
            return "Authorization", f"Bearer {_header(auth.token)}"
        case BasicAuth():
            return (
                "Authorization",
                basic(auth.username.reveal(), auth.password.reveal()),
            )
        case HeaderAuth():
            return auth.name, _header(auth.value)


def basic(username: str | None, password: str | None) -> str:
    """Return the value of an Authorization header of kind Basic."""
    pair = f"{username or ''}:{password or ''}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _header(secret: Secret) -> str:
    """Return the text of *secret* if it can be a header's value."""
    text = secret.reveal()
    if _LINE_BREAKS.search(text):
        raise _unusable(secret, "has a line break, which no header can have")
    return text


def _unusable(secret: Secret, why: str) -> SecretError:
    """Return the error of a *secret* whose value cannot stand where it is used."""
    name = ", ".join(secret.names)
    return SecretError(name, f"the value with secret {name or '(none)'} {why}")


class _Tls:
    """How certificates are checked; a CA file is read again when it changes."""

    def __init__(self, settings: TlsSettings) -> None:
        self._settings = settings
        self._stamp: tuple[int, int] | None = None
        self._context: ssl.SSLContext | None = None

    def context(self) -> ssl.SSLContext | bool:
        """Return what aiohttp's `ssl` parameter takes."""
        if self._settings.insecure_skip_verify:
            return False
        path = self._settings.ca_file
        if path is None:
            return True
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            if self._context is None or stamp != self._stamp:
                self._context = ssl.create_default_context(cafile=str(path))
                self._stamp = stamp
        except OSError as exc:  # ssl.SSLError is one too
            message = f"ca_file {path}: {exc.strerror or exc}"
            raise ReplyError(ErrorReason.TLS, message) from exc
        return self._context
