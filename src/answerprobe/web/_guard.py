"""The front door: who may do what."""

import hmac
import ipaddress

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import hdrs, web

from answerprobe.config import ApiToken, Scope
from answerprobe.errors import RequestError, SecretError


# A request with one of these headers came through a proxy, whoever sent it there.
_PROXIED = frozenset({"forwarded", "via"})
_PROXIED_PREFIX = "x-forwarded-"
# What a browser says of a page of ours, and of an address that was typed in.
_SAME_SITE = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """
    Which requests come in.

    *on_loopback*: the listen address itself is a loopback one. *open_evidence*: reading
    needs no token even where it is not.
    """

    on_loopback: bool
    open_evidence: bool

    def check_read(self, request: web.Request, tokens: Sequence[ApiToken]) -> None:
        """
        Let a GET of evidence in, or raise.

        Raises:
            RequestError: it needs a token with the scope read (401, 403).
        """
        if not self.on_loopback and not self.open_evidence:
            if not tokens:
                message = (
                    "refused: reading from other machines needs one of api.tokens, and "
                    "none is configured (--web.open-evidence lets everybody read)"
                )
                raise RequestError(403, message)
            _check_token(request, tokens, Scope.READ)

    def check_write(
        self,
        request: web.Request,
        tokens: Sequence[ApiToken],
        scope: Scope,
        *,
        ready: bool,
    ) -> None:
        """
        Let a POST in, or raise; *ready*: the daemon takes work.

        Raises:
            RequestError: it comes from another site or is not allowed to (401, 403),
                or nothing is taken now (503).
        """
        _check_origin(request)
        if tokens:
            _check_token(request, tokens, scope)
        elif not self._from_this_machine(request):
            message = (
                "refused: without api.tokens, POST is accepted only from this machine, "
                "on a loopback listen address and not through a proxy"
            )
            raise RequestError(403, message)
        if not ready:
            raise RequestError(503, "the daemon is starting or ending; try again")

    def _from_this_machine(self, request: web.Request) -> bool:
        """Whether *request* was made on this machine and for it."""
        return (
            self.on_loopback
            and is_loopback(request.remote or "")
            and not any(_of_a_proxy(name) for name in request.headers)
            # Not `request.host`: without the header it would be our own address.
            and all(map(_names_loopback, request.headers.getall(hdrs.HOST, [""])))
        )


def is_loopback(host: str) -> bool:
    """Whether *host* names this machine's loopback interface."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _of_a_proxy(header: str) -> bool:
    """Whether only a proxy adds the *header* of this name."""
    name = header.lower()
    return name in _PROXIED or name.startswith(_PROXIED_PREFIX)


def _names_loopback(host: str) -> bool:
    """Whether the Host header *host*, with or without a port, is a loopback name."""
    if host.startswith("["):
        return is_loopback(host[1:].partition("]")[0])
    return is_loopback(host.partition(":")[0])


def _check_origin(request: web.Request) -> None:
    """Raise RequestError where a browser says that another site made the request."""
    own = f"{request.scheme}://{request.host}".lower()
    origins = request.headers.getall(hdrs.ORIGIN, [])
    sites = request.headers.getall("Sec-Fetch-Site", [])
    if any(origin.lower() != own for origin in origins) or not _SAME_SITE.issuperset(
        sites
    ):
        raise RequestError(403, "refused: another site made this request")


def _check_token(
    request: web.Request, tokens: Sequence[ApiToken], scope: Scope
) -> None:
    """Raise RequestError where *request* has no token that has *scope*."""
    kind, _, value = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    sent = value.strip().encode("utf-8", "surrogateescape")
    # Every token is compared, in constant time, so that timing tells nothing.
    found = [token for token in tokens if hmac.compare_digest(_value(token), sent)]
    if kind.lower() != "bearer" or not sent or not found:
        raise RequestError(401, "a token is needed: Authorization: Bearer <token>")
    if not any(scope in token.scopes for token in found):
        message = f"the token {found[0].name!r} does not have the scope {scope.value}"
        raise RequestError(403, message)


def _value(token: ApiToken) -> bytes:
    """Return a token's present value; one that can't be had matches nothing."""
    try:
        return token.token.reveal().encode("utf-8", "surrogateescape")
    except SecretError:
        return b"\0"
