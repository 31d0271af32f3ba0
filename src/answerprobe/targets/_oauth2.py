"""Access tokens by the client credentials grant (RFC 6749, 4.4)."""

import asyncio
import math
import re
import urllib.parse

from collections.abc import Callable, Mapping
from typing import NamedTuple

import aiohttp

from answerprobe.connection import Connection, Oauth2Auth, TlsSettings
from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.secret import Secret
from answerprobe.targets import _detail, _status
from answerprobe.targets._address import Endpoint, basic
from answerprobe.targets._content import Content
from answerprobe.targets._exchange import NO_TIMEOUT, Exchange, Head
from answerprobe.targets._reading import Whole, fields


_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
# A token that says nothing of its end may still have one that is not told by a 401.
_LIFETIME_SECONDS = 300.0
_LONGEST_SECONDS = 86400.0
# It has to be good still when the agent looks at it.
_MARGIN_SECONDS = 30.0
_MARGIN_RATIO = 0.1
_TOKEN = re.compile(r"[!-~]+")


class _Key(NamedTuple):
    """What two targets have in common that can share a token."""

    auth: Oauth2Auth
    tls: TlsSettings
    proxy: Secret | None


class Grants:
    """
    The access tokens of a process.

    Targets with the same credentials share one: it is fetched once for all of them.
    """

    def __init__(self) -> None:
        self._grants: dict[_Key, Grant] = {}

    def of(
        self, connection: Connection, *, agent: str, clock: Callable[[], float]
    ) -> "Grant | None":
        """Return the grant of *connection*, None where its auth is another."""
        if not isinstance(connection.auth, Oauth2Auth):
            return None
        key = _Key(connection.auth, connection.tls, connection.proxy)
        if key not in self._grants:
            self._grants[key] = Grant(key, agent=agent, clock=clock)
        return self._grants[key]


class Grant:
    """One client's access token, fetched when needed and kept while it is good."""

    def __init__(self, key: _Key, *, agent: str, clock: Callable[[], float]) -> None:
        self._key = key
        self._clock = clock
        connection = Connection(url=key.auth.token_url, tls=key.tls, proxy=key.proxy)
        self._endpoint = Endpoint(connection, agent=agent)
        self._token: str | None = None
        self._good_until = -math.inf
        self._failures = 0
        self._failure: ReplyError | None = None
        # Protects all of these: of several samples that need a token one fetches it.
        self._fetching = asyncio.Lock()

    async def token(self, connector: aiohttp.BaseConnector) -> str:
        """
        Return a token that is good right now, fetched through *connector* if need be.

        Whoever waits for somebody else's fetch gets what that one gets.

        Raises:
            ReplyError: none can be had; the words say that it is the token endpoint.
            SecretError: a secret of the client is missing: our fault.
        """
        if good := self._good:
            return good
        failures = self._failures
        async with self._fetching:
            if good := self._good:
                return good
            if self._failure is not None and self._failures > failures:
                raise ReplyError(self._failure.reason, self._failure.detail)
            try:
                return await self._fetch(connector)
            except ReplyError as exc:
                self._failures += 1
                message = _detail.one_line(f"token endpoint: {exc.detail}")
                self._failure = ReplyError(exc.reason, message)
                raise self._failure from exc

    @property
    def _good(self) -> str | None:
        """The token, if there is one that has not expired."""
        return self._token if self._clock() < self._good_until else None

    def refused(self, token: str) -> None:
        """Hear that an agent no longer takes *token*."""
        if token == self._token:
            self._good_until = -math.inf

    async def _fetch(self, connector: aiohttp.BaseConnector) -> str:
        """Fetch a token and keep it."""
        asked_at = self._clock()
        reading = Whole(lambda document: Content(document=document))
        async with aiohttp.ClientSession(
            connector=connector,
            connector_owner=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=NO_TIMEOUT,
            auto_decompress=False,
        ) as session:
            exchange = Exchange(session, self._endpoint, reading, self._clock)
            head = await exchange.post(
                self._body(), accept=_JSON, always=self._headers()
            )
        content = await _content(head, reading)
        token = _token_in(content.document)
        self._key.auth.client_secret.keep_lent(self._key, token)
        self._token = token
        self._good_until = asked_at + _good_seconds(content.document)
        return token

    def _headers(self) -> Mapping[str, str]:
        """Return the credentials as a header, as every server has to take them."""
        auth = self._key.auth
        # Form-encoded before they become base64 (RFC 6749, 2.3.1).
        client_id = urllib.parse.quote_plus(auth.client_id.reveal())
        client_secret = urllib.parse.quote_plus(auth.client_secret.reveal())
        return {"Authorization": basic(client_id, client_secret), "Content-Type": _FORM}

    def _body(self) -> bytes:
        """Return the form that asks for a token."""
        form = {"grant_type": "client_credentials"}
        if self._key.auth.scopes:
            form["scope"] = " ".join(self._key.auth.scopes)
        return urllib.parse.urlencode(form).encode()


async def _content(head: Head, reading: Whole) -> Content:
    """Return what the reply says, if it is one that can hold a token."""
    if head.is_good:
        content = await reading.content(head.status)
    else:
        content = _status.refused(head)
    if content.failure is not None:
        raise ReplyError(content.failure.reason, content.failure.detail)
    if not head.is_good:
        raise ReplyError(ErrorReason.HTTP_STATUS, f"HTTP {head.status}")
    return content


def _token_in(document: object) -> str:
    """Return the access token in *document*."""
    if not isinstance(document, Mapping):
        what = f"the reply is {_detail.name_type(document)}, no object"
        raise ReplyError(ErrorReason.NO_ANSWER, what)
    token = document.get("access_token")
    if isinstance(token, str) and _TOKEN.fullmatch(token):
        return token
    if error := document.get("error"):
        raise ReplyError(ErrorReason.UPSTREAM_ERROR, _status.upstream_error(error))
    if token is None:
        what = f"no access_token in the reply; its fields: {fields(document)}"
    else:
        what = "access_token is nothing that a header can carry"
    raise ReplyError(ErrorReason.NO_ANSWER, what)


def _good_seconds(document: object) -> float:
    """Return how long a token may be used that came in *document*."""
    said = document.get("expires_in") if isinstance(document, Mapping) else None
    try:
        lifetime = float(said) if isinstance(said, int | float | str) else math.nan
    except (ValueError, OverflowError):
        lifetime = math.nan
    if math.isnan(lifetime):
        lifetime = _LIFETIME_SECONDS
    lifetime = min(max(lifetime, 0.0), _LONGEST_SECONDS)
    return lifetime - min(_MARGIN_SECONDS, lifetime * _MARGIN_RATIO)
