"""Where a server is, and how to get in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from answerprobe.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerAuth:
    """`Authorization: Bearer …`."""

    token: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class BasicAuth:
    """`Authorization: Basic …`."""

    username: Secret
    password: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderAuth:
    """A header of one's own, such as `X-Api-Key`."""

    name: str
    value: Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Oauth2Auth:
    """
    A bearer token that is fetched by the client credentials grant (RFC 6749, 4.4).

    It is kept until it expires, and fetched anew once where it is refused.
    """

    client_id: Secret
    client_secret: Secret
    token_url: Secret
    scopes: tuple[str, ...] = ()


Auth = BearerAuth | BasicAuth | HeaderAuth | Oauth2Auth


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsSettings:
    """How a server's certificate is checked."""

    ca_file: Path | None = None
    insecure_skip_verify: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Where a server is and how to get in; for targets and judges alike."""

    url: Secret
    auth: Auth | None = None
    headers: Mapping[str, Secret] = field(default_factory=dict)
    tls: TlsSettings = TlsSettings()
    proxy: Secret | None = None
