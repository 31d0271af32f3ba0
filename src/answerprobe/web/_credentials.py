"""Credentials that a request shows: a user's password, or a token."""

import base64
import hmac
import secrets

from collections.abc import Sequence
from typing import NamedTuple

from aiohttp import hdrs, web

from answerprobe.config import ApiToken, Scope
from answerprobe.errors import RequestError, SecretError


class Login(NamedTuple):
    """What somebody claims to be, and to know."""

    name: str
    password: str


def shown_login(request: web.Request) -> Login | None:
    """Return the name and password that *request* shows by basic authentication."""
    encoded = _shown(request, "basic")
    try:
        raw = base64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    name, colon, password = text.partition(":")
    return Login(name, password) if colon else None


def shown_token(request: web.Request) -> str:
    """Return the bearer token that *request* shows, empty where it shows none."""
    return _shown(request, "bearer")


def find_tokens(value: str, tokens: Sequence[ApiToken]) -> list[ApiToken]:
    """Return those of *tokens* that *value* is."""
    sent = value.encode("utf-8", "surrogateescape")
    # Every token is compared, in constant time, so that timing tells nothing.
    found = [token for token in tokens if hmac.compare_digest(_value(token), sent)]
    return found if sent else []


def check_scope(found: Sequence[ApiToken], scope: Scope) -> None:
    """Raise RequestError where none of *found*, which were shown, has *scope*."""
    if not any(scope in token.scopes for token in found):
        message = f"the token {found[0].name!r} does not have the scope {scope.value}"
        raise RequestError(403, message)


def _shown(request: web.Request, scheme: str) -> str:
    """Return what *request* shows by the authentication *scheme*."""
    kind, _, value = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    return value.strip() if kind.lower() == scheme else ""


def _value(token: ApiToken) -> bytes:
    """Return a token's present value; one that can't be had matches nothing."""
    try:
        return token.token.reveal().encode("utf-8", "surrogateescape")
    except SecretError:
        # Drawn anew for each comparison: whatever was sent, by a header or a form.
        return secrets.token_bytes(32)
