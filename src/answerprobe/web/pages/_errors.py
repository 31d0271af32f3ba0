"""Errors as pages, for who looks with a browser."""

import json

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from answerprobe.web.pages._render import rendered


# What is for programs stays as it is, whoever asks.
_FOR_PROGRAMS = ("/v1", "/-/", "/metrics", "/probe", "/config")
_KEPT = (hdrs.ALLOW, hdrs.WWW_AUTHENTICATE, hdrs.RETRY_AFTER)
_HEADINGS = {
    400: "That address cannot be read",
    401: "Who are you?",
    403: "That is not allowed",
    404: "There is nothing here",
    405: "That is not possible here",
    409: "Not now",
    429: "Too much at once",
    500: "Something went wrong on our side",
    503: "Not available at the moment",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_page_middleware() -> Middleware:
    """Return the middleware that shows errors, made inside of it, as pages."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer *request* by *handler*, an error as a page where one is wanted."""
        response = await handler(request)
        if response.status < HTTPStatus.BAD_REQUEST or not _wants_page(request):
            return response
        if not isinstance(response, web.Response):
            return response
        message = _message(response)
        if message is None:
            return response
        return await _page(request, response, message)

    return middleware


async def _page(
    request: web.Request, response: web.Response, message: str
) -> web.Response:
    """Return the error *response* as a page that says *message*."""
    status = response.status
    context = {
        "status": status,
        "heading": _HEADINGS.get(status, response.reason or "Error"),
        "message": message,
    }
    page = await rendered(request, "error.html", lambda: context, status=status)
    for header in _KEPT:
        if header in response.headers:
            page.headers[header] = response.headers[header]
    return page


def _wants_page(request: web.Request) -> bool:
    """Whether *request* is a browser's, for something that people look at."""
    if request.path.startswith(_FOR_PROGRAMS):
        return False
    return "text/html" in request.headers.get(hdrs.ACCEPT, "")


def _message(response: web.Response) -> str | None:
    """Return the words of an error of ours; None where it is none."""
    if response.content_type != "application/json" or response.text is None:
        return None
    said = json.loads(response.text)
    message = said.get("error") if isinstance(said, dict) else None
    return message if isinstance(message, str) else None
