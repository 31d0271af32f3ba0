"""Every error of a request becomes one clear answer; none ends the daemon."""

import logging
import math

from collections.abc import Awaitable, Callable

import structlog

from aiohttp import hdrs, http_exceptions, web
from aiohttp.typedefs import Middleware

from answerprobe.errors import RequestError, StoreError


_log = structlog.get_logger()

# What a caller can do wrong below our handlers: it gets a 400, where it still listens.
_CLIENT_FAULTS = (
    http_exceptions.BadHttpMessage,
    web.RequestPayloadError,
    ConnectionError,
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
CountError = Callable[[], None]


def error_response(status: int, message: str) -> web.Response:
    """Return *message* as the JSON that every error has."""
    response = web.json_response({"error": message}, status=status)
    if status == web.HTTPUnauthorized.status_code:
        response.headers[hdrs.WWW_AUTHENTICATE] = 'Bearer realm="answerprobe"'
    return response


def _refused(exc: RequestError) -> web.Response:
    """Return what *exc* says, with when to try again."""
    response = error_response(exc.status, str(exc))
    if exc.retry_after_seconds is not None:
        seconds = max(1, math.ceil(exc.retry_after_seconds))
        response.headers[hdrs.RETRY_AFTER] = str(seconds)
    return response


class ClientFaults(logging.Filter):
    """Keeps out of the log what anybody who can connect could fill it with."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether *record* is about anything else."""
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, _CLIENT_FAULTS)


def make_error_middleware(count_internal_error: CountError) -> Middleware:
    """Return the middleware; our own faults are logged and *counted*."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer *request* by *handler*, or by what went wrong in it."""
        try:
            return await handler(request)
        except RequestError as exc:
            return _refused(exc)
        except StoreError as exc:
            return error_response(503, f"the evidence store is unavailable: {exc}")
        except web.HTTPException as exc:
            return _told(exc)
        except _CLIENT_FAULTS:
            return error_response(400, "the request cannot be read")
        except Exception:  # noqa: BLE001  the one place where a bug becomes a 500
            count_internal_error()
            _log.exception("request.failed", method=request.method, path=request.path)
            return error_response(500, "internal error; the log has the details")

    return middleware


def _told(exc: web.HTTPException) -> web.Response:
    """Return *exc* as the JSON that every error has; raise what is no error."""
    if exc.status < web.HTTPBadRequest.status_code:
        raise exc
    response = error_response(exc.status, _sentence(exc))
    if hdrs.ALLOW in exc.headers:
        response.headers[hdrs.ALLOW] = exc.headers[hdrs.ALLOW]
    return response


def _sentence(exc: web.HTTPException) -> str:
    """Return what *exc* means, for a person."""
    match exc:
        case web.HTTPNotFound():
            return "there is nothing here"
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(exc.allowed_methods))
            return f"{exc.method} is not allowed here, allowed: {allowed}"
        case web.HTTPRequestEntityTooLarge():
            return "the body is too large"
        case _:
            return exc.reason
