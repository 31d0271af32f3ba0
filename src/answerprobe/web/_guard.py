"""The front door: who may do what."""

import hmac
import secrets

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aiohttp import hdrs, web

from answerprobe.config import ApiToken, Scope
from answerprobe.errors import RequestError, SecretError
from answerprobe.web._csrf import FormTokens
from answerprobe.web._origin import from_another_site, from_this_machine


# Fields of the forms on pages.
FORM_TOKEN = "csrf_token"
API_TOKEN = "api_token"


class Callers(Protocol):
    """Who may call, by the present configuration."""

    @property
    def ready(self) -> bool:
        """Whether the daemon takes work."""
        ...

    @property
    def api_tokens(self) -> Sequence[ApiToken]:
        """The tokens."""
        ...


class _Nobody:
    """What a door that serves no application yet knows of callers."""

    ready = False
    api_tokens: Sequence[ApiToken] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """
    Which requests come in.

    *on_loopback*: the listen address itself is a loopback one. *open_evidence*: reading
    needs no token even where it is not. *external_url*: where people reach the daemon;
    its origin is our own. *callers*: who is known now.
    """

    on_loopback: bool
    open_evidence: bool
    external_url: str = ""
    callers: Callers = field(default_factory=_Nobody)
    form_tokens: FormTokens = field(default_factory=FormTokens)
    form_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

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
        self._check_site(request)
        if tokens:
            _check_token(request, tokens, scope)
        elif not self._from_this_machine(request):
            message = (
                "refused: without api.tokens, POST is accepted only from this machine, "
                "on a loopback listen address and not through a proxy"
            )
            raise RequestError(403, message)
        _check_ready(ready=ready)

    def may_write(self, request: web.Request) -> bool:
        """Whether a page shows the sender of *request* what changes something."""
        return self.asks_token(request) or self._from_this_machine(request)

    def asks_token(self, request: web.Request) -> bool:
        """Whether a form must ask the sender of *request* for one of api.tokens."""
        del request
        return bool(self.callers.api_tokens)

    def csrf_token(self, request: web.Request) -> str:
        """Return what a form for the sender of *request* carries as FORM_TOKEN."""
        del request
        return self.form_tokens.issue("", self.form_key)

    def check_form(
        self, request: web.Request, form: Mapping[str, object], scope: Scope
    ) -> None:
        """
        Let the POST of a page's *form* in, or raise; it may do what *scope* covers.

        Raises:
            RequestError: it comes from another site or is not allowed to (401, 403),
                or nothing is taken now (503).
        """
        self._check_site(request)
        callers = self.callers
        if callers.api_tokens:
            _check_value(_text(form, API_TOKEN), callers.api_tokens, scope)
        elif not self._from_this_machine(request):
            raise RequestError(403, "refused: not from this machine, and no token")
        if not self.form_tokens.holds(_text(form, FORM_TOKEN), "", self.form_key):
            message = "refused: the form is too old or none of ours; load the page anew"
            raise RequestError(403, message)
        _check_ready(ready=callers.ready)

    def _from_this_machine(self, request: web.Request) -> bool:
        """Whether *request* was made on this machine and for it."""
        return self.on_loopback and from_this_machine(request)

    def _check_site(self, request: web.Request) -> None:
        """Raise RequestError where a browser says that another site made *request*."""
        if from_another_site(request, self.external_url):
            raise RequestError(403, "refused: another site made this request")


def _check_ready(*, ready: bool) -> None:
    """Raise RequestError while the daemon takes no work."""
    if not ready:
        raise RequestError(503, "the daemon is starting or ending; try again")


def _text(form: Mapping[str, object], field_name: str) -> str:
    """Return the text in a field of *form*, empty where there is none."""
    value = form.get(field_name)
    return value if isinstance(value, str) else ""


def _check_token(
    request: web.Request, tokens: Sequence[ApiToken], scope: Scope
) -> None:
    """Raise RequestError where *request* has no token that has *scope*."""
    kind, _, value = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    _check_value(value.strip() if kind.lower() == "bearer" else "", tokens, scope)


def _check_value(value: str, tokens: Sequence[ApiToken], scope: Scope) -> None:
    """Raise RequestError where *value* is no token that has *scope*."""
    sent = value.encode("utf-8", "surrogateescape")
    # Every token is compared, in constant time, so that timing tells nothing.
    found = [token for token in tokens if hmac.compare_digest(_value(token), sent)]
    if not sent or not found:
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
