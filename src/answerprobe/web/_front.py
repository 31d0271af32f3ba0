"""What happens to every request and response, whoever handles it."""

from collections.abc import Awaitable, Callable, Iterable

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from answerprobe.web._guard import Door


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_POLICY = "Content-Security-Policy"
# What a response carries where its handler says nothing else. Whoever reads evidence
# in a browser leaves no copy of it there.
_DEFAULTS = {
    _POLICY: "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    hdrs.CACHE_CONTROL: "no-store",
}
_LOG_IN = 'Basic realm="answerprobe", charset="UTF-8"'


def make_door_middleware(door: Door) -> Middleware:
    """Return the middleware that lets in whom *door* does."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer *request* by *handler*, if it may come in."""
        await door.admit(request)
        return await handler(request)

    return middleware


def add_headers(app: web.Application, door: Door) -> None:
    """Let every response of *app* carry what *door* and good manners ask for."""

    async def prepare(_request: web.Request, response: web.StreamResponse) -> None:
        """Add to *response* what its handler left out."""
        headers = response.headers
        for name, value in _DEFAULTS.items():
            headers.setdefault(name, value)
        for name, value in door.settings.headers.items():
            if name == _POLICY:
                # A browser obeys both: ours is never loosened.
                headers.add(name, value)
            else:
                headers[name] = value
        if response.status == web.HTTPUnauthorized.status_code and door.settings.users:
            headers[hdrs.WWW_AUTHENTICATE] = _LOG_IN

    app.on_response_prepare.append(prepare)


def below(prefix: str, routes: Iterable[web.RouteDef]) -> list[web.RouteDef]:
    """Return *routes*, each with *prefix* before its path."""
    return [
        web.RouteDef(route.method, f"{prefix}{route.path}", route.handler, route.kwargs)
        for route in routes
    ]


def leading_below(prefix: str) -> list[web.RouteDef]:
    """Return routes that lead from above *prefix* to the start page below it."""

    async def lead(_request: web.Request) -> web.StreamResponse:
        """Redirect to the start page."""
        raise web.HTTPFound(f"{prefix}/")

    return [web.get("/", lead), web.get(prefix, lead)] if prefix else []
