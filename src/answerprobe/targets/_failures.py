"""What went wrong with an exchange: aiohttp's exceptions as our closed set."""

import errno
import os
import ssl

import aiohttp

from aiohttp import http_exceptions

from answerprobe.errors import ReplyError
from answerprobe.sample import ErrorReason
from answerprobe.targets import _detail


def before_headers(exc: Exception) -> ReplyError:
    """Return the failure *exc* of connecting, sending, or reading the headers."""
    reason, words = _before_headers(exc)
    return ReplyError(reason, _detail.one_line(words))


def _before_headers(exc: Exception) -> tuple[ErrorReason, str]:
    """Return the reason of *exc* and the words for it."""
    match exc:
        case aiohttp.ClientConnectorError():
            return _connecting(exc)
        case aiohttp.ClientHttpProxyError():
            words = f"the proxy answered HTTP {exc.status} {exc.message}"
            return ErrorReason.CONNECT, words
        case aiohttp.InvalidURL():
            return ErrorReason.CONNECT, "the endpoint is no usable URL"
        case aiohttp.ClientResponseError():
            words = f"the reply is no HTTP: {exc.message}"
            return ErrorReason.BAD_HTTP, words
        case _:
            words = f"the connection was {_how_lost(exc)} before a whole header came"
            return ErrorReason.DISCONNECTED, words


def _connecting(exc: aiohttp.ClientConnectorError) -> tuple[ErrorReason, str]:
    """Return the failure *exc* of reaching the server at all."""
    match exc:
        case aiohttp.ClientConnectorDNSError():
            words = f"cannot resolve {exc.host}: {_os_words(exc.os_error)}"
            return ErrorReason.DNS, words
        case aiohttp.ClientConnectorCertificateError():
            words = f"certificate of {exc.host}: {_tls_words(exc.certificate_error)}"
            return ErrorReason.TLS, words
        case aiohttp.ClientConnectorSSLError():
            words = f"TLS with {exc.host}: {_tls_words(exc.os_error)}"
            return ErrorReason.TLS, words
        case _ if isinstance(exc.os_error, ConnectionResetError):
            # The port was open (else: refused): it is the handshake that broke off.
            words = f"TLS with {exc.host}: the server hung up in the handshake"
            return ErrorReason.TLS, words
        case _:
            proxy = isinstance(exc, aiohttp.ClientProxyConnectionError)
            where = f"{'the proxy ' if proxy else ''}{exc.host} port {exc.port}"
            words = f"cannot connect to {where}: {_os_words(exc.os_error)}"
            return ErrorReason.CONNECT, words


def in_body(exc: Exception, received_bytes: int) -> ReplyError:
    """Return the failure *exc* of reading a body, *received_bytes* of it came."""
    cause = exc.__cause__
    if isinstance(cause, http_exceptions.HttpProcessingError) and not _is_cut(cause):
        message = _detail.one_line(f"the body is no HTTP: {cause.message}")
        return ReplyError(ErrorReason.BAD_HTTP, message)
    message = f"the connection was lost after {received_bytes:,} bytes of the body"
    return ReplyError(ErrorReason.INCOMPLETE_BODY, message)


def _is_cut(exc: http_exceptions.HttpProcessingError) -> bool:
    """Whether *exc* says that the body ended too soon, not that it is malformed."""
    return isinstance(exc, http_exceptions.ContentLengthError) or (
        isinstance(exc, http_exceptions.TransferEncodingError)
        and "Not enough data" in exc.message
    )


def _how_lost(exc: BaseException) -> str:
    """Return whether the other side hung up or broke off."""
    return "reset" if isinstance(exc, OSError) else "closed"


def _os_words(exc: OSError) -> str:
    """Return the system's words: asyncio's own name the call, not the trouble."""
    known = exc.errno is not None and exc.errno in errno.errorcode
    words = os.strerror(exc.errno) if known and exc.errno else exc.strerror
    return words or str(exc) or type(exc).__name__


def _tls_words(exc: Exception) -> str:
    """Return why a handshake failed, without OpenSSL's source positions."""
    if isinstance(exc, ssl.SSLCertVerificationError):
        return exc.verify_message
    if isinstance(exc, ssl.SSLError) and exc.reason:
        return exc.reason.replace("_", " ").lower()
    return _os_words(exc) if isinstance(exc, OSError) else str(exc)
