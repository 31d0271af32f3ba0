"""The front door: who may do what."""

import secrets

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from aiohttp import hdrs, web

from answerprobe.config import ApiToken, Scope
from answerprobe.errors import RequestError
from answerprobe.web._callers import Callers, Nobody
from answerprobe.web._credentials import (
    Login,
    check_scope,
    find_tokens,
    shown_login,
    shown_token,
)
from answerprobe.web._csrf import FormTokens
from answerprobe.web._limits import Limiter, peer_key
from answerprobe.web._origin import from_another_site, from_this_machine, path_of
from answerprobe.web._settings import WebSettings


_log = structlog.get_logger()
# Fields of the forms on pages.
FORM_TOKEN = "csrf_token"
API_TOKEN = "api_token"
# The web user who sent a request.
USER = web.RequestKey("user", str)
# What is open to everybody, and what to everybody where there are no users.
HEALTH = ("/-/healthy", "/-/ready")
_METRICS = "/metrics"
_READING = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
_STARTING = frozenset({Scope.RUNS, Scope.DEPLOYS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """
    Which requests come in.

    *on_loopback*: the listen address itself is a loopback one. *open_evidence*: reading
    needs no token even where it is not. *external_url*: where people reach the daemon;
    its origin is our own. *prefix*: the path below which everything is served.
    *settings*: web users and headers. *callers*: who else is known now. *failures* and
    *starts* limit logins that fail, and what may start runs.
    """

    on_loopback: bool
    open_evidence: bool
    external_url: str = ""
    prefix: str = ""
    settings: WebSettings = field(default_factory=WebSettings)
    callers: Callers = field(default_factory=Nobody)
    failures: Limiter = field(
        default_factory=lambda: Limiter(burst=100, per_second=1 / 6)
    )
    starts: Limiter = field(default_factory=lambda: Limiter(burst=200, per_second=4))
    form_tokens: FormTokens = field(default_factory=FormTokens)
    form_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def base(self) -> str:
        """The path that stands before `/` in every link of a page, for browsers."""
        return path_of(self.external_url) if self.external_url else self.prefix

    async def admit(self, request: web.Request) -> None:
        """
        Let any request in as far as its handler, or raise.

        Raises:
            RequestError: it needs a user or a token (401, 403), comes from another
                site (403), or too many have failed (429).
        """
        served = self._served(request)
        if served in HEALTH:
            return
        reading = request.method in _READING
        if not reading:
            self._check_site(request)
        if self.settings.users:
            await self._identify(request, reading=reading)
        elif reading and served != _METRICS:
            self.check_read(request, self.callers.api_tokens)

    def check_read(self, request: web.Request, tokens: Sequence[ApiToken]) -> None:
        """
        Let a GET of evidence in, or raise.

        Raises:
            RequestError: it needs a token with the scope read (401, 403).
        """
        if (
            self.on_loopback
            or self.open_evidence
            or USER in request
            # TLS asks for client certificates only to verify them.
            or request.get_extra_info("peercert")
        ):
            return
        if not tokens:
            message = (
                "refused: reading from other machines needs one of api.tokens, and "
                "none is configured (--web.open-evidence lets everybody read)"
            )
            raise RequestError(403, message)
        check_scope(self._find(request, shown_token(request), tokens), Scope.READ)

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
                starts too much (429), or nothing is taken now (503).
        """
        self._check_site(request)
        caller = self._caller(request, shown_token(request), tokens, scope)
        self._check_start(caller, scope, ready=ready)

    def may_write(self, request: web.Request) -> bool:
        """Whether a page shows the sender of *request* what changes something."""
        user = request.get(USER)
        if user is not None:
            return self._is_admin(user)
        return self.asks_token(request) or self._from_this_machine(request)

    def asks_token(self, request: web.Request) -> bool:
        """Whether a form must ask the sender of *request* for one of api.tokens."""
        return bool(self.callers.api_tokens) and USER not in request

    def csrf_token(self, request: web.Request) -> str:
        """Return what a form for the sender of *request* carries as FORM_TOKEN."""
        user = request.get(USER) or ""
        return self.form_tokens.issue(user, self._form_key(user))

    def check_form(
        self, request: web.Request, form: Mapping[str, object], scope: Scope
    ) -> None:
        """
        Let the POST of a page's *form* in, or raise; it may do what *scope* covers.

        Raises:
            RequestError: it comes from another site or is not allowed to (401, 403),
                starts too much (429), or nothing is taken now (503).
        """
        self._check_site(request)
        callers = self.callers
        typed = _text(form, API_TOKEN) or shown_token(request)
        caller = self._caller(request, typed, callers.api_tokens, scope)
        user = request.get(USER) or ""
        if not self.form_tokens.holds(
            _text(form, FORM_TOKEN), user, self._form_key(user)
        ):
            message = "refused: the form is too old or none of ours; load the page anew"
            raise RequestError(403, message)
        self._check_start(caller, scope, ready=callers.ready)

    def _served(self, request: web.Request) -> str:
        """Return the path that answers *request* as the router knows it."""
        resource = request.match_info.route.resource
        canonical = resource.canonical if resource is not None else ""
        return canonical.removeprefix(self.prefix)

    async def _identify(self, request: web.Request, *, reading: bool) -> None:
        """Let in who shows a user's password, or one of api.tokens."""
        if value := shown_token(request):
            found = self._find(request, value, self.callers.api_tokens)
            if reading:
                check_scope(found, Scope.READ)
            return
        login = shown_login(request)
        if login is None:
            raise RequestError(401, "a user's name and password are needed")
        await self._log_in(request, login)
        request[USER] = login.name

    async def _log_in(self, request: web.Request, login: Login) -> None:
        """Raise RequestError where *login* is not right."""
        users = self.settings.users
        # Who is known already never waits, whoever guesses from the same address.
        if users.recall(*login):
            return
        self._check_failures(request)
        if not await users.verify(*login):
            self._count_failure(request, "password")
            raise RequestError(401, "the name or the password is wrong")

    def _find(
        self, request: web.Request, value: str, tokens: Sequence[ApiToken]
    ) -> list[ApiToken]:
        """Return those of *tokens* that *value*, of *request*, is; at least one."""
        found = find_tokens(value, tokens)
        if not found:
            if value:
                self._check_failures(request)
                self._count_failure(request, "token")
                raise RequestError(401, "this token is unknown")
            raise RequestError(401, "a token is needed: Authorization: Bearer <token>")
        return found

    def _caller(
        self,
        request: web.Request,
        token: str,
        tokens: Sequence[ApiToken],
        scope: Scope,
    ) -> str:
        """Return who may do by *request* what *scope* covers, or raise RequestError."""
        user = request.get(USER)
        if user is not None:
            if not self._is_admin(user):
                message = f"refused: {user!r} is none of api.admins and may only read"
                raise RequestError(403, message)
            return f"user {user}"
        if tokens:
            found = self._find(request, token, tokens)
            check_scope(found, scope)
            return f"token {found[0].name}"
        if not self._from_this_machine(request):
            message = (
                "refused: without api.tokens, POST is accepted only from this machine, "
                "on a loopback listen address and not through a proxy"
            )
            raise RequestError(403, message)
        return peer_key(request.remote)

    def _check_start(self, caller: str, scope: Scope, *, ready: bool) -> None:
        """Raise RequestError where *caller* must wait with what *scope* covers."""
        if not ready:
            raise RequestError(503, "the daemon is starting or ending; try again")
        if scope in _STARTING:
            _check_limit(self.starts, caller, "too many runs were asked for")
            self.starts.count(caller)

    def _check_failures(self, request: web.Request) -> None:
        """Raise RequestError where too much of what *request*'s peer showed failed."""
        _check_limit(self.failures, peer_key(request.remote), "too many failed logins")

    def _count_failure(self, request: web.Request, shown: str) -> None:
        """Count and log that what was *shown* by *request* is wrong."""
        self.failures.count(peer_key(request.remote))
        # Not the name: people type passwords there.
        _log.warning("login.failed", peer=request.remote or "", shown=shown)

    def _is_admin(self, user: str) -> bool:
        """Whether the web user *user* may change something."""
        admins = self.callers.api_admins
        return admins is None or user in admins

    def _form_key(self, user: str) -> bytes:
        """Return the key of *user*'s forms: every replica knows it of a web user."""
        return self.settings.users.hash_of(user) or self.form_key

    def _from_this_machine(self, request: web.Request) -> bool:
        """Whether *request* was made on this machine and for it."""
        return self.on_loopback and from_this_machine(request)

    def _check_site(self, request: web.Request) -> None:
        """Raise RequestError where a browser says that another site made *request*."""
        if from_another_site(request, self.external_url):
            raise RequestError(403, "refused: another site made this request")


def _check_limit(limiter: Limiter, key: str, fault: str) -> None:
    """Raise RequestError where *key* must wait, because of *fault*."""
    seconds = limiter.wait_seconds(key)
    if seconds > 0:
        message = f"{fault}; try again in {seconds:.0f} s"
        raise RequestError(429, message, retry_after_seconds=seconds)


def _text(form: Mapping[str, object], field_name: str) -> str:
    """Return the text in a field of *form*, empty where there is none."""
    value = form.get(field_name)
    return value if isinstance(value, str) else ""
