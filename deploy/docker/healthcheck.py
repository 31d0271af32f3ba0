"""
Ask the daemon in this container whether it is healthy: exit status 0 yes, 1 no.

    healthcheck.py [URL]

The image has no curl. Without a URL, it asks http://127.0.0.1:10099/-/healthy. It asks
on loopback only, so a certificate is not looked at, and no proxy is used.
"""

import http.client
import ssl
import sys

from urllib.parse import urlsplit


DEFAULT = "http://127.0.0.1:10099/-/healthy"
_TIMEOUT_SECONDS = 5.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def healthy(url: str) -> bool:
    """
    Whether *url* answers 200.

    Raises:
        OSError: it does not answer.
        http.client.HTTPException: what answers does not speak HTTP.
        ValueError: *url* is not one of HTTP or HTTPS on loopback.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname not in _LOOPBACK:
        message = f"{url!r}: wanted http or https, on {', '.join(_LOOPBACK)}"
        raise ValueError(message)
    connection = _connection(parts.scheme, parts.hostname, parts.port)
    try:
        connection.request("GET", parts.path or "/")
        return connection.getresponse().status == http.client.OK
    finally:
        connection.close()


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    """Return a connection to *host*, not yet made."""
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=_TIMEOUT_SECONDS)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(
        host, port, timeout=_TIMEOUT_SECONDS, context=context
    )


def main(arguments: list[str]) -> int:
    """Return the exit status, and say why where it is not 0."""
    url = arguments[0] if arguments else DEFAULT
    try:
        if healthy(url):
            return 0
        sys.stderr.write(f"{url} did not answer 200\n")
    except (OSError, ValueError, http.client.HTTPException) as exc:
        sys.stderr.write(f"{url}: {exc}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
